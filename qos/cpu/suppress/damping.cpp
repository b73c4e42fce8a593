#include <algorithm>

#include "qos/cpu/suppress/share.h"

namespace evenkeel::suppress {
namespace {

using std::chrono::seconds;

constexpr Duration kNoiseWindow = seconds(60);

MilliCpu whole_cpus(MilliCpu capacity) { return MilliCpu((capacity.count() + 999) / 1000 * 1000); }

/// More than this below the allowance is never taken for noise. Ten thousandths of a CPU more than 4 %, for
/// what truncation adds.
MilliCpu most_noise(MilliCpu capacity) { return suppress_band(capacity) * 4 + MilliCpu(10); }

const SuppressDamping::Slot& newest(const SuppressDamping& state) {
  return state.recent[(state.next + state.recent.size() - 1) % state.recent.size()];
}

/// Calls `see` for the slots that reach into the last `window`, newest first.
template <class See>
void for_recent(const SuppressDamping& state, MonoTime now, Duration window, See see) {
  for (std::size_t age = 1; age <= state.count; ++age) {
    const auto& slot = state.recent[(state.next + state.recent.size() - age) % state.recent.size()];
    if (now - slot.last >= window) return;
    see(slot);
  }
}

void remember(SuppressDamping& state, MonoTime now, MilliCpu target, Duration longest) {
  const Duration width = longest / static_cast<std::int64_t>(state.recent.size() - 1);
  if (state.count > 0 && now - newest(state).first < width) {
    auto& slot = state.recent[(state.next + state.recent.size() - 1) % state.recent.size()];
    slot = {slot.first, now, std::min(slot.lowest, target), std::max(slot.highest, target)};
    return;
  }
  state.recent[state.next] = {now, now, target, target};
  state.next = (state.next + 1) % state.recent.size();
  state.count = std::min(state.count + 1, state.recent.size());
}

/// The spread of the targets, before the newest one is added: a real rise must not count as noise itself.
MilliCpu noise(const SuppressDamping& state, MonoTime now, MilliCpu capacity) {
  std::optional<SuppressDamping::Slot> spread;
  for_recent(state, now, kNoiseWindow, [&](const SuppressDamping::Slot& slot) {
    if (!spread) spread = slot;
    spread->lowest = std::min(spread->lowest, slot.lowest);
    spread->highest = std::max(spread->highest, slot.highest);
  });
  if (!spread) return suppress_band(capacity);
  return std::clamp(spread->highest - spread->lowest, suppress_band(capacity), most_noise(capacity));
}

MilliCpu round_up(MilliCpu cpu, MilliCpu grain) {
  const auto rest = cpu.count() % grain.count();
  return rest > 0 ? MilliCpu(cpu.count() - rest + grain.count()) : MilliCpu(cpu.count() - rest);
}

/// What may be added now: a tenth of the capacity per second, saved up for at most one second or tick.
MilliCpu growth(const SuppressDamping& state, MonoTime now, const SuppressPace& pace) {
  const Duration second = seconds(1);
  const Duration tick = std::max(pace.elapsed.value_or(second), second);
  const Duration saved = state.changed ? std::min<Duration>(now - *state.changed, tick) : tick;
  const MilliCpu per_second = round_up(MilliCpu(whole_cpus(pace.capacity).count() / 10), pace.grain);
  const auto whole = scaled(per_second.count(), saved.count(), second.count());
  return MilliCpu(whole - whole % pace.grain.count());
}

SuppressStep raise(const SuppressDamping& state, MonoTime now, MilliCpu current, MilliCpu goal,
                   const SuppressPace& pace) {
  const MilliCpu most = growth(state, now, pace);
  if (goal - current <= most) return {SuppressMove::raise, goal};
  const bool worth_it = most >= std::min(suppress_band(pace.capacity), pace.grain) && most > MilliCpu{};
  return worth_it ? SuppressStep{SuppressMove::raise_part, current + most}
                  : SuppressStep{SuppressMove::keep, current};
}

/// What the allowance must exceed the target by to be cut. A whole CPU is needed as long as a part of it is.
MilliCpu cut_gap(const SuppressPace& pace) {
  return pace.grain > MilliCpu(1) ? pace.grain : suppress_band(pace.capacity);
}

MilliCpu raise_gap(const SuppressPace& pace) {
  return pace.grain > MilliCpu(1) ? MilliCpu(1) : suppress_band(pace.capacity);
}

bool must_cut(MilliCpu target, MilliCpu current, MilliCpu scatter, bool dwelling, const SuppressPace& pace) {
  const bool whole_cpus_only = pace.grain > MilliCpu(1);
  const MilliCpu excess = current - target;
  if (target <= pace.minimum && !whole_cpus_only) return true;
  const MilliCpu explained = whole_cpus_only ? scatter + pace.grain : scatter;
  return excess >= cut_gap(pace) && (!dwelling || excess > explained);
}

/// Target of a cut. Next to the minimum, if noise has reached it within the last minute, it is the minimum:
/// the next dip would need a second write otherwise.
MilliCpu cut_goal(const SuppressDamping& state, MonoTime now, MilliCpu wanted, MilliCpu scatter,
                  const SuppressPace& pace) {
  const bool near = wanted - pace.minimum <= scatter && pace.grain == MilliCpu(1);
  if (near && lowest_target(state, now, kNoiseWindow, wanted) <= pace.minimum) return pace.minimum;
  return round_up(wanted, pace.grain);
}

/// Target of a rise. A small one waits longer: it could be noise. From the minimum it waits longest, because
/// the way back there is not damped.
MilliCpu rise_goal(const SuppressDamping& state, MonoTime now, MilliCpu wanted, MilliCpu current,
                   const SuppressPace& pace) {
  const MilliCpu soon = lowest_target(state, now, pace.recovery, wanted);
  if (state.climbing || soon - current > most_noise(pace.capacity)) return std::max(soon, pace.minimum);
  const bool at_minimum = current <= pace.minimum && pace.grain == MilliCpu(1);
  const Duration window = at_minimum ? kNoiseWindow : pace.dwell;
  return std::max(lowest_target(state, now, std::max(pace.recovery, window), wanted), pace.minimum);
}

SuppressStep decide(const SuppressDamping& state, MonoTime now, MilliCpu target, MilliCpu current,
                    MilliCpu scatter, const SuppressPace& pace) {
  const MilliCpu wanted = std::max(target, pace.minimum);
  const bool dwelling = state.changed && now - *state.changed < pace.dwell;
  const MilliCpu lower = cut_goal(state, now, wanted, scatter, pace);
  if (lower < current && must_cut(target, current, scatter, dwelling, pace))
    return {lower == pace.minimum ? SuppressMove::to_minimum : SuppressMove::cut, lower};

  const MilliCpu goal = rise_goal(state, now, wanted, current, pace);
  const bool impatient = !dwelling || state.climbing || goal - current > most_noise(pace.capacity);
  if (goal - current >= raise_gap(pace) && impatient)
    return raise(state, now, current, round_up(goal, pace.grain), pace);
  return {SuppressMove::keep, current};
}

}  // namespace

MilliCpu suppress_band(MilliCpu capacity) { return MilliCpu(whole_cpus(capacity).count() / 100); }

std::optional<MilliCpu> latest_target(const SuppressDamping& state, MonoTime now) {
  if (state.count == 0 || now - newest(state).last >= kNoiseWindow) return std::nullopt;
  return newest(state).lowest;
}

MilliCpu lowest_target(const SuppressDamping& state, MonoTime now, Duration window, MilliCpu otherwise) {
  MilliCpu lowest = otherwise;
  for_recent(state, now, window,
             [&](const SuppressDamping::Slot& slot) { lowest = std::min(lowest, slot.lowest); });
  return lowest;
}

SuppressStep next_allowance(SuppressDamping& state, MonoTime now, MilliCpu target,
                            std::optional<MilliCpu> current, const SuppressPace& pace) {
  const MilliCpu scatter = noise(state, now, pace.capacity);
  remember(state, now, target, std::max({kNoiseWindow, pace.recovery, pace.dwell}));
  const MilliCpu wanted = std::max(target, pace.minimum);
  SuppressStep step{SuppressMove::cut, round_up(wanted, pace.grain)};
  if (current) step = decide(state, now, target, *current, scatter, pace);
  if (step.allowance < pace.minimum) step = {SuppressMove::to_minimum, pace.minimum};
  if (step.move != SuppressMove::keep) state.changed = now;
  if (step.move != SuppressMove::keep || target < current.value_or(target))
    state.climbing = step.move == SuppressMove::raise_part;
  return step;
}

}  // namespace evenkeel::suppress
