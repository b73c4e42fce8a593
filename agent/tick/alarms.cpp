// The agent's side of the brake: alarms come in, what they leave open is read at once, and what came of them
// is put on record.
#include <algorithm>
#include <utility>

#include "agent/tick/agent.h"
#include "collectors/per_cgroup/descriptor_budget.h"
#include "qos/brake/brake.h"

namespace evenkeel::tick {

void Agent::set_alarm_source(collectors::AlarmDescriptors waiting) {
  sampler_->set_alarm_source(waiting);
  triggers_->set_alarm_source(std::move(waiting));
  follow_triggers();
}

/// Nobody's settings wait for this. The next alarm finds in the snapshot what the brake has just moved, not
/// what the last tick has read; and who was born has triggers.
void Agent::after_decisions(MonoTime now) {
  const auto& why = snapshot_.run_queue.why_no_alarms;
  if (brakes_.set_unavailable_reason(why) && !why.empty())
    log_.info("brake-hears-pressure-only").with("why", why);
  measurement_status_log_.log_changes(snapshot_, log_);
  if (std::exchange(brake_changed_, false)) sampler_->read_new_settings(snapshot_, now);
  if (triggers_stale_) follow_triggers();
}

void Agent::follow_triggers() {
  const std::size_t limit = per_cgroup::descriptor_limit_of_process();
  const std::size_t taken = sampler_->health().descriptors_kept;
  triggers_->follow(*tree_, snapshot_, inputs_.slo()->evenkeel.brake, limit - std::min(limit, taken));
  triggers_stale_ = false;
}

const TickResult& Agent::alarm(Alarm alarm) {
  brakes_.alarm_raised(alarm);
  if (alarm.source == AlarmSource::pressure) add_evidence(alarm);
  snapshot_.alarms.push_back(alarm);
  return react(alarm.at);
}

/// How long its own quotas have kept it waiting; its containers' are its own.
std::optional<Duration> Agent::recent_throttling(CgroupIndex victim) {
  Duration sum{};
  for (std::size_t i = 0; i < snapshot_.cgroups.size(); ++i) {
    const auto& each = snapshot_.cgroups[i];
    if (static_cast<CgroupIndex>(i) != victim && each.parent != victim) continue;
    if (each.applied.cpu_limit && !each.applied.cpu_limit->quota) continue;
    const auto throttling = sampler_->recent_use(each.id).throttling;
    if (!throttling) return std::nullopt;
    sum += throttling->throttled_time;
  }
  return sum;
}

void Agent::add_evidence(Alarm& alarm) {
  const auto* besteffort = snapshot_.cgroup(snapshot_.besteffort);
  if (besteffort == nullptr) return;
  const collectors::RecentUse its = sampler_->recent_use(besteffort->id);
  alarm.besteffort_ran = its.cpu_time;
  alarm.besteffort_memory = its.memory;
  const auto victim = std::ranges::find(snapshot_.cgroups, alarm.victim, &CgroupSample::id);
  if (alarm.what != Contended::cpu || !alarm.victim || victim == snapshot_.cgroups.end()) return;
  alarm.victim_throttled = recent_throttling(static_cast<CgroupIndex>(victim - snapshot_.cgroups.begin()));
  const auto stalled = sampler_->recent_use(victim->id).total_stall;
  if (stalled && victim->pressure.cpu) alarm.victim_stalled = *stalled - victim->pressure.cpu->some.total;
}

/// Whether alarms or the end of a lease ask for a decision now.
bool Agent::brake_wanted(MonoTime now) {
  const bool calls = brake::hear_alarms(snapshot_, *inputs_.slo(), policy_state_.of<brake::BrakeState>());
  if (!calls) snapshot_.alarms.clear();
  const auto release = brake::next_release(policy_state_.of<brake::BrakeState>());
  return calls || (release && now >= *release);
}

std::optional<MonoTime> Agent::due() const {
  return brake::next_release(policy_state_.of<brake::BrakeState>());
}

/// After a decision: what it took, if an alarm asked for it.
void Agent::record_brake(MonoTime now) {
  const auto moved = brakes_.follow(policy_state_.of<brake::BrakeState>(), now);
  brake_changed_ = brake_changed_ || moved.on || moved.off;
  if (moved.on && !snapshot_.alarms.empty()) {
    const Alarm& alarm = snapshot_.alarms.back();
    const Duration took = clock_.now() - alarm.raised.value_or(alarm.at);
    brakes_.braked_after(took);
    const auto microseconds = [](Duration time) { return time / std::chrono::microseconds(1); };
    log_.info("braked")
        .with("resource", name(alarm.what))
        .with("source", name(alarm.source))
        .with("service", alarm.victim ? display_name(alarm.victim) : std::string("any"))
        .with("waited_us", microseconds(alarm.waited))
        .with("reaction_us", microseconds(took));
  }
  snapshot_.alarms.clear();
}

}  // namespace evenkeel::tick
