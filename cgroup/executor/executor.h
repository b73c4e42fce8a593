// The only hand that touches: a plan becomes ordered, legal, journalled writes, and what nobody asks for any
// more goes back to what it was. Reports what happened. May not: decide what is wished.
// Whatever policies wish, one tick changes only so many files. The rest follows in the next ticks, in the
// order of the plan; where it was cut every file holds a legal value, and each has its original on record.
//
// Besides what the plan names, it writes what the kernel's rules demand along with it, and undoes that as
// well: a burst comes down with its quota; on v1 quotas and CPU sets below come into what their parent is
// given; shares come back after cpu.idle, which makes the kernel forget them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cgroup/base/writer.h"
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
  decide::PolicyIndex by = 0;
  bool restored = false;  ///< the original went back: the reason says on whose behalf
  Reason why{};
};
struct Refused {
  std::string path{};
  Error error{};
  std::string text{};
  bool quarantined = false;
  Duration retry_in{};
  CgroupId cgroup{};     ///< zero: put back from the journal
  std::string detail{};  ///< what the kernel has to say besides; usually nothing
};

struct Report {
  std::vector<Written> writes{};
  std::vector<Refused> refusals{};
  std::vector<Foreign> foreign{};
  std::size_t deferred = 0;  ///< changes put off to the next tick
};

/// One value that we hold now.
struct Managed {
  CgroupId cgroup{};
  Knob knob{};
  std::string path{};
  std::string original{}, ours{};
  decide::PolicyIndex by = 0;
  Reason why{};
  MonoTime since{};
  bool yielded = false;
};

/// Since the start; managed and quarantined are of now.
struct ExecutorCounters : ForeignCounts {
  std::uint64_t writes = 0;    ///< done by the kernel, restoring ones included
  std::uint64_t skips = 0;     ///< not done, since the kernel held the value already
  std::uint64_t restored = 0;  ///< originals that went back
  std::uint64_t refusals = 0;
  std::uint64_t deferred = 0;  ///< changes put off to the next tick, once for each time
  std::size_t managed = 0, quarantined = 0;
  std::map<int, std::uint64_t> refusals_by_errno{};
};

struct ExecutorOptions {
  /// A node with 500 pods is served within three ticks of its first.
  static constexpr std::size_t kMaxChanges = 1000;
  bool dry_run = false;                   ///< everything but the journal and the writes
  std::size_t max_changes = kMaxChanges;  ///< at one moment; putting everything back is not bounded
};

class Executor {
 public:
  /// All three must outlive it. `tree` is asked again at each call, so it may grow in between.
  Executor(const tree::CgroupTree& tree, KernelFiles& files, Journal& journal, ExecutorOptions options);
  ~Executor();

  /// Brings the kernel to the plan (see arbiter.h): at most one value per (cgroup, knob), sorted. `seen` are
  /// values that somebody else wrote since the last call, with the writer's name where it is known.
  /// Whoever keeps the snapshot reads the settings of the written cgroups again before the next call; as long
  /// as it shows an old value each call looks at the file itself.
  Report apply(const std::vector<decide::Intent>& plan, const NodeSnapshot& node,
               const std::vector<tree::TreeWatch::Changes::Value>& seen);
  /// Puts every original back: orderly stop. Back-offs do not count here.
  Report restore_all(MonoTime now);
  /// Everything held now, sorted by path.
  [[nodiscard]] std::vector<Managed> managed() const;
  [[nodiscard]] const ExecutorCounters& counters() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Undo, offline, what a journal holds: at start after a crash, and `evenkeel restore`. A value that is
/// neither what we wrote nor what we meant to write belongs to somebody else and stays.
/// What the kernel refuses to take back stays in the journal for another try.
Report restore_from_journal(KernelFiles& files, Journal& journal);

}  // namespace evenkeel::executor
