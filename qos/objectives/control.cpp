// What best effort may have, step by step.
#include <algorithm>

#include "qos/objectives/objectives.h"

namespace evenkeel::objectives {
namespace {

using Move = decide::ServiceObjectives::Move;

/// One step of growth is for at most so much time without a figure.
constexpr Duration kLongestStep = std::chrono::seconds(10);

/// What best effort has now, from the kernel's limits; absent: a place is not limited.
std::optional<MilliCpu> in_force(const NodeSnapshot& node) {
  MilliCpu all{};
  bool any = false;
  const auto add = [&](const CgroupSample* sample) {
    if (sample == nullptr) return true;
    const auto& limit = sample->applied.cpu_limit;
    if (!limit || !limit->quota) return false;
    all += cpu_of(*limit->quota, limit->period);
    any = true;
    return true;
  };
  if (!add(node.cgroup(node.besteffort))) return std::nullopt;
  for (const HostApplicationSample& app : node.host_applications)
    if (app.spec->qos == QosClass::be && !node.is_within(app.cgroup, node.besteffort) &&
        !add(node.cgroup(app.cgroup)))
      return std::nullopt;
  return any ? std::optional(all) : std::nullopt;
}

struct Use {
  MilliCpu known{};
  bool all = true;  ///< nothing that is used is unknown
};

/// What best effort uses: its directory, and its pods and applications elsewhere.
Use besteffort_use(const NodeSnapshot& node) {
  Use used;
  const auto count = [&](const CgroupSample* sample) {
    if (sample == nullptr) return;
    used.known += sample->cpu_use.value_or(MilliCpu{});
    used.all &= sample->cpu_use.has_value();
  };
  count(node.cgroup(node.besteffort));
  const auto add = [&](CgroupIndex index) {
    if (!node.is_within(index, node.besteffort)) count(node.cgroup(index));
  };
  for (const PodSample& pod : node.pods)
    if (is_best_effort(*pod.spec)) add(pod.cgroup);
  for (const HostApplicationSample& app : node.host_applications)
    if (app.spec->qos == QosClass::be) add(app.cgroup);
  return used;
}

/// Absent: not known.
std::optional<MilliCpu> others_use(const NodeSnapshot& node, const Use& besteffort) {
  if (!node.node.cpu_use || !besteffort.all) return std::nullopt;
  return std::max(*node.node.cpu_use - besteffort.known, MilliCpu{});
}

/// All work together may use so much at most: best effort has the node, whatever the others use.
MilliCpu most_together(MilliCpu capacity) { return capacity + capacity; }

/// With the limits that are in force.
MilliCpu first_together(const NodeSnapshot& node, MilliCpu others, MilliCpu capacity) {
  const auto limit = in_force(node);
  return limit && *limit < capacity ? *limit + others : most_together(capacity);
}

MilliCpu cut(const Use& besteffort, MilliCpu allowed, MilliCpu capacity) {
  // A cut of what nobody uses would change nothing, so it begins at the use.
  const MilliCpu from = std::max(besteffort.known, percent_of(capacity, kLeastCutFrom));
  return percent_of(std::min(from, allowed), kCutTo);
}

Duration counted_of(Duration since) { return std::clamp(since, Duration::zero(), kLongestStep); }

MilliCpu raised(MilliCpu together, MilliCpu capacity, Duration since) {
  const auto second = std::chrono::nanoseconds(std::chrono::seconds(1)).count();
  const Duration counted = counted_of(since);
  const MilliCpu more(scaled(percent_of(capacity, kGrowth).count(), counted.count(), second));
  return std::min(together + more, most_together(capacity));
}

/// Memory is taken from best effort instead (qos/memory/push_back.cpp), which is not done while much is free.
bool memory_comes_first(const NodeSnapshot& node, const MemoryPushBack& settings) {
  if (!settings.enable || !node.node.memory) return false;
  const NodeMemory& memory = *node.node.memory;
  return memory.free.value_or(memory.available) < percent_of(memory.total, settings.free_percent);
}

/// The CPU is cut only if that does not help.
bool other_comes_first(const NodeSnapshot& node, const NodeSlo& slo, Stall stall) {
  if (stall == Stall::memory) return memory_comes_first(node, slo.evenkeel.memory_push_back);
  return stall == Stall::io && limits_disks(slo.qos.be.blkio);
}

constexpr double part(Percent percent) { return static_cast<double>(percent.count()) / 100; }

/// What best effort may have of its limits on disks follows the service that waits for them, and grows again
/// with room to spare, whoever has it.
double next_disks(double share, Move move, bool waits, Duration since) {
  const double least = part(kLeastOfDisks);
  if (move == Move::pause) return waits ? least : share;
  if (move == Move::shrink) return waits ? std::max(least, share * part(kCutTo)) : share;
  if (move == Move::hold) return share;
  const std::chrono::duration<double> seconds = counted_of(since);
  return std::min(1.0, share + part(kGrowth) * seconds.count());
}

}  // namespace

Percent disks_in_steps(double share) {
  constexpr double kSteps = 20, kRounding = 1e-9;
  const auto steps = static_cast<std::int64_t>(share * kSteps + kRounding);
  return std::max(kLeastOfDisks, Percent(steps * 100 / static_cast<std::int64_t>(kSteps)));
}

MilliCpu besteffort_part(const ObjectivesState& state, MilliCpu capacity) {
  return state.together ? std::clamp(*state.together - state.others, MilliCpu{}, capacity) : capacity;
}

Move next_move(const Tightest& tightest, MonoTime now, ObjectivesState& state) {
  if (tightest.standing == Standing::far) state.paused_until = now + tightest.objective->pause;
  if (state.paused_until && now < *state.paused_until) return Move::pause;
  state.paused_until.reset();
  if (tightest.standing == Standing::missed) return Move::shrink;
  return tightest.standing == Standing::near ? Move::hold : Move::grow;
}

void step(const NodeSnapshot& node, const NodeSlo& slo, MilliCpu capacity, Move move,
          const Tightest& tightest, ObjectivesState& state) {
  const ObjectiveStanding& one = state.each[tightest.index];
  const Use besteffort = besteffort_use(node);
  state.others = others_use(node, besteffort).value_or(state.others);
  const bool first = !state.together;
  if (first) state.together = first_together(node, state.others, capacity);
  const bool shrinks = move == Move::shrink;
  // Measured before the last cut, it does not show what that cut has done.
  const bool answered = state.shrunk && tightest.at <= *state.shrunk;
  if (!shrinks) state.missed_since.reset();
  if (shrinks && !state.missed_since) state.missed_since = node.at;
  const bool other_first =
      shrinks && node.at - *state.missed_since < kOthersFirst && other_comes_first(node, slo, one.stall);
  // No time counts twice, whichever objectives decide in turn.
  const Duration since = tightest.at - state.acted.value_or(tightest.at);
  if (move == Move::pause) {
    state.together = state.others;
  } else if (shrinks && !answered && !other_first) {
    state.together = state.others + cut(besteffort, besteffort_part(state, capacity), capacity);
  } else if (move == Move::grow && !first) {
    state.together = raised(*state.together, capacity, since);
  }
  const bool waits = one.stall == Stall::io && limits_disks(slo.qos.be.blkio);
  if (!shrinks || !answered) state.besteffort_disks = next_disks(state.besteffort_disks, move, waits, since);
  if (shrinks && !answered) state.shrunk = tightest.at;
  state.acted = std::max(state.acted.value_or(tightest.at), tightest.at);
}

}  // namespace evenkeel::objectives
