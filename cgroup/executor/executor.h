// Provides the executor, which turns a plan into ordered, legal, journalled writes, restores each value that
// no policy asks for any more, and reports what happened. Does not decide what is intended. One call of
// apply() changes at most `max_changes` files. The rest follows in the next ticks, in the order of the plan;
// after a cut every file holds a legal value, and each original is in the journal.
//
// Besides what the plan names, it writes what the kernel's rules require with it, and restores that as well:
// a burst is lowered with its quota; on v1, quotas and CPU sets of descendants are fitted into their
// parent's; shares are written again after cpu.idle, which makes the kernel forget them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cgroup/base/kernel_files.h"
#include "cgroup/executor/contest.h"
#include "cgroup/executor/journal.h"
#include "cgroup/tree/tree.h"
#include "cgroup/tree/watch.h"
#include "qos/decide/intent.h"
#include "qos/model/snapshot.h"

namespace evenkeel::executor {

struct Written {
  std::string path{};  ///< relative to the host root
  std::string old_text{}, new_text{};
  CgroupId cgroup{};
  Knob knob{};
  decide::PolicyIndex by = decide::kNoPolicy;
  bool restored = false;  ///< the original was restored: the reason says for which policy
  Reason why{};
  bool of_trial = false;  ///< "proof" withholds the value for some seconds, or it is back after that
};
struct Refused {
  std::string path{};
  Error error{};
  std::string text{};
  bool quarantined = false;
  Duration retry_in{};
  CgroupId cgroup{};     ///< zero: restored from the journal
  std::string detail{};  ///< an additional message of the kernel; usually empty
};

struct Report {
  std::vector<Written> writes{};
  std::vector<Refused> refusals{};
  std::vector<Foreign> foreign{};
  std::size_t deferred = 0;  ///< changes deferred to the next tick
};

/// One value that the executor holds now.
struct Managed {
  CgroupId cgroup{};
  Knob knob{};
  std::string path{};
  std::string original{}, ours{};
  decide::PolicyIndex by = decide::kNoPolicy;
  Reason why{};
  MonoTime since{};
  bool yielded = false;
};

/// One value that stays its owner's although a policy wants another, because the owner's goes further:
/// nothing is written, and nothing held. What a kubelet with MemoryQoS writes to the memory files of its
/// pods.
struct Kept {
  CgroupId cgroup{};
  Knob knob{};
  std::string path{};
  std::string owners{}, wanted{};              ///< as the file has them
  decide::PolicyIndex by = decide::kNoPolicy;  ///< the policy that wants the other value
  Reason why{};
};

/// Counted since the start; managed and quarantined are current.
struct ExecutorCounters : ForeignCounts {
  std::uint64_t writes = 0;    ///< that the kernel accepted, restoring ones included
  std::uint64_t restored = 0;  ///< originals restored
  std::uint64_t refusals = 0;
  std::uint64_t deferred = 0;  ///< changes deferred to the next tick, counted once per deferral
  std::size_t managed = 0, quarantined = 0;
  std::map<int, std::uint64_t> refusals_by_errno{};
};

struct ExecutorOptions {
  /// Serves a node with 500 pods within its first three ticks.
  static constexpr std::size_t kMaxChanges = 1000;
  bool dry_run = false;                   ///< everything but the journal and the writes
  std::size_t max_changes = kMaxChanges;  ///< per call of apply(); restore_all() has no limit
};

class Executor {
 public:
  /// All three must outlive it. `tree` is read at each call, so it may grow in between.
  Executor(const tree::CgroupTree& tree, KernelFiles& files, Journal& journal, ExecutorOptions options);
  ~Executor();

  /// Brings the kernel to the plan (see qos/decide/intent.h, arbitrate()): at most one value per (cgroup,
  /// knob), sorted. `seen` are values that another process wrote since the last call, with the writer's name
  /// where it is known. The caller must refresh the written cgroups' settings in the snapshot before the next
  /// call; as long as the snapshot shows an old value each call reads the file itself.
  Report apply(const std::vector<decide::Intent>& plan, const NodeSnapshot& node,
               const std::vector<tree::TreeWatch::Changes::Value>& seen);
  /// Restores every original, for an orderly stop. Ignores back-offs.
  Report restore_all(MonoTime now);
  /// All values held now, sorted by path.
  [[nodiscard]] std::vector<Managed> managed() const;
  /// The values of the last call of apply() that stay their owners', sorted by path.
  [[nodiscard]] std::vector<Kept> kept() const;
  [[nodiscard]] const ExecutorCounters& counters() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Restores offline what a journal holds: at start after a crash, and for `evenkeel restore`. A value that
/// the agent neither wrote nor was about to write belongs to another process and stays. What the kernel
/// refuses to restore stays in the journal for a retry.
Report restore_from_journal(KernelFiles& files, Journal& journal);

// The interface of actuators besides the executor: each applies its part of the intents to something that is
// not a cgroup value, restores it, and reports what happened. Does not decide what is intended.

/// Counted since the start; held and quarantined are current.
struct ActuatorTotals {
  std::uint64_t writes = 0, restored = 0, refusals = 0, foreign = 0;
  std::size_t held = 0, quarantined = 0;
  ActuatorTotals& operator+=(const ActuatorTotals& other) {
    writes += other.writes;
    restored += other.restored;
    refusals += other.refusals;
    foreign += other.foreign;
    held += other.held;
    quarantined += other.quarantined;
    return *this;
  }
};

class Actuator {
 public:
  virtual ~Actuator() = default;
  /// Applies its part of the intents. Adds what it did to `report`.
  virtual void serve(const decide::Intents& intents, MonoTime now, Report& report) = 0;
  /// Restores everything, for an orderly stop. Ignores back-offs.
  virtual void restore_all(MonoTime now, Report& report) = 0;
  virtual void add_managed(std::vector<Managed>& out) const = 0;
  [[nodiscard]] virtual ActuatorTotals totals() const = 0;
};

}  // namespace evenkeel::executor
