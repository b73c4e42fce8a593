#include "agent/face/wait_metrics.h"

#include "agent/clock.h"

namespace evenkeel {
namespace {

/// Of the histogram, every second bucket from 64 us to 1 s: a scrape must stay affordable.
constexpr std::size_t kFirstBucket = 6, kLastBucket = 20, kBucketStep = 2;

void put_histogram(Exposition& out, const WaitTotals::Sums& sums, const Labels& labels) {
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
                "Waits of a pod's tasks for a CPU, from runnable to running; its own quota is no wait.",
                bounds, counts, seconds(sums.waited), labels);
}

void put_one(Exposition& out, const Agent& agent, CgroupId id, const WaitTotals::Sums& sums) {
  const Labels labels{{"pod", agent.title_of(id)}};
  put_histogram(out, sums, labels);
  out.counter("evenkeel_direct_reclaim_seconds_total", "Time in which a pod's tasks freed memory themselves.",
              seconds(sums.reclaim), labels);
  out.counter("evenkeel_block_io_wait_seconds_total",
              "Time in which a pod's tasks slept until a disk answered.", seconds(sums.block_io), labels);
}

}  // namespace

void put_waits(Exposition& out, const Agent& agent) {
  const auto& run_queue = agent.snapshot().run_queue;
  if (run_queue.source != RunQueueSource::bpf) return;
  for (const auto& [id, sums] : agent.wait_totals().sums())
    if (const auto* cgroup = agent.tree().find(id);
        cgroup != nullptr &&
        (cgroup->kind == CgroupKind::pod || cgroup->kind == CgroupKind::host_application))
      put_one(out, agent, id, sums);
  static constexpr const char* kBlame = "evenkeel_run_queue_blame_seconds_total";
  static constexpr const char* kHelp =
      "Time a pod waited while another had that CPU (thread same), or ran beside it on the core (thread "
      "other).";
  for (const auto& [pair, time] : agent.wait_totals().blame())
    out.counter(kBlame, kHelp, seconds(time),
                {{"victim", agent.title_of(pair.victim)},
                 {"antagonist", agent.title_of(pair.antagonist)},
                 {"thread", pair.sibling ? "other" : "same"}});
  out.counter("evenkeel_run_queue_blame_other_seconds_total",
              "The same of pairs for which there was no room.", seconds(agent.wait_totals().other_blame()));
  out.counter("evenkeel_run_queue_lost_total", "Waits that found no room in the kernel's tables.",
              static_cast<double>(run_queue.lost));
}

}  // namespace evenkeel
