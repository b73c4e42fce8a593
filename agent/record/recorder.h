// Records what the agent did: writes, evictions, interference and reclaim. Does not decide.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/inputs/inputs.h"
#include "agent/record/audit.h"
#include "agent/record/health.h"
#include "agent/record/wait_totals.h"
#include "agent/runtime/log.h"
#include "cgroup/executor/executor.h"
#include "qos/contention/contention.h"
#include "qos/interference/interference.h"
#include "qos/model/reclaim_order.h"
#include "qos/objectives/objectives.h"
#include "qos/proof/proof.h"

namespace evenkeel::record {

// Records what the agent did and what other processes did to its values: one audit line, one log event and,
// for the owner of the pod concerned, one call of the pod event sink. Keeps the sums of waits for the
// metrics. Does not decide or write to the kernel.

class Recorder {
 public:
  using PodEventSink = std::function<void(const Pod&, const AuditEvent&)>;
  using NodeEventSink = std::function<void(const AuditEvent&)>;

  /// `log` and `names` must outlive it. `dry_run`: writes are recorded as "would-write" or "would-restore".
  Recorder(Audit audit, runtime::Log& log, const PodNames& names, bool dry_run)
      : audit_(std::move(audit)), log_(log), names_(names), dry_run_(dry_run) {}
  /// Called with each audit event about a pod that has a name.
  void set_pod_event_sink(PodEventSink sink) { pod_event_sink_ = std::move(sink); }
  /// Called with each audit event that concerns the whole node (record_for_node()).
  void set_node_event_sink(NodeEventSink sink) { node_event_sink_ = std::move(sink); }

  /// One audit line about the pod with this uid (empty: about no pod), which also goes to its owner as an
  /// event.
  void record(AuditEvent event, std::string_view uid, MonoTime now);
  /// One audit line without an event for an owner.
  void record_for_operator(const AuditEvent& event, MonoTime now) { audit_.record(event, now); }
  /// One audit line, which also becomes an event on the node.
  void record_for_node(const AuditEvent& event, MonoTime now) {
    audit_.record(event, now);
    if (node_event_sink_) node_event_sink_(event);
  }
  /// Every write, restore, refusal and foreign write of a report: audit lines and log events.
  void record(const executor::Report& report, MonoTime now);
  /// The configuration that took effect; inputs that were refused, disappeared or recovered.
  void record(const inputs::Inputs::Changed& changed, MonoTime now);

  /// Adds a tick's waits to the sums. Allocates only for cgroups that are new.
  void add_waits(const NodeSnapshot& node, const tree::CgroupTree& tree) { wait_totals_.add(node, tree); }
  /// Logs how interference is measured, and whether descriptors suffice, when that has changed.
  void log_measurement_changes(const NodeSnapshot& node, const DescriptorUse& descriptors) {
    measurement_status_log_.log_changes(node, log_);
    measurement_status_log_.log_changes(descriptors, log_);
  }

  [[nodiscard]] runtime::Log& log() const { return log_; }
  [[nodiscard]] const PodNames& names() const { return names_; }
  [[nodiscard]] bool dry_run() const { return dry_run_; }
  [[nodiscard]] const Audit& audit() const { return audit_; }
  /// Waits for CPUs, memory and disks; empty while no setting asks for them.
  [[nodiscard]] const WaitTotals& wait_totals() const { return wait_totals_; }

 private:
  void record(const executor::Written& write, MonoTime now);
  void record(const executor::Refused& refusal, MonoTime now);
  void record(const executor::Foreign& foreign, MonoTime now);
  void record(const inputs::Inputs::Configuration& in_force, MonoTime now);
  void record_deferred(std::size_t changes, MonoTime now);

  Audit audit_;
  runtime::Log& log_;
  const PodNames& names_;
  const bool dry_run_;
  PodEventSink pod_event_sink_{};
  NodeEventSink node_event_sink_{};
  WaitTotals wait_totals_{};
  MeasurementStatusLog measurement_status_log_{};
};

// Records and describes what interference detection found. Does not judge.

/// "cpu", "cache", "memory", "io": what victim and antagonist contend for.
const char* resource_of(Signal signal);
/// "cpu", "cache", "memory": what is taken from an antagonist.
const char* name(interference::Remedy remedy);
/// What it is limited to: "0.25 CPUs".
std::string limit_text(const interference::Limit& limit);
/// The evidence with its numbers.
std::string sentence_of(const interference::Accusation& accusation);

/// What the tests of a lever have found, with the effect.
std::string sentence_of(const proof::Lever& lever, const proof::Evidence& found);
/// Trials of levers when they begin, and verdicts when they change.
void record_proof(const proof::ProofState& state, Recorder& recorder, MonoTime now);

/// Contention of the node when it begins and when it ends.
void record_contention(const contention::ContentionState& state, Recorder& recorder, MonoTime now);

/// Objectives of services that are missed, met again, or whose figure is unknown.
void record_objectives(const objectives::ObjectivesState& state, const NodeSlo& slo, Recorder& recorder,
                       MonoTime now);

/// Accusations are recorded when they are made and when they end, limits at each step. The owner of the
/// antagonist gets an event about a limit; the victim's owner does not, since it could do nothing.
void record_interference(std::span<const interference::InterferenceEvent> events, Recorder& recorder,
                         MonoTime now);

// Records that memory is reclaimed from a cgroup (again only after a minute without orders), and why reclaim
// ended early (once a minute, or when the reason changes), not each chunk. Does not reclaim.

class ReclaimRecord {
 public:
  /// Both must outlive it.
  ReclaimRecord(const tree::CgroupTree& tree, Recorder& recorder) : tree_(tree), recorder_(recorder) {}
  /// Records one tick's orders, and the outcomes of earlier orders.
  void record(const std::vector<ReclaimOrder>& orders, const std::vector<ReclaimOutcome>& outcomes,
              MonoTime now);

 private:
  struct Recorded {
    CgroupId target{};
    MonoTime ordered{};  ///< last time
  };
  struct Ended {
    CgroupId target{};
    ReclaimEnd end{};
    MonoTime at{};  ///< when it was recorded
  };
  void record_start(const ReclaimOrder& order, MonoTime now);
  void record_end(const ReclaimOutcome& outcome, MonoTime now);
  const tree::CgroupTree& tree_;
  Recorder& recorder_;
  std::vector<Recorded> recorded_{};  ///< cgroups whose reclaim is on record
  std::vector<Ended> ended_{};        ///< and how it ended early
};

}  // namespace evenkeel::record
