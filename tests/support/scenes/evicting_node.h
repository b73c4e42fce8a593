// A node for eviction tests: pods by name, seconds that pass, and the pod chosen in them. A hundred CPUs and
// 100 GiB, all unused unless a test says otherwise.
#pragma once

#include <string>
#include <vector>

#include "qos/eviction/eviction.h"

namespace evenkeel::test {

constexpr Bytes operator""_GiB(unsigned long long v) { return Bytes(static_cast<std::int64_t>(v) << 30); }
constexpr Bytes operator""_GB(unsigned long long v) {
  return Bytes(static_cast<std::int64_t>(v) * 1'000'000'000);
}

class EvictingNode {
 public:
  NodeSlo slo{};
  eviction::EvictionState state{};
  NodeSnapshot node{};
  int second = 0;

  explicit EvictingNode(std::initializer_list<FeatureGate> gates) {
    using namespace literals;
    slo.threshold.enable = true;
    for (const FeatureGate gate : gates) slo.evenkeel.feature_gates[static_cast<std::size_t>(gate)] = true;
    node.pods_known = true;
    node.since_previous = std::chrono::seconds(1);
    node.node.cpu_capacity = 100'000_mcpu;
    node.node.cpu_use = 0_mcpu;
    node.node.memory = NodeMemory{.total = 100_GiB, .available = 100_GiB};
    CgroupSample besteffort;
    besteffort.kind = CgroupKind::qos_dir;
    besteffort.cpu_use = 0_mcpu;
    besteffort.applied.cpu_limit = CpuLimit{};
    node.cgroups.push_back(besteffort);
    node.besteffort = 0;
    specs_.reserve(64);  // the snapshot points into it
  }

  /// A running pod with a best-effort label.
  Pod& pod(const std::string& name) {
    Pod spec;
    spec.name = spec.uid = name;
    spec.namespace_ = "batch";
    spec.label_qos = QosClass::be;
    spec.phase = PodPhase::running;
    spec.containers.resize(1);
    specs_.push_back(spec);
    node.cgroups.emplace_back();
    node.pods.push_back(
        {.spec = &specs_.back(), .cgroup = static_cast<CgroupIndex>(node.cgroups.size() - 1)});
    return specs_.back();
  }
  /// The same, using that much memory.
  Pod& pod(const std::string& name, std::optional<Bytes> held, std::optional<int> priority = {}) {
    Pod& spec = pod(name);
    cgroup(name).memory.anonymous = held;
    spec.priority = priority;
    return spec;
  }
  CgroupSample& cgroup(const std::string& name) {
    return node.cgroups[static_cast<std::size_t>(sample(name).cgroup)];
  }
  CgroupSample& besteffort() { return node.cgroups.front(); }
  Resources& requests(const std::string& name) { return spec_of(name).containers.front().requests; }
  Pod& spec_of(const std::string& name) {
    for (auto& spec : specs_)
      if (spec.name == name) return spec;
    return specs_.front();
  }
  void gone(const std::string& name) {
    sample(name).cgroup = kNoCgroup;
    spec_of(name).terminating = true;
  }
  /// Bytes of memory in use on the node.
  void used(Bytes bytes) { node.node.memory->available = node.node.memory->total - bytes; }

  /// Advances by that many seconds, of which the agent sees only the last.
  std::optional<eviction::Eviction> decide(int after_seconds = 1) {
    second += after_seconds;
    node.at = MonoTime(std::chrono::seconds(second));
    return eviction::decide_eviction(node, slo, state);
  }
  /// The victim's name; empty: none.
  std::string victim(int after_seconds = 1) {
    const auto chosen = decide(after_seconds);
    return chosen ? chosen->name : "";
  }
  /// The first victim within that many seconds, each of which the agent sees.
  std::string victim_within(int seconds) {
    for (int i = 0; i < seconds; ++i)
      if (auto name = victim(); !name.empty()) return name;
    return "";
  }
  /// The verdict of the gate's first trigger of this name.
  [[nodiscard]] const eviction::EvictionVerdict& verdict(std::string_view trigger) const {
    std::size_t index = 0;
    while (eviction::eviction_triggers()[index]->name != trigger) ++index;
    return state.verdicts[index];
  }

 private:
  PodSample& sample(const std::string& name) {
    for (auto& one : node.pods)
      if (one.spec->name == name) return one;
    return node.pods.front();
  }
  std::vector<Pod> specs_{};
};

}  // namespace evenkeel::test
