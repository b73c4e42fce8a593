// A service that waits for CPUs with given causes beside three best-effort pods, in ticks of a second, with
// the policy "interference" in control.
#pragma once

#include <algorithm>
#include <optional>
#include <random>
#include <vector>

#include "qos/registry.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel::test {

/// One service and three best-effort pods, each with one container, in ticks of a second.
class WaitingScene {
 public:
  WaitingScene() {
    using namespace literals;
    slo_.evenkeel.interference.enable = true;
    slo_.evenkeel.interference.act = true;
    auto builder = node().cpus(4);
    builder.pod("shop").ls().uses(800_mcpu).container("web").uses(800_mcpu).unlimited();
    for (const char* name : {"hog", "busy", "quiet"})
      builder.pod(name).be().uses(500_mcpu).unlimited().container("job").uses(500_mcpu).unlimited();
    node_ = builder.build();
    node_.run_queue.source = RunQueueSource::bpf;
  }

  /// Seconds of waiting per second, by cause.
  struct Waits {
    double hog = 0, busy = 0, own = 0;
    bool listed = true;  ///< the service's waits were measured
  };
  void run(Duration length, const Waits& waits, MilliCpu hog_uses = MilliCpu(500)) {
    using std::chrono::seconds;
    for (Duration passed{}; passed < length; passed += seconds(1)) {
      node_.at += seconds(1);
      node_.since_previous = seconds(1);
      node_.run_queue.waits.clear();
      node_.run_queue.blame.clear();
      const double noise = noise_(random_);
      const auto blame = [&](std::size_t pod, double share) {
        const auto time = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(share));
        if (time > Duration::zero())
          node_.run_queue.blame.push_back({container(0), container(pod), false, time});
        return time;
      };
      const Duration waited =
          blame(1, waits.hog * noise) + blame(2, waits.busy * noise) + blame(0, (waits.own + 0.005) * noise);
      if (waits.listed) node_.run_queue.waits.push_back({container(0), waited, 100, {}});
      pod_sample(1).cpu_use = hog_uses;
      intents_.clear();
      decide::decide_all(node_, slo_, state_, intents_);
      if (obeys_) obey(node_, intents_);
      for (const auto& event : state_.of<interference::InterferenceState>().events) events_.push_back(event);
    }
  }
  [[nodiscard]] CgroupId container(std::size_t pod) const {
    return node_.cgroup(node_.containers_of(node_.pods[pod]).front().cgroup)->id;
  }
  [[nodiscard]] CgroupId pod(std::size_t pod) const { return node_.cgroup(node_.pods[pod].cgroup)->id; }
  CgroupSample& pod_sample(std::size_t pod) {
    return node_.cgroups[static_cast<std::size_t>(node_.pods[pod].cgroup)];
  }
  /// Quota wanted for a cgroup in the last tick; absent: none.
  [[nodiscard]] std::optional<std::int64_t> quota_of(CgroupId cgroup) const {
    for (const decide::Intent& intent : intents_.all())
      if (intent.target == cgroup && intent.knob == Knob::cpu_quota && !intent.hold)
        return std::get<std::int64_t>(intent.value);
    return std::nullopt;
  }
  [[nodiscard]] std::size_t events(interference::InterferenceEvent::What what) const {
    return static_cast<std::size_t>(
        std::ranges::count(events_, what, &interference::InterferenceEvent::what));
  }
  [[nodiscard]] const interference::InterferenceState& state() const {
    return state_.of<interference::InterferenceState>();
  }

  bool obeys_ = true;  ///< the kernel applies what is wanted; false: another process's quotas stay
  NodeSlo slo_{};
  NodeSnapshot node_{};

 private:
  decide::PolicyState state_{};
  decide::Intents intents_{};
  std::vector<interference::InterferenceEvent> events_{};
  std::mt19937 random_{7};
  std::uniform_real_distribution<double> noise_{0.8, 1.2};
};

}  // namespace evenkeel::test
