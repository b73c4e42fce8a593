// One node's agent: senses, policies and hands, wired once and driven by tick(). One way through:
// inputs and tree -> snapshot -> intents -> plan -> executor -> report. Knows nothing of sockets, timers or
// threads.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agent/inputs/inputs.h"
#include "agent/lender/lending.h"
#include "agent/record/audit.h"
#include "agent/record/brake_record.h"
#include "agent/record/measurement_status_log.h"
#include "agent/record/report_state.h"
#include "agent/record/traffic.h"
#include "agent/record/wait_totals.h"
#include "agent/runtime/log.h"
#include "agent/tick/checkpoints.h"
#include "agent/tick/degraded.h"
#include "agent/tick/pod_killer.h"
#include "agent/tick/unlisted_pods.h"
#include "cgroup/executor/executor.h"
#include "cgroup/executor/file_writer.h"
#include "cgroup/features/features.h"
#include "cgroup/iocost/cost_writer.h"
#include "cgroup/network/kernel_network.h"
#include "cgroup/network/writer.h"
#include "cgroup/reclaim/reclaimer.h"
#include "cgroup/resctrl/writer.h"
#include "cgroup/sched/core_sched_writer.h"
#include "cgroup/sched/sched_feature_writer.h"
#include "collectors/pressure/triggers.h"
#include "collectors/sampler.h"
#include "qos/decide/arbiter.h"
#include "qos/eviction/eviction.h"
#include "qos/memory/reclaim.h"
#include "qos/registry.h"

namespace evenkeel::tick {

struct AgentOptions {
  std::string host_root = "/";
  std::string cgroup_root{};
  std::string state_dir{};
  inputs::Inputs::Options inputs{};
  bool dry_run = false;
  bool stepped = false;  ///< nothing is waited for: files and tree are looked at in every tick
};

/// What one tick did, for whoever shows it.
struct TickResult {
  MonoTime now{};
  executor::Report report{};
  std::vector<eviction::Eviction> evictions{};  ///< pods that are asked to go (dry run: that would be)
  std::vector<ReclaimOrder> reclaims{};         ///< in force until the next tick
  std::vector<std::string> problems{};          ///< inputs that were refused just now
};

/// Sums since the start, for the metrics.
struct AgentCounters {
  std::uint64_t ticks = 0, early_ticks = 0, late_ticks = 0, scans = 0, watch_overflows = 0;
  std::array<std::uint64_t, kFeatureGates.size()> evictions{};  ///< pods chosen, by trigger
  std::uint64_t eviction_failures = 0, pods_killed = 0;
  Duration last_tick{}, longest_tick{}, last_early_tick{}, longest_early_tick{};
};

/// What becomes of a pod that has to go.
enum class EvictionRoute : std::uint8_t {
  api,          ///< the API server is asked
  kill,         ///< there is none: its processes are ended
  report_only,  ///< stepped mode and dry run
  unavailable   ///< there is none, and nothing may be ended
};

class Agent {
 public:
  struct Created {
    std::unique_ptr<Agent> agent{};
    std::string error{};
    int exit_code = 1;
  };
  /// Opens the host, takes the state directory's lock, undoes what a crash left and reads the inputs once.
  static Created create(const AgentOptions& options, runtime::Log& log, const runtime::Clock& clock,
                        const runtime::WallClock* wall);

  /// One full round: sense, decide, write.
  const TickResult& tick(MonoTime now);
  /// Something happened between two ticks (a cgroup was born, a file changed, somebody wrote a value): decide
  /// again on the measurements at hand. Nothing is measured, so rates keep their tick-long windows.
  const TickResult& react(MonoTime now);
  /// Between two ticks as well: somebody waits too much, as a pressure trigger or another watcher says. Sets
  /// what only this moment can tell, and brakes if that helps.
  const TickResult& alarm(Alarm alarm);
  /// Who waits for pressure triggers and other alarms; its `hear` calls alarm(). Until then, and with {}
  /// again, there are none.
  void set_alarm_source(collectors::AlarmDescriptors waiting);
  /// When react() is to be called at the latest.
  [[nodiscard]] std::optional<MonoTime> due() const;
  /// Orderly stop: every original goes back.
  TickResult stop(MonoTime now);

