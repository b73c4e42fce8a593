#include <utility>

#include "agent/api/metric_families.h"
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

void put_blame(Exposition& out, const AgentView& view) {
  const auto put = [&](CgroupId victim, std::string antagonist, bool sibling, Duration time) {
    out.counter(
        "evenkeel_run_queue_blame_seconds_total",
        "Time that a pod waited while the antagonist ran on that CPU (thread same) or on its sibling "
        "hyperthread (thread other), in seconds; antagonist other: all without a series of their own.",
        runtime::seconds(time),
        {{"victim", view.names().display_name(victim)},
         {"antagonist", std::move(antagonist)},
         {"thread", sibling ? "other" : "same"}});
  };
  const record::BlameTotals& blame = view.recorder.wait_totals().blame();
  for (const auto& [pair, sum] : blame.shown())
    put(pair.victim, view.names().display_name(pair.antagonist), pair.sibling, sum.shown);
  for (const auto& [side, time] : blame.others()) put(side.victim, "other", side.sibling, time);
}

}  // namespace

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
  put_blame(out, view);
  out.counter("evenkeel_run_queue_blame_cut_total",
              "Victim and antagonist pairs of a tick that exceeded the table; their time counts as "
              "antagonist other.",
              static_cast<double>(run_queue.merged_pairs));
  out.counter("evenkeel_run_queue_lost_total",
              "CPU waits that were not recorded because the BPF tables were full.",
              static_cast<double>(run_queue.lost));
}

}  // namespace evenkeel::api
