// A node's advertised resources over time, for tests: the lendable amounts are given, not computed, and every
// write takes effect at once.
#pragma once

#include <string>
#include <vector>

#include "qos/lending/advertised.h"

namespace evenkeel::test {

inline constexpr std::int64_t kGib = std::int64_t{1} << 30;

struct AdvertisingNode {
  lending::Lendable lendable{};
  RecentUsage usage{};
  NodeObject object{};
  std::vector<Pod> pods{};
  ColocationStrategy strategy{};
  lending::AdvertiseState state{};
  MonoTime now{};
  bool pods_known = true;

  AdvertisingNode() {
    strategy.enable = true;
    lend(25000);
  }
  void lend(std::int64_t cpu, std::int64_t memory = 33 * kGib) {
    lendable.batch_cpu = MilliCpu(cpu);
    lendable.batch_memory = Bytes(memory);
    lendable.mid_cpu = MilliCpu(0);
    lendable.mid_memory = Bytes(0);
  }
  void unknown(const std::string& why) {
    lendable = {};
    lendable.lacks = {why, why, why, why};
  }
  void pod_holding(std::int64_t cpu, std::int64_t memory) {
    Pod pod;
    pod.phase = PodPhase::running;
    pod.containers.resize(1);
    pod.containers[0].requests.batch_cpu = MilliCpu(cpu);
    pod.containers[0].requests.batch_memory = Bytes(memory);
    pods.push_back(std::move(pod));
  }
  /// Advances the time, with a fresh measurement at its end unless measurements are off.
  lending::Advertised after(Duration passed, bool measured = true) {
    now += passed;
    if (measured) usage.newest = now;
    auto out = lending::advertise({lendable, usage, object, pods, strategy, now, pods_known}, state);
    if (out.write) lending::written(out, now, state);
    return out;
  }
};

/// The text about the first resource that has one.
inline std::string first_clause(const lending::Advertised& out) {
  return out.why.substr(0, out.why.find("; "));
}

}  // namespace evenkeel::test
