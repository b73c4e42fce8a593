#include "qos/cpu/pinning/reserved_cpus.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace evenkeel::pinning {
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

}  // namespace evenkeel::pinning