  /// Who asks a pod to go. Without one nobody is asked, which is said; stepped mode and dry run only tell.
  void set_evictor(std::function<void(const eviction::Eviction&)> ask) { request_eviction_ = std::move(ask); }
  /// It may not or cannot go, for the reason given: not chosen again before `pause` has passed.
  void eviction_failed(const std::string& uid, const std::string& why, Duration pause);
  /// Nobody has answered: it may be on its way, so nobody else is asked before its patience is over.
  void eviction_unanswered(const std::string& uid, const std::string& why);
  [[nodiscard]] EvictionRoute eviction_route() const;
  [[nodiscard]] const eviction::EvictionState& eviction() const { return eviction_state_; }
  [[nodiscard]] const decide::PolicyState& policy_state() const { return policy_state_; }

  /// Works out what can be lent from the ticks so far. Less often than a tick: it allocates.
  void lend(MonoTime now);
  /// What lending().advertised() asked for stands where it is advertised.
  void mark_advertised(MonoTime now) { lending_.mark_written(now); }
  /// What stands there, as the Node says.
  void set_standing(const lending::LentAmounts& amounts) { lending_.set_standing(amounts); }
  [[nodiscard]] const lender::Lending& lending() const { return lending_; }

  /// Who tells a pod's owner what was done to it: hears all that goes on record about a pod that has a name.
  void set_pod_event_sink(std::function<void(const Pod&, const record::AuditEvent&)> hear) {
    pod_event_sink_ = std::move(hear);
  }
  /// Somebody reports what is used: it is measured also where nothing is lent. Before the first tick.
  void require_usage_history() { lending_.keep_usage(); }
  /// From now on it is measured as the cluster asks.
  void set_collect_policy(lender::CollectPolicy policy);

  void missed_ticks(std::uint64_t count) { counters_.late_ticks += count; }

