#include "agent/brakes/brakes.h"

#include <algorithm>
#include <utility>

#include "agent/brakes/alarm_evidence.h"
#include "collectors/per_cgroup/descriptor_budget.h"

namespace evenkeel::brakes {

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
