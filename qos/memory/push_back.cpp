#include <algorithm>

#include "qos/memory/policies.h"
#include "qos/memory/watermarks.h"

namespace evenkeel::memory {
namespace {

// The kernel computes pressure averages every two seconds; a step shows in them some seconds later.
constexpr Duration kStepDown = std::chrono::seconds(2), kStepUp = std::chrono::seconds(5);
constexpr Duration kCalm = std::chrono::seconds(10);
constexpr std::int64_t kUpPercent = 5;
// A limit that is this many percent above the use is lifted.
constexpr std::int64_t kFreePercent = 25;

struct Stall {
  double some_percent = 0, full_percent = 0;
};

void take_worst(const CgroupSample* cgroup, Stall& worst) {
  if (cgroup == nullptr || !cgroup->pressure.memory) return;
  const auto& pressure = *cgroup->pressure.memory;
  worst.some_percent = std::max(worst.some_percent, pressure.some.avg10_percent);
  if (pressure.full) worst.full_percent = std::max(worst.full_percent, pressure.full->avg10_percent);
}

Stall of_services(const NodeSnapshot& node) {
  Stall worst;
  for (const auto& pod : node.pods)
    if (!is_best_effort(*pod.spec) && !is_near_own_limit(node, pod))
      take_worst(node.cgroup(pod.cgroup), worst);
  for (const auto& app : node.host_applications)
    if (app.spec->qos != QosClass::be) take_worst(node.cgroup(app.cgroup), worst);
  return worst;
}

/// One tick.
class Round {
 public:
  Round(const NodeSnapshot& node, const MemoryPushBack& settings, bool missed, MemoryPushBackState& state,
        decide::Intents& out)
      : node_(node),
        memory_(*node.node.memory),
        settings_(settings),
        missed_(missed),
        state_(state),
        out_(out) {}

  void decide(const CgroupSample& besteffort) {
    if (!besteffort.memory.current || !besteffort.memory.anonymous) return hold(besteffort);
    const Bytes used = *besteffort.memory.current;
    if (is_short())
      step_down(besteffort, used);
    else
      step_up(used);
    if (!state_.target) return;
    // What it cannot free without swapping may have grown since the last step.
    state_.target = std::max(*state_.target, min_besteffort_memory(besteffort));
    const Bytes next =
        limit_above_use(*state_.target, used, *besteffort.applied.plain.bytes(Knob::memory_high));
    out_.want(besteffort.id, Knob::memory_high, next.count(),
              because("memory was short, {} of {} are free: best effort uses {} and is limited to {}",
                      memory_.free.value_or(memory_.available), memory_.total, used, *state_.target));
  }

 private:
  void hold(const CgroupSample& besteffort) {
    if (state_.target)
      out_.hold(besteffort.id, Knob::memory_high, because("it is not known how much best effort uses"));
  }

  [[nodiscard]] bool is_short() const {
    const Bytes available = percent_of(memory_.total, settings_.available_percent);
    if (memory_.available < available) return true;
    if (memory_.free.value_or(memory_.available) >= percent_of(memory_.total, settings_.free_percent))
      return false;
    if (missed_) return true;
    const Stall stall = of_services(node_);
    return stall.some_percent >= static_cast<double>(settings_.some_percent.count()) ||
           stall.full_percent >= static_cast<double>(settings_.full_percent.count());
  }

  void step_down(const CgroupSample& besteffort, Bytes used) {
    state_.last_shortage = node_.at;
    if (state_.target && node_.at - state_.stepped < kStepDown) return;
    const Bytes from = std::min(state_.target.value_or(used), used);
    const Bytes next =
        std::max(from - percent_of(from, settings_.step_percent), min_besteffort_memory(besteffort));
    state_.target = std::min(state_.target.value_or(next), next);
    state_.stepped = node_.at;
  }

  void step_up(Bytes used) {
    if (!state_.target || node_.at - state_.last_shortage < kCalm || node_.at - state_.stepped < kStepUp)
      return;
    state_.target = Bytes(scaled_up(state_.target->count(), 100 + kUpPercent, 100));
    state_.stepped = node_.at;
    const bool roomy = *state_.target >= Bytes(scaled_up(used.count(), 100 + kFreePercent, 100));
    if (roomy || *state_.target >= memory_.total) state_.target.reset();
  }

  const NodeSnapshot& node_;
  const NodeMemory& memory_;
  const MemoryPushBack& settings_;
  const bool missed_;  ///< a service misses its objective and waits for memory more than for anything else
  MemoryPushBackState& state_;
  decide::Intents& out_;
};

bool enabled(const NodeSlo& slo) { return slo.evenkeel.memory_push_back.enable; }

void step(const NodeSnapshot& node, const MemoryPushBack& settings, bool missed, MemoryPushBackState& state,
          decide::Intents& out) {
  const auto* besteffort = node.cgroup(node.besteffort);
  if (besteffort == nullptr || !besteffort->applied.plain.has(Knob::memory_high)) return;
  if (node.node.memory) return Round(node, settings, missed, state, out).decide(*besteffort);
  if (state.target)
    out.hold(besteffort->id, Knob::memory_high, because("it is not known how much memory the node has"));
}

void decide(const NodeSnapshot& node, const NodeSlo& slo, MemoryPushBackState& state,
            MemoryPushBackPolicy::Facts facts, decide::Intents& out) {
  const bool missed = facts.read<decide::ServiceObjectives>().memory_is_short();
  step(node, slo.evenkeel.memory_push_back, missed, state, out);
  facts.publish<decide::PushedBackMemory>().target = state.target;
}

}  // namespace

constinit const MemoryPushBackPolicy memory_push_back_policy{
    {"memory-push-back", "memory.high of best effort comes down while services wait for memory", enabled},
    decide};

}  // namespace evenkeel::memory