  /// Of the last tick() or react().
  [[nodiscard]] const TickResult& tick_result() const { return result_; }
  [[nodiscard]] const NodeSnapshot& snapshot() const { return snapshot_; }
  [[nodiscard]] std::vector<executor::Managed> managed() const;
  [[nodiscard]] const inputs::Inputs& inputs() const { return inputs_; }
  /// For what servers deliver; react() takes it in.
  [[nodiscard]] inputs::Inputs& mutable_inputs() { return inputs_; }
  /// The youngest directory of a pod or container that the pod list does not name. Zero: it names them all.
  [[nodiscard]] CgroupId newest_unknown_cgroup() const { return newest_unknown_cgroup_; }
  /// Requests to servers, for the metrics; must outlive the agent's last page.
  void show(const record::KubeTraffic& traffic) { traffic_.push_back(&traffic); }
  [[nodiscard]] const std::vector<const record::KubeTraffic*>& traffic() const { return traffic_; }
  void show(const record::PodEventCounters& events) { pod_events_ = &events; }
  /// Null: nobody is told.
  [[nodiscard]] const record::PodEventCounters* pod_events() const { return pod_events_; }
  /// What became of the reports of usage; null: nobody makes any.
  void show(const record::ReportState* usage_reports) { usage_reports_ = usage_reports; }
  [[nodiscard]] const record::ReportState* usage_reports() const { return usage_reports_; }
  [[nodiscard]] const tree::CgroupTree& tree() const { return *tree_; }
  [[nodiscard]] const record::Audit& audit() const { return audit_; }
  [[nodiscard]] const AgentCounters& counters() const { return counters_; }
  /// Why it cannot do its work; absent: it can.
  [[nodiscard]] std::optional<Degraded> degraded() const;
  [[nodiscard]] const executor::ExecutorCounters& executor_counters() const { return executor_->counters(); }
  [[nodiscard]] const reclaim::Reclaimer& reclaimer() const { return *reclaimer_; }
  [[nodiscard]] const resctrl::ResctrlCounters& resctrl_counters() const { return resctrl_->counters(); }
  [[nodiscard]] const iocost::CostCounters& cost_counters() const { return io_cost_->counters(); }
  /// Of the hands besides the executor, together.
  [[nodiscard]] executor::HandTotals actuator_totals() const;
  [[nodiscard]] const sched::CoreSchedCounters& core_sched_counters() const {
    return core_sched_->counters();
  }
  [[nodiscard]] executor::HandTotals network_totals() const { return network_->totals(); }
  [[nodiscard]] const record::BrakeRecord& brakes() const { return brakes_; }
  [[nodiscard]] pressure::TriggerHealth trigger_health() const { return triggers_->health(); }
  /// Waits for CPUs, memory and disks; empty while nobody asks.
  [[nodiscard]] const record::WaitTotals& wait_totals() const { return wait_totals_; }
  [[nodiscard]] const collectors::SamplerHealth& sampler_health() const { return sampler_->health(); }
  /// The files that a tick reads, for measuring.
  [[nodiscard]] std::vector<collectors::SamplerRead> reads() const { return sampler_->reads(); }
  [[nodiscard]] std::vector<features::Capability> capabilities() const {
    return features::probe(host_, *tree_);
  }
  [[nodiscard]] std::string watch_limitation() const {
    return watch_ ? watch_->limitation() : "no watch: looked at in every tick";
  }
  [[nodiscard]] const executor::Journal& journal() const { return journal_; }
  [[nodiscard]] const AgentOptions& options() const { return options_; }
  /// "namespace/name" of a cgroup's pod, its uid where only the directory is known; empty: no pod.
  [[nodiscard]] std::string pod_name(CgroupId cgroup) const;
  /// The same for people: the path of what is no pod's.
  [[nodiscard]] std::string display_name(CgroupId cgroup) const;
  /// The same for a uid.
  [[nodiscard]] std::string pod_name_of_uid(std::string_view uid) const;
  /// Descriptors whose readiness calls for react().
  [[nodiscard]] std::vector<int> descriptors() const;

 private:
  /// What has to open before there can be an agent.
  struct Opened {
    Host host;
    tree::Layout layout;
    executor::Journal journal;
    record::Audit audit;
  };
  Agent(AgentOptions options, Opened opened, runtime::Log& log, const runtime::Clock& clock,
        const runtime::WallClock* wall);
  struct Changes {
    bool inputs = false;      ///< a text of people's changed
    bool tree = false;        ///< directories came or went
    bool everywhere = false;  ///< where is not known
    tree::TreeWatch::Changes seen{};
  };
  Changes refresh_inputs(MonoTime now);
  bool scan(Changes& news);
  void scan_until_stable(Changes& news);
  void join_roster();
  void configure_lending();
  void record_early_tick(Duration took);
  void follow_triggers();
  void after_decisions(MonoTime now);
  [[nodiscard]] std::optional<Duration> recent_throttling(CgroupIndex victim);
  void add_evidence(Alarm& alarm);
  bool brake_wanted(MonoTime now);
  void record_brake(MonoTime now);
  /// In the order in which they work; the first of them before the executor.
  [[nodiscard]] std::array<executor::Hand*, 5> actuators() const {
    return {io_cost_.get(), resctrl_.get(), core_sched_.get(), sched_features_.get(), network_.get()};
  }
  void follow_host_applications();
  void act(MonoTime now);
  void evict(MonoTime now);
  void reclaim(MonoTime now);
  void log_reclaims(MonoTime now);
  void log_unresolved(MonoTime now);
  void start_kill(const eviction::Eviction& victim, MonoTime now);
  void continue_kill(MonoTime now);
  void load_peaks(MonoTime now);
  void load_baselines(MonoTime now);
  void save_checkpoints(MonoTime now, bool last);
  void save_baselines(MonoTime now, bool last);
  void record_failed_eviction(const std::string& uid, const std::string& why, MonoTime now);
  void report_leftovers();
  void record(const executor::Report& report, MonoTime now);
  void record(const eviction::Eviction& eviction, MonoTime now);
  void record_interference(MonoTime now);
  void record(record::AuditEvent event, std::string_view uid, MonoTime now);
  [[nodiscard]] std::string_view uid_of(CgroupId cgroup) const;
  [[nodiscard]] const Pod* find_pod(std::string_view uid) const;
  void record_deferred(std::size_t changes, MonoTime now);

