#include "qos/cpu/suppress/suppress.h"

namespace evenkeel::suppress {
namespace {

bool enabled(const NodeSlo& slo) { return slo.threshold.enable; }

void decide(const NodeSnapshot& node, const NodeSlo& slo, CpuSuppressState& state,
            CpuSuppressPolicy::Facts facts, decide::Intents& out) {
  auto& narrowed = facts.amend<decide::NarrowedChildren>();
  if (shares_allowance(node)) return suppress_shared(node, slo, state, narrowed, out);
  state.shares.clear();
  state.shared.reset();
  if (node.besteffort == kNoCgroup) return;
  if (slo.threshold.cpu_suppress_policy == SuppressPolicy::cfs_quota)
    suppress_by_quota(node, slo, state, narrowed, out);
  else
    suppress_by_cpuset(node, slo, state, out);
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

constinit const CpuSuppressPolicy cpu_suppress_policy{
    {"cpu-suppress", "best effort gets the CPU that services leave below the threshold", enabled}, decide};

}  // namespace evenkeel::suppress
