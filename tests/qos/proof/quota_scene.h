// A service whose waits depend on a quota that proof tests, in ticks of a second.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

#include "qos/proof/proof.h"
#include "qos/registry.h"
#include "tests/support/scenes/intents.h"
#include "tests/support/scenes/one_policy.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel::test {

/// A service beside a best-effort pod under suppression by quota, in ticks of a second. What the service
/// waits is random, and `with_lever` times as long while the lever was in force.
class QuotaScene {
 public:
  explicit QuotaScene(unsigned seed = 1) : random_(seed) {
    slo_->threshold.enable = true;
    slo_->threshold.cpu_suppress_policy = SuppressPolicy::cfs_quota;
    slo_->evenkeel.proof.enable = true;
    auto builder = node().cpus(16).uses(MilliCpu(8000)).besteffort().unlimited().cpuset("0-15");
    builder.pod("shop").ls().uses(MilliCpu(2000)).container("web").uses(MilliCpu(2000));
    builder.pod("job")
        .be()
        .uses(MilliCpu(4000))
        .unlimited()
        .cpuset("0-15")
        .container("main")
        .uses(MilliCpu(4000))
        .cpuset("0-15");
    node_ = builder.build();
    node_.slo = slo_;
    node_.run_queue.source = RunQueueSource::bpf;
    node_.at = MonoTime(std::chrono::seconds(1000));
  }

  /// What the next tick measures. The kernel does what the intents of the tick before said.
  void measure(double with_lever, std::int64_t waits) {
    node_.at += std::chrono::seconds(1);
    node_.since_previous = std::chrono::seconds(1);
    const double wait_us = usual_us_ * std::exp(noise_(random_)) * (in_force_ ? with_lever : 1);
    for (std::int64_t i = 0; i < waits; ++i)
      ++histogram_[static_cast<std::size_t>(
          std::max(0.0, std::ceil(std::log2(wait_us * (i % 50 == 0 ? 2 : 0.5)))))];
    const auto waited = std::chrono::duration_cast<Duration>(
        std::chrono::duration<double, std::micro>(wait_us * static_cast<double>(waits)));
    node_.run_queue.waits = {{service(), waited, waits, histogram_}};
  }
  void tick(double with_lever, std::int64_t waits = 1000) {
    measure(with_lever, waits);
    intents_.clear();
    decide::decide_all(node_, *slo_, state_, intents_);
    in_force_ = wants(Knob::cpu_quota);
    withheld_ += in_force_ ? 0 : 1;
    for (const auto& event : proof().events) events_.push_back(event);
  }
  /// Of the policies only proof, beside a quota, in the trouble that others have found.
  void tick_in_trouble(bool brakes, bool misses, double with_lever = 1) {
    measure(with_lever, 1000);
    state_.shared.of<decide::BrakeInForce>().cpu = brakes;
    auto& objectives = state_.shared.of<decide::ServiceObjectives>();
    objectives.in_force = true;
    objectives.move =
        misses ? decide::ServiceObjectives::Move::shrink : decide::ServiceObjectives::Move::hold;
    intents_.clear();
    intents_.set_policy(rank_of("cpu-suppress"));
    intents_.want(service(), Knob::cpu_quota, 100000, because("as if by cpu-suppress"));
    decide_one(proof::proof_policy, node_, *slo_, state_, intents_);
    in_force_ = wants(Knob::cpu_quota);
    withheld_ += in_force_ ? 0 : 1;
  }
  void run(int ticks, double with_lever) {
    for (int i = 0; i < ticks; ++i) tick(with_lever);
  }
  /// How many ticks pass until the verdict on the quota; at most `most`.
  int until_decided(double with_lever, int most) {
    for (int i = 1; i <= most; ++i) {
      tick(with_lever);
      if (verdict() != proof::Verdict::unknown) return i;
    }
    return most + 1;
  }
  void configure_otherwise() { ++slo_->fingerprint; }

  [[nodiscard]] bool wants(Knob knob) const {
    return std::ranges::any_of(intents_.all(), [&](const auto& intent) { return intent.knob == knob; });
  }
  [[nodiscard]] const Reason* withheld_because() const {
    const auto* how = intents_.withheld(rank_of("cpu-suppress"));
    return how == nullptr ? nullptr : &how->why;
  }
  [[nodiscard]] const proof::ProofState& proof() const { return state_.of<proof::ProofState>(); }
  [[nodiscard]] proof::Verdict verdict(std::size_t lever = proof::kBesteffortQuota) const {
    return proof().evidence[lever].verdict;
  }
  [[nodiscard]] CgroupId service() const {
    return node_.cgroup(node_.containers_of(node_.pods[0]).front().cgroup)->id;
  }

  std::shared_ptr<NodeSlo> slo_ = std::make_shared<NodeSlo>();
  NodeSnapshot node_{};
  decide::PolicyState state_{};
  int withheld_ = 0;
  double usual_us_ = 100;  ///< that the service waits
  std::vector<proof::ProofEvent> events_{};

 private:
  decide::Intents intents_{};
  bool in_force_ = false;
  std::array<std::uint64_t, kWaitBuckets> histogram_{};
  std::mt19937 random_;
  std::normal_distribution<double> noise_{0, 0.3};
};

}  // namespace evenkeel::test
