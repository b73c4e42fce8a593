#include "qos/model/capacity.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

namespace evenkeel {
namespace {

template <class Q>
std::optional<Q> smaller(const std::optional<Q>& a, const std::optional<Q>& b) {
  return a && b ? std::min(*a, *b) : a ? a : b;
}

template <class Q>
Q difference(const std::optional<Q>& whole, const std::optional<Q>& part) {
  return whole && part ? std::max(clamped_difference(*whole, *part), Q{}) : Q{};
}

std::optional<MilliCpu> online(const NodeSample& node) {
  return node.cpu_capacity > MilliCpu{} ? std::optional(node.cpu_capacity) : std::nullopt;
}
std::optional<Bytes> total(const NodeSample& node) {
  return node.memory && node.memory->total > Bytes{} ? std::optional(node.memory->total) : std::nullopt;
}

const std::optional<MilliCpu>& unamplified_cpu(const NodeObject& object) {
  return object.cpu_raw_allocatable ? object.cpu_raw_allocatable : object.cpu_allocatable;
}
const std::optional<Bytes>& unamplified_memory(const NodeObject& object) {
  return object.memory_raw_allocatable ? object.memory_raw_allocatable : object.memory_allocatable;
}

}  // namespace

MilliCpu cpu_capacity(const NodeObject& object, const NodeSample& node) {
  return smaller(object.cpu_capacity, online(node)).value_or(MilliCpu{});
}

std::optional<Bytes> memory_capacity(const NodeObject& object, const NodeSample& node) {
  if (!node.memory) return std::nullopt;
  const auto whole = smaller(object.memory_capacity, total(node));
  return whole ? std::optional(difference(whole, std::optional(node.memory->hugepages))) : std::nullopt;
}

std::optional<MilliCpu> cpu_allocatable(const NodeObject& object, const NodeSample& node) {
  const auto& said = unamplified_cpu(object);
  return said ? smaller(said, online(node)) : said;
}

std::optional<Bytes> memory_allocatable(const NodeObject& object, const NodeSample& node) {
  const auto& said = unamplified_memory(object);
  return said ? smaller(said, memory_capacity(object, node)) : said;
}

MilliCpu kubelet_reserved_cpu(const NodeObject& object, const NodeSample& node) {
  return difference(object.cpu_capacity ? object.cpu_capacity : online(node), unamplified_cpu(object));
}

Bytes kubelet_reserved_memory(const NodeObject& object, const NodeSample& node) {
  return difference(object.memory_capacity ? object.memory_capacity : total(node),
                    unamplified_memory(object));
}

std::optional<BitRate> network_bandwidth(const SystemStrategy& strategy) {
  const auto& total = strategy.total_network_bandwidth;
  return total != BitRate{} ? total : std::nullopt;
}

namespace {

/// The number of the part of the machine (NUMA node, socket, core) to which a CPU belongs.
using Part = int CpuInfo::*;

std::size_t parts_in(const std::vector<CpuInfo>& cpus, Part part) {
  std::set<int> numbers;
  for (const auto& cpu : cpus) numbers.insert(cpu.*part);
  return numbers.size();
}

class Taking {
 public:
  Taking(const CpuTopology& topology, std::size_t count)
      : all_(topology.cpus), left_(topology.cpus), need_(count) {
    if (parts_in(all_, &CpuInfo::socket) < parts_in(all_, &CpuInfo::numa)) std::swap(levels_[0], levels_[1]);
  }
  CpuSet take() {
    for (std::size_t level = 0; level < levels_.size(); ++level) take_whole(level);
    take_single();
    return taken_;
  }

 private:
  [[nodiscard]] static std::size_t size(const std::vector<CpuInfo>& cpus, Part part, int number) {
    return static_cast<std::size_t>(std::ranges::count(cpus, number, part));
  }
  /// The parts of one level with CPUs left: in the order of the parts that contain them; there those with the
  /// fewest CPUs left first, then by number.
  [[nodiscard]] std::vector<int> order(std::size_t level) const {
    if (level == 0) return sorted(level, left_);
    std::vector<int> out;
    for (const int outer : order(level - 1)) {
      std::vector<CpuInfo> inside;
      std::ranges::copy_if(left_, std::back_inserter(inside),
                           [&](const CpuInfo& cpu) { return cpu.*levels_[level - 1] == outer; });
      const auto inner = sorted(level, inside);
      out.insert(out.end(), inner.begin(), inner.end());
    }
    return out;
  }
  [[nodiscard]] std::vector<int> sorted(std::size_t level, const std::vector<CpuInfo>& among) const {
    std::set<std::pair<std::size_t, int>> ranked;
    for (const auto& cpu : among)
      ranked.emplace(size(left_, levels_[level], cpu.*levels_[level]), cpu.*levels_[level]);
    std::vector<int> out;
    out.reserve(ranked.size());
    for (const auto& [count, number] : ranked) out.push_back(number);
    return out;
  }
  /// Of sockets and cores the kubelet expects that all have the same size, and passes over others.
  [[nodiscard]] bool is_whole(Part part, int number) const {
    const auto expected =
        part == &CpuInfo::numa ? size(all_, part, number) : all_.size() / parts_in(all_, part);
    return size(left_, part, number) == expected;
  }
  void take_whole(std::size_t level) {
    const Part part = levels_[level];
    for (const int number : order(level)) {
      if (!is_whole(part, number) || size(all_, part, number) > need_) continue;
      take_if([&](const CpuInfo& cpu) { return cpu.*part == number; });
    }
  }
  void take_single() {
    for (const int core : order(levels_.size() - 1)) {
      std::vector<CpuId> threads;
      for (const auto& cpu : left_)
        if (cpu.core == core) threads.push_back(cpu.id);
      for (const CpuId id : threads)
        if (need_ > 0) take_if([&](const CpuInfo& cpu) { return cpu.id == id; });
    }
  }
  template <class Wanted>
  void take_if(Wanted wanted) {
    for (const auto& cpu : left_)
      if (wanted(cpu)) taken_.add(cpu.id);
    need_ -= std::erase_if(left_, wanted);
  }

  const std::vector<CpuInfo>& all_;
  std::vector<CpuInfo> left_;
  std::size_t need_;
  /// The larger parts first; cores are in whatever is second.
  std::array<Part, 3> levels_ = {&CpuInfo::numa, &CpuInfo::socket, &CpuInfo::core};
  CpuSet taken_{};
};

}  // namespace

std::optional<CpuSet> first_cpus(const CpuTopology& topology, std::size_t count) {
  if (count > topology.cpus.size()) return std::nullopt;
  return Taking(topology, count).take();
}

std::optional<CpuSet> first_cpus(const CpuTopology& topology, const std::optional<MilliCpu>& amount) {
  constexpr std::int64_t kCpu = 1000;
  if (!amount || *amount <= MilliCpu{}) return std::nullopt;
  return first_cpus(topology, static_cast<std::size_t>((amount->count() + kCpu - 1) / kCpu));
}

std::optional<CpuSet> node_reserved(const NodeObject& object, const CpuTopology& topology) {
  return object.reserved_cpus ? object.reserved_cpus : first_cpus(topology, object.reserved_cpu);
}

void ReservedCpus::update(NodeSnapshot& node) {
  const Inputs inputs{node.object.reserved_cpus, node.object.reserved_cpu, node.topology.online};
  if (inputs == inputs_) return;
  inputs_ = inputs;
  node.reserved_cpus = node_reserved(node.object, node.topology).value_or(CpuSet{});
}

}  // namespace evenkeel
