// The agent's side of reclaim: who gives up memory, and what came of it.
#include <algorithm>

#include "agent/tick/agent.h"

namespace evenkeel::tick {
namespace {

// Whoever is ordered again and again is spoken of once.
constexpr Duration kTellAgain = std::chrono::minutes(1);

/// Empty: it goes on, or has reached what it was ordered.
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

/// Only on fresh measurements: this is never done between two ticks.
void Agent::reclaim(MonoTime now) {
  reclaimer_->report(snapshot_.reclaimed);
  memory::decide_reclaim(snapshot_, *inputs_.slo(), policy_state_.memory_reclaim,
                         memory::ReclaimFacts(policy_state_.shared), result_.reclaims);
  reclaimer_->follow(result_.reclaims);
  log_reclaims(now);
}

/// That it begins and why it ended early, not each chunk.
void Agent::log_reclaims(MonoTime now) {
  std::erase_if(logged_reclaims_, [&](const LoggedReclaim& told) { return now - told.ordered > kTellAgain; });
  const auto& came = snapshot_.reclaimed;
  for (const auto& order : result_.reclaims) {
    const auto outcome = std::ranges::find(came, order.target, &ReclaimOutcome::target);
    const bool taken = order.wanted > Bytes{} || (outcome != came.end() && outcome->asked > Bytes{});
    const auto told = std::ranges::find(logged_reclaims_, order.target, &LoggedReclaim::target);
    if (told != logged_reclaims_.end()) told->ordered = now;
    if (!taken || told != logged_reclaims_.end()) continue;
    logged_reclaims_.push_back({order.target, now});
    const tree::Cgroup* cgroup = tree_->find(order.target);
    const char* kind = options_.dry_run ? "would-reclaim" : "reclaim";
    const std::string path = cgroup != nullptr ? cgroup->path : std::string(), why = order.why.text();
    record({.kind = kind, .path = path, .by = name(order.cause), .why = why}, uid_of(order.target), now);
    log_.info(kind).with("cgroup", path).with("by", name(order.cause)).with("why", why);
  }
  for (const auto& outcome : came) {
    const std::string why = why_stopped(outcome);
    const tree::Cgroup* cgroup = why.empty() ? nullptr : tree_->find(outcome.target);
    if (cgroup == nullptr) continue;
    record({.kind = "reclaim-stopped", .path = cgroup->path, .by = name(outcome.cause), .why = why},
           cgroup->uid, now);
    log_.info("reclaim-stopped")
        .with("cgroup", cgroup->path)
        .with("by", name(outcome.cause))
        .with("why", why);
  }
}

}  // namespace evenkeel::tick
