// One node's agent: senses, policies and hands, wired once and driven by tick(). One way through:
// inputs and tree -> snapshot -> intents -> plan -> executor -> report. Knows nothing of sockets, timers or
// threads.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agent/core/audit.h"
#include "agent/core/inputs.h"
#include "agent/log.h"
#include "cgroup/executor.h"
#include "cgroup/features.h"
#include "cgroup/file_writer.h"
#include "collectors/sampler.h"
#include "qos/arbiter.h"
#include "qos/policy.h"

namespace evenkeel {

struct AgentOptions {
  std::string host_root = "/";
  std::string cgroup_root{};
  std::string state_dir{};
  Inputs::Options inputs{};
  bool dry_run = false;
  bool stepped = false;  ///< nothing is waited for: files and tree are looked at in every tick
};

/// What one tick did, for whoever shows it.
struct TickResult {
  MonoTime now{};
  Report report{};
  std::vector<std::string> problems{};  ///< inputs that were refused just now
};

/// Sums since the start, for the metrics.
struct AgentCounters {
  std::uint64_t ticks = 0, early_ticks = 0, late_ticks = 0, scans = 0, watch_overflows = 0;
  Duration last_tick{}, longest_tick{}, last_early_tick{}, longest_early_tick{};
};

class Agent {
 public:
  struct Created {
    std::unique_ptr<Agent> agent{};
    std::string error{};
    int exit_code = 1;
  };
  /// Opens the host, takes the state directory's lock, undoes what a crash left and reads the inputs once.
  static Created create(const AgentOptions& options, Log& log, const Clock& clock, const WallClock* wall);

  /// One full round: sense, decide, write.
  const TickResult& tick(MonoTime now);
  /// Something happened between two ticks (a cgroup was born, a file changed, somebody wrote a value): decide
  /// again on the measurements at hand. Nothing is measured, so rates keep their tick-long windows.
  const TickResult& react(MonoTime now);
  /// Orderly stop: every original goes back.
  TickResult stop(MonoTime now);

  void missed_ticks(std::uint64_t count) { counters_.late_ticks += count; }

  /// Of the last tick() or react().
  [[nodiscard]] const TickResult& tick_result() const { return result_; }
  [[nodiscard]] const NodeSnapshot& snapshot() const { return snapshot_; }
  [[nodiscard]] std::vector<Managed> managed() const { return executor_->managed(); }
  [[nodiscard]] const Inputs& inputs() const { return inputs_; }
  [[nodiscard]] const CgroupTree& tree() const { return *tree_; }
  [[nodiscard]] const Audit& audit() const { return audit_; }
  [[nodiscard]] const AgentCounters& counters() const { return counters_; }
  [[nodiscard]] const ExecutorCounters& executor_counters() const { return executor_->counters(); }
  [[nodiscard]] const SamplerHealth& sampler_health() const { return sampler_->health(); }
  /// The files that a tick reads, for measuring.
  [[nodiscard]] std::vector<SamplerRead> reads() const { return sampler_->reads(); }
  [[nodiscard]] std::vector<Capability> capabilities() const { return probe(host_, *tree_); }
  [[nodiscard]] std::string watch_limitation() const {
    return watch_ ? watch_->limitation() : "no watch: looked at in every tick";
  }
  [[nodiscard]] const Journal& journal() const { return journal_; }
  [[nodiscard]] const AgentOptions& options() const { return options_; }
  /// "namespace/name" of the pod a cgroup belongs to, its uid where only the directory is known; empty: no
  /// pod.
  [[nodiscard]] std::string pod_of(CgroupId cgroup) const;
  /// Descriptors whose readiness calls for react().
  [[nodiscard]] std::vector<int> descriptors() const;

 private:
  Agent(AgentOptions options, Host host, Layout layout, Journal journal, Audit audit, Log& log,
        const Clock& clock);
  struct News {
    bool inputs = false;      ///< a text of people's changed
    bool tree = false;        ///< directories came or went
    bool everywhere = false;  ///< where is not known
    TreeWatch::Changes seen{};
  };
  News take_in(MonoTime now);
  bool look(News& news);
  void look_until_still(News& news);
  void join_roster();
  void note_early(Duration took);
  void follow_host_applications();
  void act(MonoTime now);
  void show_leftovers();
  void record(const Report& report, MonoTime now);

  AgentOptions options_;
  Log& log_;
  const Clock& clock_;
  Host host_;
  Journal journal_;
  Audit audit_;
  FileWriter files_;
  Inputs inputs_;
  std::unique_ptr<CgroupTree> tree_{};
  std::optional<TreeWatch> watch_{};
  std::unique_ptr<Sampler> sampler_{};
  std::unique_ptr<Executor> executor_{};

  NodeSnapshot snapshot_{};
  std::unordered_map<std::string_view, const Pod*> pod_by_uid_{};  ///< into snapshot_.pod_specs
  PolicyState policy_state_{};
  Intents intents_{};
  std::vector<Intent> plan_{};
  std::vector<TreeWatch::Changes::Value> written_by_others_{};
  TickResult result_{};
  Report leftovers_{};  ///< what a crash had left and the start put back, until the first tick tells it
  AgentCounters counters_{};
};

}  // namespace evenkeel
