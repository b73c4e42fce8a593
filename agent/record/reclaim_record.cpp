#include "agent/record/reclaim_record.h"

#include <algorithm>

namespace evenkeel::record {
namespace {

/// A cgroup that gets orders again within this time is recorded once.
constexpr Duration kRecordAgain = std::chrono::minutes(1);

/// Empty: reclaim continues, or has reclaimed the ordered amount.
std::string why_stopped(const ReclaimOutcome& outcome) {
  switch (outcome.end) {
    case ReclaimEnd::pressure:
      return "its tasks were stalled for memory";
    case ReclaimEnd::nothing_left:
      return "the kernel finds no more that it could take";
    case ReclaimEnd::failed:
      return std::string("the kernel said ") + errno_name(outcome.error);
    case ReclaimEnd::going:
    case ReclaimEnd::done:
    case ReclaimEnd::budget:
      return {};
  }
  return {};
}

}  // namespace

void ReclaimRecord::record(const std::vector<ReclaimOrder>& orders,
                           const std::vector<ReclaimOutcome>& outcomes, MonoTime now) {
  std::erase_if(recorded_, [&](const Recorded& one) { return now - one.ordered > kRecordAgain; });
  for (const auto& order : orders) {
    const auto outcome = std::ranges::find(outcomes, order.target, &ReclaimOutcome::target);
    const bool taken = order.wanted > Bytes{} || (outcome != outcomes.end() && outcome->asked > Bytes{});
    const auto recorded = std::ranges::find(recorded_, order.target, &Recorded::target);
    if (recorded != recorded_.end()) recorded->ordered = now;
    if (taken && recorded == recorded_.end()) record_start(order, now);
  }
  for (const auto& outcome : outcomes) record_end(outcome, now);
}

void ReclaimRecord::record_start(const ReclaimOrder& order, MonoTime now) {
  recorded_.push_back({order.target, now});
  const tree::Cgroup* cgroup = tree_.find(order.target);
  const char* kind = recorder_.dry_run() ? "would-reclaim" : "reclaim";
  const std::string path = cgroup != nullptr ? cgroup->path : std::string(), why = order.why.text();
  recorder_.record({.kind = kind, .path = path, .by = name(order.cause), .why = why},
                   recorder_.names().uid_of(order.target), now);
  recorder_.log().info(kind).with("cgroup", path).with("by", name(order.cause)).with("why", why);
}

void ReclaimRecord::record_end(const ReclaimOutcome& outcome, MonoTime now) {
  const std::string why = why_stopped(outcome);
  const tree::Cgroup* cgroup = why.empty() ? nullptr : tree_.find(outcome.target);
  if (cgroup == nullptr) return;
  recorder_.record({.kind = "reclaim-stopped", .path = cgroup->path, .by = name(outcome.cause), .why = why},
                   cgroup->uid, now);
  recorder_.log()
      .info("reclaim-stopped")
      .with("cgroup", cgroup->path)
      .with("by", name(outcome.cause))
      .with("why", why);
}

}  // namespace evenkeel::record
