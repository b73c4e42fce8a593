#include "agent/brakes/brakes.h"

#include <algorithm>
#include <utility>

#include "collectors/per_cgroup/files.h"

namespace evenkeel::brakes {

namespace {

/// How long a cgroup's own quota has throttled it since the last tick; absent: unknown.
std::optional<Duration> throttled_itself(const NodeSnapshot& node, collectors::Sampler& sampler,
                                         CgroupIndex index) {
  const CgroupSample* cgroup = node.cgroup(index);
  if (cgroup == nullptr || (cgroup->applied.cpu_limit && !cgroup->applied.cpu_limit->quota))
    return Duration::zero();
  const auto throttling = sampler.recent_use(cgroup->id).throttling;
  return throttling ? std::optional(throttling->throttled_time) : std::nullopt;
}

/// How long the quotas of a service and of its containers have throttled it since the last tick. Where a
/// container has a subgroup (crun), both have the same quota, or the subgroup alone has one: the longer time
/// counts.
std::optional<Duration> recent_throttling(const NodeSnapshot& node, collectors::Sampler& sampler,
                                          CgroupIndex victim) {
  Duration sum{};
  for (CgroupIndex i = 0; static_cast<std::size_t>(i) < node.cgroups.size(); ++i) {
    if (i != victim && node.cgroup(i)->parent != victim) continue;
    const auto throttled = throttled_itself(node, sampler, i);
    const auto inside = throttled_itself(node, sampler, node.subgroup_of(i));
    if (!throttled || !inside) return std::nullopt;
    sum += std::max(*throttled, *inside);
  }
  return sum;
}

}  // namespace

void add_evidence(const NodeSnapshot& node, collectors::Sampler& sampler, Alarm& alarm) {
  const auto* besteffort = node.cgroup(node.besteffort);
  if (besteffort == nullptr) return;
  const collectors::RecentUse its = sampler.recent_use(besteffort->id);
  alarm.besteffort_cpu_time = its.cpu_time;
  alarm.besteffort_memory = its.memory;
  const auto victim = std::ranges::find(node.cgroups, alarm.victim, &CgroupSample::id);
  if (alarm.what != Contended::cpu || !alarm.victim || victim == node.cgroups.end()) return;
  alarm.victim_throttled =
      recent_throttling(node, sampler, static_cast<CgroupIndex>(victim - node.cgroups.begin()));
  const auto stalled = sampler.recent_use(victim->id).total_stall;
  if (stalled && victim->pressure.cpu) alarm.victim_stalled = *stalled - victim->pressure.cpu->some.total;
}

void BrakeRecord::braked_after(Duration took) {
  const auto bucket = std::ranges::lower_bound(kBounds, took) - kBounds.begin();
  ++reactions_[static_cast<std::size_t>(bucket)];
  reaction_time_ += took;
}

BrakeRecord::Change BrakeRecord::follow(const brake::BrakeState& state, MonoTime now) {
  Change moved;
  follow(state.cpu, now, cpu_, moved);
  follow(state.memory, now, memory_, moved);
  return moved;
}

void BrakeRecord::follow(const brake::BrakeLever& lever, MonoTime now, Lever& record, Change& moved) {
  if (lever.on == record.since.has_value()) return;
  (lever.on ? moved.on : moved.off) = true;
  if (lever.on) {
    record.since = now;
    ++record.brakes;
  } else {
    record.on += now - *record.since;
    record.since.reset();
  }
}

void Brakes::set_alarm_source(collectors::AlarmDescriptors source) {
  in_.sampler.set_alarm_source(source);
  triggers_.set_alarm_source(std::move(source));
  follow_triggers();
}

void Brakes::follow_triggers() {
  const std::size_t limit = per_cgroup::descriptor_limit_of_process();
  const std::size_t taken = in_.sampler.health().descriptors_kept;
  triggers_.follow(in_.tree, in_.node, in_.inputs.slo()->evenkeel.brake, limit - std::min(limit, taken));
  triggers_stale_ = false;
}

void Brakes::alarm_raised(Alarm alarm) {
  record_.alarm_raised(alarm);
  if (alarm.source == AlarmSource::pressure) add_evidence(in_.node, in_.sampler, alarm);
  in_.node.alarms.push_back(alarm);
}

bool Brakes::decision_needed(MonoTime now) {
  const bool brake_now = brake::handle_alarms(in_.node, *in_.inputs.slo(), in_.state);
  if (!brake_now) in_.node.alarms.clear();
  const auto release = due();
  return brake_now || (release && now >= *release);
}

void Brakes::decided(MonoTime now) {
  const auto change = record_.follow(in_.state, now);
  changed_ = changed_ || change.on || change.off;
  if (change.on && !in_.node.alarms.empty()) {
    const Alarm& alarm = in_.node.alarms.back();
    const Duration took = in_.clock.now() - alarm.raised.value_or(alarm.at);
    record_.braked_after(took);
    log_braked(alarm, took);
  }
  in_.node.alarms.clear();
}

void Brakes::log_braked(const Alarm& alarm, Duration took) {
  const auto microseconds = [](Duration time) { return time / std::chrono::microseconds(1); };
  in_.recorder.log()
      .info("braked")
      .with("resource", name(alarm.what))
      .with("source", name(alarm.source))
      .with("service", alarm.victim ? in_.recorder.names().display_name(alarm.victim) : std::string("any"))
      .with("waited_us", microseconds(alarm.waited))
      .with("reaction_us", microseconds(took));
}

void Brakes::update(MonoTime now) {
  if (std::exchange(changed_, false)) in_.sampler.read_new_settings(in_.node, now);
  if (triggers_stale_) follow_triggers();
}

}  // namespace evenkeel::brakes
