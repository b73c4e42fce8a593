// Following the tasks of cgroups: a task's children are born with what it has, so a cgroup is looked at until
// nobody in it lacks it, a few times more, and then once a minute, for a process that joined it from outside.
// May not: touch a task.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cgroup/base/resctrl_files.h"
#include "cgroup/tree/descendants.h"
#include "cgroup/tree/tree.h"
#include "qos/model/ids.h"
#include "qos/model/units.h"

namespace evenkeel::tree {

/// A cgroup whose tasks are followed.
struct TrackedTasks {
  static constexpr int kChecks = 4;  ///< at a cgroup that is new here, one a second
  CgroupId cgroup{};
  std::string dir{}, threads_file{};
  int checks_left = kChecks;
  MonoTime next_check{};
  void recheck(MonoTime now) {
    checks_left = kChecks;
    next_check = now;
  }
};
TrackedTasks follow(const CgroupTree& tree, const Cgroup& cgroup, MonoTime now);

/// Room for reading a cgroup's threads, kept from one to the next.
struct ThreadsRoom {
  std::string text{};
  BelowRoom below{};
};

/// Appends the threads of the directory and of cgroups inside of it. `file`: the directory's own. How many
/// are hidden: of a PID namespace that we do not see.
int add_threads(ResctrlFiles& files, std::string_view dir, std::string_view file, ThreadsRoom& room,
                std::vector<std::int32_t>& threads);

/// Whose turn it is.
class CheckTimer {
 public:
  static constexpr Duration kCheckInterval = std::chrono::seconds(1);

  /// Positions among `members` of those who are due now; with `sweep` the others in turn as well.
  template <class Members>
  void find_due(const Members& members, MonoTime now, bool sweep) {
    due_.clear();
    for (std::size_t i = 0; i < members.size(); ++i)
      if (members[i].checks_left > 0 && members[i].next_check <= now) due_.push_back(i);
    if (!sweep || members.empty() || now - swept_ < kSweepInterval) return;
    swept_ = now;
    const auto share = (members.size() + kSweeps - 1) / kSweeps;
    for (std::size_t k = 0; k < share; ++k) {
      const auto i = (sweep_from_ + k) % members.size();
      if (members[i].checks_left == 0) due_.push_back(i);
    }
    sweep_from_ = (sweep_from_ + share) % members.size();
  }
  [[nodiscard]] const std::vector<std::size_t>& due() const { return due_; }

  /// They have been looked at; `enough`: and need no more looks.
  template <class Members>
  void looked(Members& members, MonoTime now, bool enough) const {
    for (const auto i : due_) {
      auto& member = members[i];
      if (member.checks_left == 0) continue;
      member.checks_left = enough ? 0 : member.checks_left - 1;
      member.next_check = now + kCheckInterval;
    }
  }

 private:
  static constexpr Duration kSweepInterval = std::chrono::seconds(5);
  static constexpr std::size_t kSweeps = 12;  ///< until every cgroup was looked at again
  std::vector<std::size_t> due_{};
  std::size_t sweep_from_ = 0;
  MonoTime swept_{};
};

}  // namespace evenkeel::tree
