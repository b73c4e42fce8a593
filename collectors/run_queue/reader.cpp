#include "collectors/run_queue/reader.h"

#include <unistd.h>

#include <algorithm>

#include "collectors/bpf/program.h"

namespace evenkeel::run_queue {
namespace {

constexpr std::uint32_t kBatch = 512;
constexpr const char* kReclaim = "_reclaim";  // suffix of the programs that measure direct reclaim

static_assert(kWaitHistogram == kWaitBuckets);

/// Written by the kernel while we read.
template <class T>
T now_in(const T& place) {
  return __atomic_load_n(&place, __ATOMIC_RELAXED);
}

/// By CPU: the other thread of its core, or the CPU itself if there is none.
std::vector<std::uint32_t> siblings(const CpuTopology& topology, std::uint32_t cpus) {
  std::vector<std::uint32_t> out(cpus);
  for (std::uint32_t cpu = 0; cpu < cpus; ++cpu) out[cpu] = cpu;
  for (const auto& one : topology.cpus)
    for (const auto& other : topology.cpus)
      if (one.core == other.core && one.id != other.id && static_cast<std::uint32_t>(one.id) < cpus)
        out[static_cast<std::size_t>(one.id)] = static_cast<std::uint32_t>(other.id);
  return out;
}

}  // namespace

CpuShare cpu_share(const NodeSample& node) {
  if (!node.cpu_use || !node.cpu_stolen || *node.cpu_use <= MilliCpu(0)) return {};
  return {.ran = *node.cpu_use, .of = clamped_sum(*node.cpu_use, *node.cpu_stolen)};
}

Result<RunQueueReader> RunQueueReader::start(const Environment& machine) {
  const auto cpus = bpf::possible_cpus();
  if (cpus == 0) return fail(ENODEV, Op::other, "possible CPUs");
  const auto slots = bpf::WatchedCgroups::slots_for(machine.cgroups);
  const auto sibling = siblings(*machine.topology, cpus);
  bool threads = false;
  for (std::uint32_t cpu = 0; cpu < cpus; ++cpu) threads |= sibling[cpu] != cpu;
  const auto [measure, brake] = machine.use;
  const RunQueueShape shape{.slots = slots,
                            .cpus = cpus,
                            .unified = machine.unified ? 1U : 0U,
                            .siblings = threads ? 1U : 0U,
                            .measure = measure ? 1U : 0U,
                            .brake = brake ? 1U : 0U};
  const bpf::BpfProgramSpec::Table tables[] = {
      {"watched", slots},
      {"cells", cpus * slots},
      {"cpus", cpus},
      {"sibling_of", cpus},
      {"blame", machine.pairs},
      {"brake_sides", brake ? slots : 1},
      {"brake_cells", brake ? cpus * slots : 1},
      {"brake_calls", static_cast<std::uint32_t>(::sysconf(_SC_PAGESIZE))}};
  auto program = bpf::BpfProgram::load({.name = "evenkeel_rq",
                                        .object = bpf::run_queue_object,
                                        .tables = tables,
                                        .constants = std::as_bytes(std::span(&shape, 1)),
                                        .without = measure ? nullptr : kReclaim});
  if (!program) return tl::unexpected(program.error());
  for (std::uint32_t cpu = 0; cpu < cpus; ++cpu)
    if (const auto put = bpf::put_row(program->descriptor("sibling_of"), &cpu, &sibling[cpu]); !put)
      return tl::unexpected(put.error());
  return RunQueueReader(std::move(*program), cpus, slots);
}

RunQueueReader::RunQueueReader(bpf::BpfProgram program, std::uint32_t cpus, std::uint32_t slots)
    : program_(std::move(program)), cpus_(cpus), slots_(slots), table_(program_, slots) {
  cells_ = program_.mapped("cells");
  cpu_rows_ = program_.mapped("cpus");
  blame_fd_ = program_.descriptor("blame");
  keys_.resize(kBatch);
  times_.resize(std::size_t{kBatch} * cpus);
}

std::size_t RunQueueReader::bytes() const { return cells_.size() + cpu_rows_.size(); }

const WaitCell& RunQueueReader::cell(std::uint32_t cpu, bpf::WatchSlot slot) const {
  const auto at = (std::size_t{cpu} * slots_ + slot) * sizeof(WaitCell);
  return *reinterpret_cast<const WaitCell*>(cells_.data() + at);
}

RunQueueReader::Sums RunQueueReader::sums(bpf::WatchSlot slot) const {
  Sums out;
  for (std::uint32_t cpu = 0; cpu < cpus_; ++cpu) {
    const auto& one = cell(cpu, slot);
    out.waited_ns += now_in(one.waited_ns);
    out.waits += now_in(one.waits);
    out.reclaim_ns += now_in(one.reclaim_ns);
    out.block_io_ns += now_in(one.block_io_ns);
  }
  return out;
}

void RunQueueReader::add_histogram(bpf::WatchSlot slot, Sums& sums) const {
  for (std::uint32_t cpu = 0; cpu < cpus_; ++cpu)
    for (std::size_t i = 0; i < kWaitBuckets; ++i) sums.histogram[i] += now_in(cell(cpu, slot).histogram[i]);
}

bool RunQueueReader::watch(std::span<const bpf::WatchedCgroup> cgroups, MonoTime now) {
  const bool all = table_.follow(cgroups, now);
  auto before = std::move(watched_);
  watched_.clear();
  watched_.reserve(cgroups.size());
  std::ranges::sort(before, {}, &Watched::id);
  for (const auto& cgroup : cgroups) {
    const auto old = std::ranges::lower_bound(before, cgroup.id, {}, &Watched::id);
    if (old != before.end() && old->id == cgroup.id) {
      watched_.push_back(*old);
    } else if (const auto slot = table_.slots().find(cgroup.id)) {
      Watched fresh{.id = cgroup.id, .slot = *slot, .seen = sums(*slot)};
      add_histogram(*slot, fresh.seen);
      for (std::size_t i = 0; i < 2; ++i) fresh.unnamed_ns[i] = unnamed_ns(*slot, i);
      watched_.push_back(fresh);
    }
  }
  return all;
}

void RunQueueReader::read_one(Watched& watched, RunQueueWait& wait, TaskStalls& stall) const {
  auto sum = sums(watched.slot);
  const auto& seen = watched.seen;
  wait.cgroup = stall.cgroup = watched.id;
  wait.waited = Duration(static_cast<std::int64_t>(sum.waited_ns - seen.waited_ns));
  wait.waits = static_cast<std::int64_t>(sum.waits - seen.waits);
  stall.reclaim = Duration(static_cast<std::int64_t>(sum.reclaim_ns - seen.reclaim_ns));
  stall.block_io = Duration(static_cast<std::int64_t>(sum.block_io_ns - seen.block_io_ns));
  if (wait.waits != 0) {
    add_histogram(watched.slot, sum);
    for (std::size_t i = 0; i < kWaitBuckets; ++i)
      watched.histogram[i] += static_cast<std::uint32_t>(sum.histogram[i] - seen.histogram[i]);
  } else {
    sum.histogram = seen.histogram;
  }
  wait.histogram = watched.histogram;
  watched.seen = sum;
}

void RunQueueReader::read(RunQueue& into, std::vector<TaskStalls>& stalls, const CpuShare& share) {
  share_ = share;
  into.waits.resize(watched_.size());
  stalls.resize(watched_.size());
  for (std::size_t i = 0; i < watched_.size(); ++i) read_one(watched_[i], into.waits[i], stalls[i]);
  read_blame(into);
  into.lost = total(&CpuRow::lost);
}

void RunQueueReader::record_blame(std::uint32_t key, std::span<const std::uint64_t> times) {
  const bpf::WatchSlot victim = key >> kRunnerBits & 0x7fffU, runner = key & 0xffffU;
  if (!table_.slots().alive(victim)) return;
  std::uint64_t time_ns = 0;
  for (const auto part : times) time_ns += part;
  pick_.add({.victim = table_.slots().owner(victim),
             .runner = table_.slots().owner(runner),
             .sibling = key >> kSiblingBit != 0,
             .time = ran(time_ns)});
}

Duration RunQueueReader::ran(std::uint64_t time_ns) const {
  return Duration(scaled(static_cast<std::int64_t>(time_ns), share_.ran.count(), share_.of.count()));
}

void RunQueueReader::read_blame(RunQueue& into) {
  bpf::TableCursor position;
  for (;;) {
    const auto count = bpf::drain_rows(blame_fd_, position, keys_.data(), times_.data(), kBatch);
    if (!count) break;
    for (std::uint32_t i = 0; i < *count; ++i)
      record_blame(keys_[i], std::span(times_).subspan(std::size_t{i} * cpus_, cpus_));
    if (position.ended) break;
  }
  record_unnamed();
  pick_.emit(into);
}

std::uint64_t RunQueueReader::unnamed_ns(bpf::WatchSlot slot, std::size_t sibling) const {
  std::uint64_t sum = 0;
  for (std::uint32_t cpu = 0; cpu < cpus_; ++cpu) sum += now_in(cell(cpu, slot).unnamed_ns[sibling]);
  return sum;
}

/// There were more pairs than the kernel's table holds: of the others only the victim is known.
void RunQueueReader::record_unnamed() {
  const auto times = total(&CpuRow::unnamed);
  if (times == unnamed_) return;
  unnamed_ = times;
  for (Watched& watched : watched_)
    for (std::size_t i = 0; i < 2; ++i) {
      const auto now = unnamed_ns(watched.slot, i);
      const auto time = ran(now - watched.unnamed_ns[i]);
      watched.unnamed_ns[i] = now;
      if (time > Duration::zero())
        pick_.add_rest({.victim = watched.id, .sibling = i == 1, .pairs = 1, .time = time});
    }
}

std::uint64_t RunQueueReader::total(unsigned long long CpuRow::*what) const {
  std::uint64_t sum = 0;
  for (std::uint32_t cpu = 0; cpu < cpus_; ++cpu)
    sum += now_in(reinterpret_cast<const CpuRow*>(cpu_rows_.data())[cpu].*what);
  return sum;
}

}  // namespace evenkeel::run_queue
