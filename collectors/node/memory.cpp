#include <array>
#include <string>
#include <vector>

#include "cgroup/base/host.h"
#include "cgroup/base/text.h"
#include "collectors/base/collector.h"
#include "collectors/node/parsers.h"

namespace evenkeel::node {
namespace {

constexpr std::array<std::string_view, 1> kFiles = {"proc/meminfo"};
constexpr const char* kPools = "sys/kernel/mm/hugepages";

using Number = std::optional<std::int64_t>;

Number product(Number a, Number b) {
  std::int64_t out = 0;
  if (!a || !b || *a < 0 || *b < 0 || __builtin_mul_overflow(*a, *b, &out)) return std::nullopt;
  return out;
}

struct Field {
  std::string_view name;
  Number& value;
};

void take(std::string_view text, std::span<const Field> fields) {
  for_each_key(text, [&](std::string_view key, std::int64_t value) {
    for (const auto& field : fields)
      if (key == field.name) field.value = value;
  });
}

struct Pool {
  Bytes page{};
  ReadFile count{};
};

std::vector<Pool> pools(const Host& host) {
  std::vector<Pool> out;
  const auto names = host.subdirs(kPools);
  if (!names) return out;
  for (const auto& name : *names) {
    const auto page = hugepage_size(name);
    if (!page) continue;
    out.push_back(Pool{*page, ReadFile(std::string(kPools) + '/' + name + "/nr_hugepages", Hold::kept)});
  }
  return out;
}

class NodeMemoryCollector final : public collectors::Collector {
 public:
  explicit NodeMemoryCollector(const Host& host) : pools_(pools(host)) {}

  void collect(collectors::Tick& tick) override {
    auto& memory = tick.node.node.memory;
    const auto text = meminfo_.read(tick.host, tick.buffer);
    memory = text ? parse_meminfo(*text) : std::nullopt;
    if (!memory) return;
    if (const auto reserved = reserved_by_pools(tick, memory->total)) memory->hugepages = *reserved;
  }

 private:
  /// Absent if there is no pool, or if one's numbers are implausible: then meminfo's value is used.
  std::optional<Bytes> reserved_by_pools(collectors::Tick& tick, Bytes total) {
    Bytes sum{};
    for (auto& pool : pools_) {
      const auto text = pool.count.read(tick.host, tick.buffer);
      const auto bytes = product(text ? whole_number(*text) : std::nullopt, pool.page.count());
      if (!bytes || Bytes(*bytes) > total - sum) return std::nullopt;
      sum += Bytes(*bytes);
    }
    return pools_.empty() ? std::nullopt : std::optional(sum);
  }

  ReadFile meminfo_{std::string(kFiles[0]), Hold::kept};
  std::vector<Pool> pools_;
};

}  // namespace

std::optional<NodeMemory> parse_meminfo(std::string_view text) {
  Number total, available, free, active, inactive, pages, page_kib, swap;
  const Field fields[] = {
      {"MemTotal:", total},        {"MemAvailable:", available},  {"MemFree:", free},
      {"Active(file):", active},   {"Inactive(file):", inactive}, {"HugePages_Total:", pages},
      {"Hugepagesize:", page_kib}, {"SwapTotal:", swap}};
  take(text, fields);
  const auto bytes = [](Number kib) {
    const auto value = product(kib, 1024);
    return value ? std::optional(Bytes(*value)) : std::nullopt;
  };
  const auto all = bytes(total), to_be_had = bytes(available);
  if (!all || !to_be_had || all->count() == 0 || *to_be_had > *all) return std::nullopt;
  NodeMemory out{.total = *all, .available = *to_be_had, .free = bytes(free)};
  const auto hot = bytes(active), cold = bytes(inactive);
  if (hot && cold && *hot <= *all && *cold <= *all) out.page_cache = *hot + *cold;
  out.swap_total = bytes(swap);
  const auto pool = bytes(product(pages, page_kib));
  if (pool && *pool <= *all) out.hugepages = *pool;
  return out;
}

std::optional<Bytes> hugepage_size(std::string_view directory) {
  Scanner name(directory);
  if (!name.eat("hugepages-")) return std::nullopt;
  const auto bytes = product(name.number(), 1024);
  if (!bytes || name.rest() != "kB") return std::nullopt;
  return Bytes(*bytes);
}

extern const collectors::CollectorSpec node_memory_collector;
const collectors::CollectorSpec node_memory_collector{
    "node-memory", kFiles, [](const Host& host) { return 1 + pools(host).size(); },
    [](const Host& host) -> std::unique_ptr<collectors::Collector> {
      return std::make_unique<NodeMemoryCollector>(host);
    }};

}  // namespace evenkeel::node
