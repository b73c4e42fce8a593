#include "collectors/node/numa_use.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "cgroup/base/text.h"
#include "collectors/node/parsers.h"

namespace evenkeel::node {
namespace {

std::optional<Bytes> used_of(std::string_view meminfo) {
  auto used = numa_meminfo(meminfo, "MemTotal:");
  for (const std::string_view name : {"MemFree:", "Active(file):", "Inactive(file):", "SReclaimable:"}) {
    const auto unused = numa_meminfo(meminfo, name);
    if (!used || !unused) return std::nullopt;
    // The kernel counts them one after the other: together they may be a little more than the total.
    used = std::max(*used - *unused, Bytes(0));
  }
  return used;
}

/// Absent: one of the CPUs has no line.
std::optional<CpuTime> time_of(const CpuSet& cpus, const std::vector<CpuUse>& uses) {
  std::int64_t ticks = 0;
  std::size_t found = 0;
  for (const auto& use : uses) {
    if (!cpus.contains(use.cpu)) continue;
    if (__builtin_add_overflow(ticks, use.ticks, &ticks)) return std::nullopt;
    ++found;
  }
  return found == cpus.size() ? std::optional(time_of_ticks(ticks)) : std::nullopt;
}

/// Absent: the node has neither CPUs nor memory, but a device only.
std::optional<NumaReading> read_node(const Host& host, std::int64_t number, const std::vector<CpuUse>& uses) {
  const auto directory = kNumaNodes + "/node" + std::to_string(number);
  const auto list = host.slurp(directory + "/cpulist"), meminfo = host.slurp(directory + "/meminfo");
  const auto cpus = list ? CpuSet::parse(*list) : std::nullopt;
  NumaReading out{.node = static_cast<int>(number)};
  if (cpus) {
    out.cpus = *cpus;
    out.cpu_time = time_of(*cpus, uses);
  }
  if (meminfo) {
    out.memory = used_of(*meminfo);
    if (cpus && cpus->empty() && numa_meminfo(*meminfo, "MemTotal:") == Bytes(0)) return std::nullopt;
  }
  return out;
}

/// The number after "N1=" in a line "anon N0=4096 N1=0".
std::optional<std::int64_t> share_of(Scanner line, int node) {
  const std::string name = "N" + std::to_string(node) + "=";
  for (auto word = line.word(); !word.empty(); word = line.word())
    if (word.starts_with(name)) return whole_number(word.substr(name.size()));
  return std::nullopt;
}

/// The sum over the lines of these names, each of which is there once. Absent: one is missing or malformed.
std::optional<std::int64_t> sum_of(std::string_view numa_stat, std::span<const std::string_view> names,
                                   int node) {
  std::int64_t sum = 0;
  std::size_t found = 0;
  for (Scanner scan(numa_stat); !scan.done();) {
    Scanner line(scan.line());
    const auto word = line.word();
    const auto equals = word.find('=');  // v1 has the total in the first word: "hierarchical_anon=3 N0=3"
    const auto name = equals == std::string_view::npos ? word : word.substr(0, equals + 1);
    if (std::ranges::find(names, name) == names.end()) continue;
    const auto share = share_of(line, node);
    if (!share || *share < 0 || __builtin_add_overflow(sum, *share, &sum)) return std::nullopt;
    ++found;
  }
  return found == names.size() ? std::optional(sum) : std::nullopt;
}

}  // namespace

std::vector<NumaReading> numa_readings(const Host& host) {
  std::vector<NumaReading> out;
  const auto names = host.subdirs(kNumaNodes);
  if (!names) return out;
  const auto stat = host.slurp("proc/stat");
  const auto uses = use_of_each_cpu(stat ? std::string_view(*stat) : std::string_view());
  for (const auto& name : *names) {
    const auto number = number_in_name(name, "node");
    if (!number || *number > INT32_MAX) continue;
    if (auto reading = read_node(host, *number, uses)) out.push_back(*reading);
  }
  std::ranges::sort(out, {}, &NumaReading::node);
  return out;
}

std::optional<Bytes> anonymous_in(std::string_view numa_stat, int node) {
  constexpr std::array<std::string_view, 3> kV2 = {"active_anon", "inactive_anon", "unevictable"};
  if (const auto bytes = sum_of(numa_stat, kV2, node)) return Bytes(*bytes);
  constexpr std::array<std::string_view, 2> kV1 = {"hierarchical_anon=", "hierarchical_unevictable="};
  const auto pages = sum_of(numa_stat, kV1, node);
  std::int64_t bytes = 0;
  if (!pages || __builtin_mul_overflow(*pages, ::sysconf(_SC_PAGESIZE), &bytes)) return std::nullopt;
  return Bytes(bytes);
}

}  // namespace evenkeel::node
