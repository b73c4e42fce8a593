#include "qos/brake/brake.h"

#include <algorithm>

#include "qos/decide/policy.h"
#include "qos/memory/watermarks.h"

namespace evenkeel::brake {

namespace {

constexpr Duration kStep = std::chrono::seconds(1);

std::int64_t second_of(MonoTime time) { return time.time_since_epoch() / kStep; }

}  // namespace

void DutyCycle::add(MonoTime from, MonoTime to) {
  from = std::max(from, to - kSpan);
  while (from < to) {
    const std::int64_t number = second_of(from);
    const MonoTime end = std::min(to, MonoTime(kStep * (number + 1)));
    auto& second = seconds_[static_cast<std::size_t>(number) % seconds_.size()];
    if (second.number != number) second = {number, {}};
    second.on += end - from;
    from = end;
  }
}

Duration DutyCycle::spent(MonoTime now) const {
  const std::int64_t oldest = second_of(now) - kSpan / kStep;
  Duration sum{};
  for (const auto& second : seconds_)
    if (second.number >= oldest) sum += second.on;
  return sum;
}

namespace {

// A smaller cut is not worth its two writes.
constexpr Duration kShortest = std::chrono::milliseconds(100);

bool enabled(const NodeSlo& slo) { return slo.evenkeel.brake.enable; }

void count(BrakeLever& lever, MonoTime now) {
  if (lever.on && now > lever.counted) {
    lever.duty.add(lever.counted, now);
    lever.counted = now;
  }
}

Duration left(const BrakeLever& lever, const BrakeSettings& settings, MonoTime now) {
  const Duration most(scaled(DutyCycle::kSpan.count(), settings.max_duty_percent.count(), 100));
  return most - lever.duty.spent(now);
}

/// Sets the lever's limit and reason. False: there is nothing to cut.
bool plan_cpu(const NodeSnapshot& node, const NodeSlo& slo, const Alarm& alarm, BrakeLever& lever) {
  const auto keep = braked_cpu_limit(node, slo.evenkeel.brake);
  if (!keep) return false;
  const Duration lease = slo.evenkeel.brake.lease;
  lever.cpu = *keep;
  lever.cpu_had = *besteffort_cpu_limit(node);
  lever.why =
      alarm.source == AlarmSource::run_queue
          ? because("a service waited {} for CPUs that best effort used: best effort may use {} for {}",
                    alarm.waited, *keep, lease)
          : because(
                "a service waited {} and more for a CPU just now while best effort ran for {}: best effort "
                "may use {} for {}",
                alarm.waited, Duration(alarm.besteffort_cpu_time->count()), *keep, lease);
  return true;
}

bool plan_memory(const NodeSnapshot& node, const NodeSlo& slo, const Alarm& alarm, BrakeLever& lever) {
  const Bytes used = *alarm.besteffort_memory;
  const auto keep = braked_memory_limit(node, slo, used);
  if (!keep) return false;
  lever.memory = *keep;
  lever.why = because(
      "a service waited {} and more for memory just now: best effort uses {} and is limited to {} for {}",
      alarm.waited, used, *keep, slo.evenkeel.brake.lease);
  return true;
}

/// Whether the brake was switched on now.
bool take_alarm(const NodeSnapshot& node, const NodeSlo& slo, const Alarm& alarm, BrakeState& state) {
  const BrakeSettings& settings = slo.evenkeel.brake;
  if (!besteffort_is_cause(node, slo, alarm)) return false;
  const bool cpu = alarm.what == Contended::cpu;
  BrakeLever& lever = cpu ? state.cpu : state.memory;
  count(lever, alarm.at);
  const Duration may = left(lever, settings, alarm.at);
  const MonoTime until = alarm.at + std::min(settings.lease, std::max(may, Duration::zero()));
  if (lever.on) {
    lever.until = std::max(lever.until, until);
    return false;
  }
  // Alarms from before the last measurement are over.
  if (alarm.at < node.at || may < std::min(kShortest, settings.lease)) return false;
  if (cpu && !state.may_cut_cpu) return false;
  if (!(cpu ? plan_cpu : plan_memory)(node, slo, alarm, lever)) return false;
  lever.on = true;
  lever.place = node.cgroup(node.besteffort)->id;
  lever.until = until;
  lever.counted = alarm.at;
  return true;
}

/// Whether the brake must be in force now.
bool goes_on(const NodeSnapshot& node, BrakeLever& lever) {
  count(lever, node.at);
  const auto* besteffort = node.cgroup(node.besteffort);
  if (node.at >= lever.until || besteffort == nullptr || besteffort->id != lever.place) lever.on = false;
  return lever.on;
}

/// Cgroups that were idle when the brake came and run now get their part, too. Returns whether anything is
/// still cut.
bool cuts(const NodeSnapshot& node, const BrakeSettings& settings, bool may_cut, BrakeLever& lever) {
  if (node.measured) lever.cpu = std::max(lever.cpu, least_cpu(node, settings));
  lever.on = may_cut && lever.cpu < lever.cpu_had;
  return lever.on;
}

void release(BrakeState& state, MonoTime now) {
  for (BrakeLever* lever : {&state.cpu, &state.memory}) {
    count(*lever, now);
    lever->on = false;
  }
}

void brake_cpu(const NodeSnapshot& node, const BrakeLever& lever, decide::NarrowedChildren& narrowed,
               decide::Intents& out) {
  const auto& limit = node.cgroup(node.besteffort)->applied.cpu_limit;
  if (!limit || limit->period <= Duration::zero())
    return decide::hold_besteffort_limit(node, narrowed, because("the quota cannot be read"), out);
  const QuotaTime quota = std::max(quota_for(lever.cpu, limit->period), kMinQuota);
  decide::limit_besteffort(node, {quota, limit->period}, lever.why, narrowed, out);
}

void brake_memory(const NodeSnapshot& node, const BrakeLever& lever, decide::Intents& out) {
  const auto& besteffort = *node.cgroup(node.besteffort);
  const auto now = besteffort.applied.plain.bytes(Knob::memory_high);
  Bytes used = besteffort.memory.current.value_or(kNoMemoryLimit);
  for (const Alarm& alarm : node.alarms)  // newer than the last measurement
    if (alarm.at >= node.at) used = alarm.besteffort_memory.value_or(used);
  if (!now || used == kNoMemoryLimit)
    return out.hold(besteffort.id, Knob::memory_high, because("it is not known how much best effort uses"));
  out.want(besteffort.id, Knob::memory_high, memory::limit_above_use(lever.memory, used, *now).count(),
           lever.why);
}

void cut(const NodeSnapshot& node, const NodeSlo& slo, BrakeState& state, BrakePolicy::Facts facts,
         decide::Intents& out) {
  if (slo.evenkeel.hands_off) return release(state, node.at);
  handle_alarms(node, slo, state);
  if (goes_on(node, state.cpu) && cuts(node, slo.evenkeel.brake, state.may_cut_cpu, state.cpu))
    brake_cpu(node, state.cpu, facts.amend<decide::NarrowedChildren>(), out);
  if (goes_on(node, state.memory)) brake_memory(node, state.memory, out);
}

void decide(const NodeSnapshot& node, const NodeSlo& slo, BrakeState& state, BrakePolicy::Facts facts,
            decide::Intents& out) {
  state.may_cut_cpu = decide::quota_is_harmless(node, slo, facts.read<decide::HarmfulLevers>());
  cut(node, slo, state, facts, out);
  auto& in_force = facts.publish<decide::BrakeInForce>();
  in_force.cpu = state.cpu.on;
  in_force.memory = state.memory.on ? std::optional(state.memory.memory) : std::nullopt;
}

}  // namespace

bool handle_alarms(const NodeSnapshot& node, const NodeSlo& slo, BrakeState& state) {
  if (!enabled(slo) || slo.evenkeel.hands_off) return false;
  bool any = false;
  for (const Alarm& alarm : node.alarms) any = take_alarm(node, slo, alarm, state) || any;
  return any;
}

std::optional<MonoTime> next_release(const BrakeState& state) {
  std::optional<MonoTime> next;
  for (const BrakeLever* lever : {&state.cpu, &state.memory})
    if (lever->on) next = std::min(next.value_or(MonoTime::max()), lever->until);
  return next;
}

constinit const BrakePolicy brake_policy{
    {"brake", "best effort is cut for a moment when the kernel says that a service waits", enabled}, decide};

}  // namespace evenkeel::brake
