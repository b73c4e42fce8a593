#include "agent/tick/tick.h"

#include <algorithm>
#include <iterator>

namespace evenkeel::tick {
namespace {

void note(Duration took, Duration& last, Duration& longest) {
  last = took;
  longest = std::max(longest, took);
}

}  // namespace

const TickResult& Tick::run(MonoTime now) {
  const MonoTime started = parts_.clock.now();
  result_.now = now;
  if (counters_.ticks > 0) result_.problems.clear();
  Changes changes = refresh(now);
  if (changes.tree) parts_.observer.scan().scan_until_stable(changes);
  if (changes.tree || changes.inputs) join_roster();
  ++counters_.ticks;
  parts_.observer.collect(now);
  parts_.lender.observe();
  parts_.recorder.add_waits(parts_.observer.node(), parts_.observer.tree());
  decide_and_execute(now);
  parts_.evictions.update(parts_.decider.eviction_facts(), now, result_.evictions);
  reclaim(now);
  parts_.brakes.retry_triggers();
  finish(now);
  report_restored(result_.report);
  note(parts_.clock.now() - started, counters_.last_tick, counters_.longest_tick);
  return result_;
}

const TickResult& Tick::react(MonoTime now) {
  result_.now = now;
  result_.report = {};
  result_.evictions.clear();
  result_.problems.clear();
  const MonoTime started = parts_.clock.now();
  if (counters_.ticks == 0) return result_;
  TreeScan& scan = parts_.observer.scan();
  const bool braking = parts_.brakes.decision_needed(now);
  Changes changes = refresh(now);
  if (!changes.tree && !changes.inputs && scan.foreign_writes().empty() && !braking) return result_;
  ++counters_.early_ticks;
  // New cgroups are served first and watched afterwards. What is created in them meanwhile, and what their
  // creator writes there (a runtime sets the quota right after the last directory), is found by another scan.
  for (int round = 0; round < TreeScan::kMaxRounds; ++round) {
    const bool changed = changes.tree && scan.scan(changes);
    if (changed || (round == 0 && (changes.tree || changes.inputs))) join_roster();
    const bool other_settings = parts_.observer.read_new_settings(now);
    if (round > 0 && !changed && !other_settings) break;
    decide_and_execute(now);
    if (round == 0)
      note(parts_.clock.now() - started, counters_.last_early_tick, counters_.longest_early_tick);
    if (!changes.tree || !scan.watch_new()) break;
  }
  finish(now);
  return result_;
}

/// Applies what operators, servers and the kernel have changed since the last call.
Changes Tick::refresh(MonoTime now) {
  auto changed = parts_.inputs.refresh(now, parts_.observer.roster().no_cpu_ratio());
  parts_.recorder.record(changed, now);
  std::ranges::move(changed.problems, std::back_inserter(result_.problems));
  parts_.observer.roster().mark_stale(now);
  return parts_.observer.scan().changes(changed);
}

void Tick::join_roster() {
  parts_.observer.roster().join();
  parts_.observer.node().reclaim = parts_.reclaims.ability();
  parts_.brakes.roster_changed();
  parts_.lender.configure();
}

void Tick::decide_and_execute(MonoTime now) {
  parts_.decider.decide(now);
  parts_.observer.node().trials_compare_waits = parts_.decider.state().of<proof::ProofState>().compares_waits;
  const decide::Intents& intents = parts_.decider.intents();
  auto& foreign_writes = parts_.observer.scan().foreign_writes();
  result_.report =
      parts_.execution.apply(parts_.decider.plan(), intents, parts_.observer.node(), foreign_writes, now);
  foreign_writes.clear();
  parts_.decider.report_unresolved_disks(now, result_.report);
  parts_.execution.apply_others(intents, now, result_.report);
  parts_.observer.node().scheduler.request_sizes_refused = parts_.execution.writers().request_sizes_refused();
  parts_.observer.read_back(result_.report);
  parts_.recorder.record(result_.report, now);
  record::record_interference(parts_.decider.state().of<interference::InterferenceState>().events,
                              parts_.recorder, now);
  record::record_objectives(parts_.decider.state().of<objectives::ObjectivesState>(),
                            *parts_.observer.node().slo, parts_.recorder, now);
  record::record_contention(parts_.decider.state().of<contention::ContentionState>(), parts_.recorder, now);
  record::record_proof(parts_.decider.state().of<proof::ProofState>(), parts_.recorder, now);
  parts_.brakes.decided(now);
}

/// Only on fresh measurements, so never between two ticks.
void Tick::reclaim(MonoTime now) {
  NodeSnapshot& node = parts_.observer.node();
  parts_.reclaims.report(node.reclaimed);
  parts_.decider.decide_reclaim(result_.reclaims);
  parts_.reclaims.order(result_.reclaims, node.reclaimed, now);
}

/// After the last decision of a round: no write waits for this.
void Tick::finish(MonoTime now) {
  const auto& health = parts_.observer.sampler().health();
  parts_.recorder.log_measurement_changes(
      parts_.observer.node(), {.needed = health.descriptors_needed, .reopened = health.files_reopened});
  unmanaged_pods_log_.log_changes(parts_.observer.tree().unknown_dirs(), parts_.recorder.log());
  parts_.brakes.update(now);
}

}  // namespace evenkeel::tick
