// Builds a node with lendable resources in one expression; amounts in whole CPUs and decimal gigabytes, as in
// Koordinator:
//   LendingNode().capacity(100, 120).system(7, 12).pod("a").qos(QosClass::ls).requests(20, 20).uses(11, 11)
// `qos`, `requests`, `uses`, … apply to the last named pod.
#pragma once

#include <string>
#include <vector>

#include "qos/lending/lendable.h"

namespace evenkeel::test {

constexpr MilliCpu cpus(double count) { return MilliCpu(static_cast<std::int64_t>(count * 1000)); }
constexpr Bytes gb(double count) { return Bytes(static_cast<std::int64_t>(count * 1e9)); }

struct LendingNode {
  NodeObject object{};
  NodeSample node{.memory = NodeMemory{}};
  std::vector<Pod> pods{};
  RecentUsage usage{};
  ColocationStrategy strategy{};
  std::optional<Usage> prod_reclaimable{};
  bool pods_known = true;

  // The node.
  LendingNode& capacity(double cpu, double memory);  ///< also the allocatable amount
  LendingNode& allocatable(double cpu, double memory);
  LendingNode& reserves(double cpu, double memory);  ///< by annotation
  LendingNode& system(double cpu, double memory);
  LendingNode& uses_in_all(double cpu, double memory);
  LendingNode& reclaimable(double cpu, double memory);
  LendingNode& host_application(PriorityClass priority, double cpu, double memory);
  LendingNode& gone(PriorityClass priority, double cpu, double memory);  ///< a pod in the measurements only

  // The strategy.
  LendingNode& thresholds(std::int64_t cpu, std::int64_t memory);
  LendingNode& policies(const char* cpu, const char* memory);

  // Pods; a new one is running and not measured.
  LendingNode& pod(const std::string& uid);
  LendingNode& qos(QosClass qos);
  LendingNode& priority(PriorityClass priority);
  LendingNode& phase(PodPhase phase);
  LendingNode& requests(double cpu, double memory);
  LendingNode& uses(double cpu, double memory);
  LendingNode& on_numa(std::vector<int> nodes);

  [[nodiscard]] lending::LendInput input() const;
  [[nodiscard]] lending::Lendable lend() const { return lending::lendable(input()); }
  [[nodiscard]] lending::ZoneLendables lend_zones(const std::vector<lending::Zone>& zones) const {
    return lending::lendable_zones(input(), zones);
  }
};

/// The node of the worked examples: 100 CPUs and 120 GB, all allocatable; the system uses 7 and 12; an LS pod
/// requests 20 and 20 and uses 11 and 11, a BE pod requests 10 and 10 and uses all, one without a label
/// requests 20 and 40 and uses 22 and 22.
LendingNode worked_example();

}  // namespace evenkeel::test