  AgentOptions options_;
  runtime::Log& log_;
  const runtime::Clock& clock_;
  const runtime::WallClock* wall_;
  Host host_;
  executor::Journal journal_;
  record::Audit audit_;
  executor::FileWriter files_;
  executor::ResctrlWriter resctrl_files_;
  sched::KernelCookies cookies_;
  network::KernelNetwork network_port_;
  inputs::Inputs inputs_;
  std::unique_ptr<tree::CgroupTree> tree_{};
  std::optional<tree::TreeWatch> watch_{};
  std::unique_ptr<collectors::Sampler> sampler_{};
  std::unique_ptr<pressure::PressureTriggers> triggers_{};
  bool triggers_stale_ = false;  ///< who has one is not what the roster says
  bool brake_changed_ = false;   ///< what was in force before is not what the snapshot says
  std::unique_ptr<executor::Executor> executor_{};
  std::unique_ptr<reclaim::Reclaimer> reclaimer_{};
  /// Hands besides the executor, see hands().
  std::unique_ptr<resctrl::ResctrlHand> resctrl_{};
  std::unique_ptr<iocost::CostHand> io_cost_{};
  std::unique_ptr<sched::CoreSchedHand> core_sched_{};
  std::unique_ptr<sched::SchedFeatureHand> sched_features_{};
  std::unique_ptr<network::NetworkHand> network_{};

  Pods listed_{};  ///< what the roster is made of
  NodeSnapshot snapshot_{};
  CgroupId newest_unknown_cgroup_{};
  std::vector<const record::KubeTraffic*> traffic_{};
  const record::PodEventCounters* pod_events_ = nullptr;
  const record::ReportState* usage_reports_ = nullptr;
  std::unordered_map<std::string_view, const Pod*> pod_by_uid_{};  ///< into snapshot_.pod_specs
  decide::PolicyState policy_state_{};
  eviction::EvictionState eviction_state_{};
  std::optional<PodKiller> pod_killer_{};
  std::function<void(const eviction::Eviction&)> request_eviction_{};
  std::function<void(const Pod&, const record::AuditEvent&)> pod_event_sink_{};
  lender::Lending lending_{};
  Checkpoint peak_checkpoint_, baseline_checkpoint_;
  bool detecting_ = false;  ///< the policy "interference" has what was learned of workloads
  decide::Intents intents_{};
  std::vector<decide::Intent> plan_{};
  struct LoggedReclaim {
    CgroupId target{};
    MonoTime ordered{};  ///< for the last time
  };
  std::vector<LoggedReclaim> logged_reclaims_{};  ///< that memory is taken from them has been said
  std::vector<tree::TreeWatch::Changes::Value> foreign_writes_{};
  TickResult result_{};
  executor::Report
      leftovers_{};  ///< what a crash had left and the start put back, until the first tick tells it
  AgentCounters counters_{};
  record::BrakeRecord brakes_{};
  record::WaitTotals wait_totals_{};
  record::MeasurementStatusLog measurement_status_log_{};
};

}  // namespace evenkeel::tick
