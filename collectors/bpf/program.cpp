#include "collectors/bpf/program.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>
#include <vector>

namespace evenkeel::bpf {
namespace {

/// Suppresses libbpf's messages: they are pages of the verifier's log, for libbpf's developers.
int say_nothing(libbpf_print_level /*level*/, const char* /*format*/, va_list /*values*/) { return 0; }
void silence() { libbpf_set_print(say_nothing); }

struct Mapping {
  std::string table{};
  std::span<std::byte> memory{};
};

}  // namespace

struct BpfProgram::Impl {
  bpf_object* object = nullptr;
  std::vector<bpf_link*> links{};
  std::vector<Mapping> mappings{};

  Impl() = default;
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    for (auto* link : links) bpf_link__destroy(link);
    for (const auto& mapping : mappings) ::munmap(mapping.memory.data(), mapping.memory.size());
    bpf_object__close(object);
  }

  Result<> prepare(const BpfProgramSpec& plan);
  Result<> attach();
  Result<> map_tables();
};

namespace {

bool only_called(const bpf_program* program) {
  return bpf_program__type(program) == BPF_PROG_TYPE_RAW_TRACEPOINT;
}

/// A null `suffix` matches no program.
bool ends_with(const bpf_program* program, const char* suffix) {
  return suffix != nullptr && std::string_view(bpf_program__name(program)).ends_with(suffix);
}

bool named(const bpf_map* map, std::string_view suffix) {
  return std::string_view(bpf_map__name(map)).ends_with(suffix);
}

}  // namespace

Result<> BpfProgram::Impl::prepare(const BpfProgramSpec& plan) {
  for (const auto& table : plan.tables) {
    auto* map = bpf_object__find_map_by_name(object, table.name);
    if (map == nullptr) return fail(ENOENT, Op::map, table.name);
    if (const int error = bpf_map__set_max_entries(map, table.rows); error != 0)
      return fail(-error, Op::map, table.name);
  }
  bpf_map* map = nullptr;
  bpf_object__for_each_map(map, object) {
    if (!named(map, ".rodata") || plan.constants.empty()) continue;
    if (const int error = bpf_map__set_initial_value(map, plan.constants.data(), plan.constants.size());
        error != 0)
      return fail(-error, Op::map, "constants");
  }
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, object) {
    if (ends_with(program, plan.without)) bpf_program__set_autoload(program, false);
  }
  return {};
}

Result<> BpfProgram::Impl::attach() {
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, object) {
    if (only_called(program) || !bpf_program__autoload(program)) continue;
    auto* link = bpf_program__attach(program);
    if (link == nullptr) return fail(errno, Op::watch, bpf_program__name(program));
    links.push_back(link);
  }
  return {};
}

Result<> BpfProgram::Impl::map_tables() {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  bpf_map* map = nullptr;
  bpf_object__for_each_map(map, object) {
    const bool mappable = (bpf_map__map_flags(map) & BPF_F_MMAPABLE) != 0;
    // libbpf tries whether the kernel can map a table. What fails then, even for want of memory, it takes for
    // a no.
    if (!mappable && named(map, ".bss")) return fail(EOPNOTSUPP, Op::map, "variables");
    if (named(map, ".rodata") || !mappable) continue;
    const std::size_t row = (std::size_t{bpf_map__value_size(map)} + 7) / 8 * 8;
    const std::size_t size = (row * bpf_map__max_entries(map) + page - 1) / page * page;
    void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);
    if (memory == MAP_FAILED) return fail(errno, Op::map, "table");
    mappings.push_back({bpf_map__name(map), {static_cast<std::byte*>(memory), size}});
  }
  return {};
}

