#include <utility>

#include "agent/api/metric_families.h"

namespace evenkeel::api {
namespace {

void put_lever(Exposition& out, const char* resource, const brakes::BrakeRecord::Lever& lever, MonoTime now) {
  const Labels labels{{"resource", resource}};
  const Duration on = lever.on + (lever.since ? now - *lever.since : Duration::zero());
  out.counter("evenkeel_brakes_total",
              "Times that best-effort pods were throttled at once because a service waited too long.",
              static_cast<double>(lever.brakes), labels);
  out.counter("evenkeel_braked_seconds_total",
              "Time for which the brake throttled best-effort pods, in seconds.", runtime::seconds(on),
              labels);
  out.gauge("evenkeel_brake_on", "1 while the brake throttles best-effort pods.", lever.since ? 1 : 0,
            labels);
}

void put_triggers(Exposition& out, const pressure::TriggerHealth& triggers) {
  for (const auto& [state, count] :
       {std::pair{"open", triggers.open}, {"missing", triggers.missing}, {"left-out", triggers.left_out}})
    out.gauge("evenkeel_pressure_triggers",
              "PSI triggers on services and the node: open, missing (no pressure file), left-out (over the "
              "limit).",
              static_cast<double>(count), {{"state", state}});
  out.gauge("evenkeel_pressure_trigger_window_seconds",
            "Window of the PSI triggers, in seconds: the shortest that the kernel allows; 0 without "
            "triggers.",
            runtime::seconds(triggers.window));
}

void put_reactions(Exposition& out, const brakes::BrakeRecord& record) {
  std::array<double, brakes::BrakeRecord::kBounds.size()> bounds{};
  for (std::size_t i = 0; i < bounds.size(); ++i)
    bounds[i] = runtime::seconds(brakes::BrakeRecord::kBounds[i]);
  out.histogram("evenkeel_brake_reaction_seconds",
                "Time from an alarm until the last write that it caused, in seconds.", bounds,
                record.reactions(), runtime::seconds(record.reaction_time()));
}

}  // namespace

void put_brake(Exposition& out, const AgentView& view) {
  const auto& record = view.brakes.record();
  for (const auto what : {Contended::cpu, Contended::memory, Contended::io})
    for (const auto source : {AlarmSource::pressure, AlarmSource::run_queue})
      if (source == AlarmSource::pressure || what == Contended::cpu)
        out.counter("evenkeel_alarms_total",
                    "Alarms between two ticks: the kernel reported that a service waits too long.",
                    static_cast<double>(record.alarms(what, source)),
                    {{"resource", name(what)}, {"source", name(source)}});
  out.gauge("evenkeel_run_queue_alarms",
            "1 while BPF raises an alarm when a service waits for a CPU held by best effort; why gives "
            "the reason for 0.",
            view.node().run_queue.alarms ? 1 : 0, {{"why", view.node().run_queue.alarms_unavailable_reason}});
  const MonoTime now = view.tick.result().now;
  put_lever(out, "cpu", record.cpu(), now);
  put_lever(out, "memory", record.memory(), now);
  put_reactions(out, record);
  put_triggers(out, view.brakes.trigger_health());
}

}  // namespace evenkeel::api
