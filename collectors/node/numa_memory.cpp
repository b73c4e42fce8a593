#include "collectors/node/numa_memory.h"

#include <algorithm>
#include <string>

#include "cgroup/base/text.h"
#include "collectors/node/parsers.h"

namespace evenkeel::node {
namespace {

struct Pools {
  Bytes all{}, of_1gib{}, of_2mib{};
};

/// A directory with one pool of huge pages of each size.
std::optional<Pools> pools_in(const Host& host, const std::string& directory) {
  constexpr Bytes kGib(1LL << 30), kTwoMib(2LL << 20);
  Pools out;
  const auto names = host.subdirs(directory);
  if (!names) return out;  // a kernel without huge pages
  for (const auto& name : *names) {
    const auto page = hugepage_size(name);
    if (!page) continue;
    const auto text = host.slurp(directory + '/' + name + "/nr_hugepages");
    const auto count = text ? whole_number(*text) : std::nullopt;
    std::int64_t bytes = 0;
    if (!count || *count < 0 || __builtin_mul_overflow(*count, page->count(), &bytes)) return std::nullopt;
    out.all += Bytes(bytes);
    if (*page == kGib) out.of_1gib = Bytes(bytes);
    if (*page == kTwoMib) out.of_2mib = Bytes(bytes);
  }
  return out;
}

std::optional<NumaMemory> without_pools(std::optional<Bytes> total, const std::optional<Pools>& pools) {
  if (!total || !pools || pools->all > *total) return std::nullopt;
  return NumaMemory{*total - pools->all, pools->of_1gib, pools->of_2mib};
}

std::optional<NumaMemory> of_node(const Host& host, std::size_t number) {
  const auto node = kNumaNodes + "/node" + std::to_string(number);
  const auto text = host.slurp(node + "/meminfo");
  return without_pools(text ? numa_meminfo(*text, "MemTotal:") : std::nullopt,
                       pools_in(host, node + "/hugepages"));
}

std::optional<NumaMemory> of_machine(const Host& host) {
  const auto text = host.slurp("proc/meminfo");
  const auto memory = text ? parse_meminfo(*text) : std::nullopt;
  return without_pools(memory ? std::optional(memory->total) : std::nullopt,
                       pools_in(host, "sys/kernel/mm/hugepages"));
}

}  // namespace

std::optional<Bytes> numa_meminfo(std::string_view text, std::string_view name) {
  for (Scanner scan(text); !scan.done();) {
    Scanner line(scan.line());
    static_cast<void>(line.word());
    static_cast<void>(line.word());
    if (line.word() != name) continue;
    const auto kib = line.number();
    if (!kib || *kib < 0 || *kib > INT64_MAX / 1024) return std::nullopt;
    return Bytes(*kib * 1024);
  }
  return std::nullopt;
}

std::optional<std::vector<NumaMemory>> numa_memory(const Host& host) {
  std::size_t count = 0;
  if (const auto names = host.subdirs(kNumaNodes))
    for (const auto& name : *names) count += number_in_name(name, "node") ? 1 : 0;
  std::vector<NumaMemory> out;
  for (std::size_t number = 0; number < std::max<std::size_t>(count, 1); ++number) {
    const auto memory = count == 0 ? of_machine(host) : of_node(host, number);
    if (!memory) return std::nullopt;
    out.push_back(*memory);
  }
  return out;
}

}  // namespace evenkeel::node
