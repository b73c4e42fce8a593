#include "qos/cpu/suppress/suppress.h"

#include <utility>

namespace evenkeel::suppress {
namespace {

bool enabled(const NodeSlo& slo) { return slo.threshold.enable; }

void decide(const NodeSnapshot& node, const NodeSlo& slo, decide::PolicyState& state, decide::Intents& out) {
  if (shares_allowance(node)) return suppress_shared(node, slo, state.cpu_suppress, out);
  state.cpu_suppress.shares.clear();
  state.cpu_suppress.shared.reset();
  if (node.besteffort == kNoCgroup) return;
  if (slo.threshold.cpu_suppress_policy == SuppressPolicy::cfs_quota)
    suppress_by_quota(node, slo, state.cpu_suppress, out);
  else
    suppress_by_cpuset(node, slo, state.cpu_suppress, out);
}

void reset(decide::PolicyState& state) {
  auto narrowed = std::move(state.cpu_suppress.narrowed);
  state.cpu_suppress = {.narrowed = std::move(narrowed), .narrowing = state.cpu_suppress.narrowing};
}

}  // namespace

Reason suppress_reason(const SuppressStep& step, const SuppressTarget& target) {
  const auto say = [&](const char* sentence) {
    return because(sentence, step.allowance, target.allowed, target.capacity, target.services, target.system,
                   target.target);
  };
  switch (step.move) {
    case SuppressMove::cut:
    case SuppressMove::raise:
      return say("best effort may use {}: {} of {} are the threshold, services use {}, the system {}");
    case SuppressMove::raise_part:
      return say(
          "best effort may use {} for now, growing by a tenth of the node per second: {} of {} are the "
          "threshold, "
          "services use {}, the system {}, which leaves {}");
    case SuppressMove::to_minimum:
      return say(
          "best effort is held at its minimum, {}: {} of {} are the threshold, services use {}, the system "
          "{}, "
          "which leaves {}");
    case SuppressMove::keep:
      break;
  }
  return say(
      "best effort keeps {}: {} of {} are the threshold, services use {}, the system {}, which leaves {}, "
      "too "
      "little a difference or too short a time for a change");
}

constinit const decide::PolicySpec cpu_suppress_policy{
    "cpu-suppress", "best effort gets the CPU that services leave below the threshold", enabled, decide,
    reset};

}  // namespace evenkeel::suppress