BpfProgram::BpfProgram(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
BpfProgram::BpfProgram(BpfProgram&&) noexcept = default;
BpfProgram& BpfProgram::operator=(BpfProgram&&) noexcept = default;
BpfProgram::~BpfProgram() = default;

Result<BpfProgram> BpfProgram::load(const BpfProgramSpec& plan) {
  silence();
  auto impl = std::make_unique<Impl>();
  bpf_object_open_opts options{};
  options.sz = sizeof options;
  options.object_name = plan.name;
  impl->object = bpf_object__open_mem(plan.object.data(), plan.object.size(), &options);
  if (impl->object == nullptr) return fail(errno, Op::open, plan.name);
  if (const auto done = impl->prepare(plan); !done) return tl::unexpected(done.error());
  if (const int error = bpf_object__load(impl->object); error != 0) return fail(-error, Op::other, plan.name);
  if (const auto done = impl->map_tables(); !done) return tl::unexpected(done.error());
  if (const auto done = impl->attach(); !done) return tl::unexpected(done.error());
  return BpfProgram(std::move(impl));
}

std::span<std::byte> BpfProgram::mapped(const char* table) const {
  const auto found = std::ranges::find(impl_->mappings, table, &Mapping::table);
  return found == impl_->mappings.end() ? std::span<std::byte>() : found->memory;
}

std::span<std::byte> BpfProgram::variables() const {
  for (const auto& mapping : impl_->mappings)
    if (mapping.table.ends_with(".bss")) return mapping.memory;
  return {};
}

int BpfProgram::descriptor(const char* table) const {
  return bpf_object__find_map_fd_by_name(impl_->object, table);
}

int BpfProgram::callable(const char* program) const {
  const auto* found = bpf_object__find_program_by_name(impl_->object, program);
  return found == nullptr ? -1 : bpf_program__fd(found);
}

struct BpfRing::Impl {
  OnRecord take{};
  ring_buffer* ring = nullptr;

  explicit Impl(OnRecord with) : take(std::move(with)) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() { ring_buffer__free(ring); }
};

namespace {

int take_one(void* take, void* record, std::size_t size) {
  (*static_cast<BpfRing::OnRecord*>(take))({static_cast<const std::byte*>(record), size});
  return 0;
}

}  // namespace

BpfRing::BpfRing(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
BpfRing::BpfRing(BpfRing&&) noexcept = default;
BpfRing& BpfRing::operator=(BpfRing&&) noexcept = default;
BpfRing::~BpfRing() = default;

Result<BpfRing> BpfRing::open(int table, OnRecord take) {
  auto impl = std::make_unique<Impl>(std::move(take));
  impl->ring = ring_buffer__new(table, take_one, &impl->take, nullptr);
  if (impl->ring == nullptr) return fail(errno, Op::map, "ring buffer");
  return BpfRing(std::move(impl));
}

int BpfRing::fd() const { return ring_buffer__epoll_fd(impl_->ring); }

void BpfRing::read() { ring_buffer__consume(impl_->ring); }

std::uint32_t possible_cpus() {
  silence();
  const int count = libbpf_num_possible_cpus();
  return count < 0 ? 0 : static_cast<std::uint32_t>(count);
}

Result<> run_on_cpu(int program, std::uint32_t cpu) {
  bpf_test_run_opts options{};
  options.sz = sizeof options;
  options.flags = BPF_F_TEST_RUN_ON_CPU;
  options.cpu = cpu;
  if (bpf_prog_test_run_opts(program, &options) != 0) return fail(errno, Op::other, "program");
  return {};
}

Result<> put_row(int table, const void* key, const void* value) {
  if (bpf_map_update_elem(table, key, value, BPF_ANY) != 0) return fail(errno, Op::write, "table");
  return {};
}

Result<> remove_row(int table, const void* key) {
  if (bpf_map_delete_elem(table, key) != 0) return fail(errno, Op::write, "table");
  return {};
}

Result<std::uint32_t> drain_rows(int table, TableCursor& position, void* keys, void* values,
                                 std::uint32_t most) {
  if (position.ended) return 0U;
  std::uint32_t next = 0, count = most;
  const int failed = bpf_map_lookup_and_delete_batch(table, position.begun ? &position.at : nullptr, &next,
                                                     keys, values, &count, nullptr);
  if (failed != 0 && errno != ENOENT) return fail(errno, Op::read, "table");
  position = {.at = next, .begun = true, .ended = failed != 0};
  return count;
}

}  // namespace evenkeel::bpf
