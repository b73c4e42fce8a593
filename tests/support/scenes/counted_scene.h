// A service with given cycles per instruction beside three best-effort pods, in ticks of a second, with the
// policy "interference" in control.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <random>
#include <vector>

#include "qos/registry.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel::test {

class CountedScene {
 public:
  static constexpr std::size_t kShop = 0, kHog = 1, kOther = 2, kQuiet = 3;

  CountedScene() {
    using namespace literals;
    auto& settings = slo.evenkeel.interference;
    settings.enable = settings.act = true;
    settings.counter_window = settings.counter_period = std::chrono::seconds(10);
    auto builder = test::node().cpus(4);
    builder.pod("shop").ls().uses(800_mcpu).container("web").uses(800_mcpu).unlimited();
    for (const char* name : {"hog", "other", "quiet"})
      builder.pod(name).be().uses(50_mcpu).unlimited().container("job").uses(50_mcpu).unlimited();
    node = builder.build();
  }

  /// Cycles per instruction as a function of what is in effect; evaluated each second.
  using Truth = std::function<double(const CountedScene&)>;
  void run(Duration length, const Truth& truth) {
    using std::chrono::seconds;
    for (Duration passed{}; passed < length; passed += seconds(1)) {
      node.at += seconds(1);
      node.since_previous = seconds(1);
      node.cpu_counts.clear();
      sum_ += truth(*this) * noise_(random_);
      const Duration period = slo.evenkeel.interference.counter_period;
      if (++ticks_ % (period / seconds(1)) == 0) {
        CpuCounts counts{.cgroup = container(kShop), .window = period};
        counts.cpu_use = MilliCpu(800);
        counts.cycles = static_cast<std::int64_t>(sum_ / std::chrono::duration<double>(period).count() * 1e9);
        counts.instructions = 1'000'000'000;
        counts.counted_share = 1;
        node.cpu_counts.push_back(counts);
        sum_ = 0;
      }
      intents.clear();
      decide::decide_all(node, slo, state, intents);
      if (obeys) obey(node, intents);
      for (const auto& one : state.of<interference::InterferenceState>().events) events_.push_back(one.what);
    }
  }
  /// What "proof" has found about quotas on best effort. It takes effect in the next tick but one.
  void judge_quotas(proof::Verdict verdict) {
    slo.evenkeel.proof.enable = true;
    auto& found = state.of<proof::ProofState>();
    found.configuration = slo.fingerprint;
    found.evidence[proof::kBesteffortQuota].verdict = verdict;
  }
  /// A pod's use when it is not limited.
  void uses(std::size_t pod, MilliCpu cpu) { sample(pod).cpu_use = cpu; }
  CgroupSample& sample(std::size_t pod) {
    return node.cgroups[static_cast<std::size_t>(node.pods[pod].cgroup)];
  }
  [[nodiscard]] CgroupId id(std::size_t pod) const { return node.cgroup(node.pods[pod].cgroup)->id; }
  [[nodiscard]] CgroupId container(std::size_t pod) const {
    return node.cgroup(node.containers_of(node.pods[pod]).front().cgroup)->id;
  }
  /// The value wanted for a pod in the last tick; absent: none.
  [[nodiscard]] std::optional<std::int64_t> intent(std::size_t pod, Knob knob) const {
    for (const decide::Intent& intent : intents.all())
      if (intent.target == id(pod) && intent.knob == knob && !intent.hold)
        return std::get<std::int64_t>(intent.value);
    return std::nullopt;
  }
  [[nodiscard]] bool is_held_back(std::size_t pod) const { return intent(pod, Knob::cpu_quota).has_value(); }
  [[nodiscard]] std::size_t events(interference::InterferenceEvent::What what) const {
    return static_cast<std::size_t>(std::ranges::count(events_, what));
  }

  /// The kernel applies what is wanted; false: another process's quotas stay.
  bool obeys = true;
  NodeSlo slo{};
  NodeSnapshot node{};
  decide::PolicyState state{};
  decide::Intents intents{};

 private:
  std::vector<interference::InterferenceEvent::What> events_{};
  std::mt19937 random_{7};
  std::uniform_real_distribution<double> noise_{0.95, 1.05};
  double sum_ = 0;
  int ticks_ = 0;
};

}  // namespace evenkeel::test
