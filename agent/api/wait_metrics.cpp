#include <utility>

#include "agent/api/metrics.h"
#include "agent/runtime/clock.h"

namespace evenkeel::api {

namespace {

/// Every second bucket of the histogram from 64 us to 1 s, to limit the cost of a scrape.
constexpr std::size_t kFirstBucket = 6, kLastBucket = 20, kBucketStep = 2;

void put_histogram(Exposition& out, const record::WaitTotals::Sums& sums, const Labels& labels) {
  std::vector<double> bounds;
  std::vector<std::uint64_t> counts;
  std::size_t next = 0;
  const auto sum_to = [&](std::size_t end) {
    std::uint64_t sum = 0;
    for (; next < end; ++next) sum += sums.histogram[next];
    return sum;
  };
  for (std::size_t bucket = kFirstBucket; bucket <= kLastBucket; bucket += kBucketStep) {
    bounds.push_back(static_cast<double>(std::int64_t{1} << bucket) / 1e6);
    counts.push_back(sum_to(bucket + 1));
  }
  counts.push_back(sum_to(sums.histogram.size()));
  out.histogram("evenkeel_run_queue_wait_seconds",
                "Time that a pod's tasks waited for a CPU, from runnable to running, in seconds; throttling "
                "by its own quota is not counted.",
                bounds, counts, runtime::seconds(sums.waited), labels);
}

void put_one(Exposition& out, const AgentView& view, CgroupId id, const record::WaitTotals::Sums& sums) {
  const Labels labels{{"pod", view.names().display_name(id)}};
  put_histogram(out, sums, labels);
  out.counter("evenkeel_direct_reclaim_seconds_total",
              "Time that a pod's tasks spent in direct reclaim, in seconds.", runtime::seconds(sums.reclaim),
              labels);
  out.counter("evenkeel_block_io_wait_seconds_total",
              "Time that a pod's tasks waited for block I/O, in seconds.", runtime::seconds(sums.block_io),
              labels);
}

}  // namespace

/// Cgroups that have gone since the last tick are left out: they have no names that differ any more.
void put_blame(Exposition& out, const record::BlameTotals& blame, const record::PodNames& names) {
  const auto put = [&](CgroupId victim, std::string antagonist, bool sibling, Duration time) {
    out.counter(
        "evenkeel_run_queue_blame_seconds_total",
        "Time that a pod waited while the antagonist ran on that CPU (thread same) or on its sibling "
        "hyperthread (thread other), in seconds; antagonist other: all without a series of their own.",
        runtime::seconds(time),
        {{"victim", names.display_name(victim)},
         {"antagonist", std::move(antagonist)},
         {"thread", sibling ? "other" : "same"}});
  };
  for (const auto& [pair, sum] : blame.shown())
    if (!names.is_gone(pair.victim) && !names.is_gone(pair.antagonist))
      put(pair.victim, names.display_name(pair.antagonist), pair.sibling, sum.shown);
  for (const auto& [side, time] : blame.others())
    if (!names.is_gone(side.victim)) put(side.victim, "other", side.sibling, time);
}

void put_waits(Exposition& out, const AgentView& view) {
  const auto& run_queue = view.node().run_queue;
  const auto& slo = view.node().slo;
  if (slo && slo->evenkeel.interference.enable)
    out.gauge("evenkeel_run_queue_source",
              "Always 1; the labels give how CPU waits are measured, and why no better method is in use.", 1,
              {{"source", std::string(record::name(run_queue.source))}, {"why", run_queue.why}});
  if (run_queue.source != RunQueueSource::bpf) return;
  for (const auto& [id, sums] : view.recorder.wait_totals().sums())
    if (const auto* cgroup = view.tree().find(id);
        cgroup != nullptr &&
        (cgroup->kind == CgroupKind::pod || cgroup->kind == CgroupKind::host_application))
      put_one(out, view, id, sums);
  put_blame(out, view.recorder.wait_totals().blame(), view.names());
  out.counter(
      "evenkeel_run_queue_blame_cut_total",
      "Pairs of victim and antagonist for which a tick had no room in its table; their time counts as "
      "antagonist other.",
      static_cast<double>(run_queue.merged_pairs));
  out.counter("evenkeel_run_queue_lost_total",
              "CPU waits that were not recorded because the BPF tables were full.",
              static_cast<double>(run_queue.lost));
}

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
              "PSI triggers on services and the node: open, missing (could not be opened), left-out (beyond "
              "the most that the agent opens).",
              static_cast<double>(count), {{"state", state}});
  out.gauge("evenkeel_pressure_trigger_window_seconds",
            "Window of the PSI triggers, in seconds: brake.window, or the next longer one that the kernel "
            "accepts; 0 without "
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
  for (const auto what : {Contended::cpu, Contended::memory})
    for (const auto source : {AlarmSource::pressure, AlarmSource::run_queue})
      if (source == AlarmSource::pressure || what == Contended::cpu)
        out.counter("evenkeel_alarms_total",
                    "Alarms between two ticks: the kernel reported that a service waits too long.",
                    static_cast<double>(record.alarms(what, source)),
                    {{"resource", name(what)}, {"source", name(source)}});
  out.gauge("evenkeel_run_queue_alarms",
            "1 while BPF raises an alarm when a service waits for a CPU held by best effort; the "
            "label why gives the reason for 0.",
            view.node().run_queue.alarms ? 1 : 0, {{"why", view.node().run_queue.alarms_unavailable_reason}});
  const MonoTime now = view.tick.result().now;
  put_lever(out, "cpu", record.cpu(), now);
  put_lever(out, "memory", record.memory(), now);
  put_reactions(out, record);
  put_triggers(out, view.brakes.trigger_health());
}

}  // namespace evenkeel::api
