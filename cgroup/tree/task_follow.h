// Schedules the checks of cgroups' tasks: a task's children inherit its setting, so a cgroup is checked
// four times, once a second (a refused check does not count), and then in turn with the others, for a process
// that joined it from outside. The processes of a container that starts later come from outside, too. Does
// not touch tasks.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cgroup/base/kernel_files.h"
#include "cgroup/tree/tree.h"
#include "qos/model/ids.h"
#include "qos/model/units.h"

namespace evenkeel::tree {

/// A cgroup whose tasks are followed.
struct TrackedTasks {
  static constexpr int kChecks = 4;  ///< of a new cgroup, one per second
  CgroupId cgroup{};
  std::string dir{}, threads_file{};
  int checks_left = kChecks;
  MonoTime next_check{}, since{};
  MonoTime refused_until{};  ///< it is not due before
  void recheck(MonoTime now, int checks = kChecks) {
    checks_left = checks;
    next_check = now;
  }
};
TrackedTasks follow(const CgroupTree& tree, const Cgroup& cgroup, MonoTime now);

/// The one of this cgroup in `members`, a vector of a type derived from TrackedTasks, sorted by cgroup. If
/// there is none yet, begins to follow the cgroup, unless `begin` is false. Null: there is none.
template <class Member>
Member* find_or_follow(std::vector<Member>& members, const CgroupTree& tree, CgroupId cgroup, MonoTime now,
                       bool begin = true) {
  const auto found = std::ranges::lower_bound(members, cgroup, {}, &Member::cgroup);
  if (found != members.end() && found->cgroup == cgroup) return &*found;
  const auto* directory = begin ? tree.find(cgroup) : nullptr;
  if (directory == nullptr) return nullptr;
  Member begun{};
  static_cast<TrackedTasks&>(begun) = follow(tree, *directory, now);
  return &*members.insert(found, std::move(begun));
}

/// Buffers for reading a cgroup's threads, kept from one to the next.
struct ThreadsRoom {
  std::string text{};
  BelowRoom below{};
};

/// Appends the threads of the directory and of the cgroups inside it. `file`: the directory's own. Returns
/// how many are hidden: threads of a PID namespace that the agent does not see. room.below.unread: whether
/// all lists could be read.
int add_threads(ResctrlFiles& files, std::string_view dir, std::string_view file, ThreadsRoom& room,
                std::vector<std::int32_t>& threads);

/// The same for a directory of which only the record is known: by each of the lists that the kernel has.
/// Returns the first error that does not say that the list is gone; code 0: none.
Error add_recorded_threads(ResctrlFiles& files, const std::string& dir, std::string_view v2_file,
                           std::string_view v1_file, ThreadsRoom& room, std::vector<std::int32_t>& threads);

/// Decides which cgroups are due for a check.
class CheckTimer {
 public:
  static constexpr Duration kCheckInterval = std::chrono::seconds(1);
  /// `turn`: how long it takes until every cgroup was checked again, unless that were more than `most` at a
  /// time.
  explicit CheckTimer(Duration turn = std::chrono::minutes(1),
                      std::size_t most = std::numeric_limits<std::size_t>::max())
      : turn_(turn), most_(most) {}

  /// Pods in which a container was created since the last call are checked as new ones are: it was started
  /// again, or its image took long to download.
  template <class Members>
  void recheck_grown(Members& members, const CgroupTree& tree, MonoTime now) {
    if (tree.next_id() == seen_) return;
    for (const CgroupId id : tree.created_since(seen_)) {
      const Cgroup* born = tree.find(id);
      if (born == nullptr || born->kind != CgroupKind::container) continue;
      const auto pod = std::ranges::lower_bound(members, born->parent, {}, &TrackedTasks::cgroup);
      if (pod != members.end() && pod->cgroup == born->parent) pod->recheck(now);
    }
    seen_ = tree.next_id();
  }

  /// Positions among `members` of those due now; with `sweep` the others in turn as well.
  template <class Members>
  void find_due(const Members& members, MonoTime now, bool sweep) {
    due_.clear();
    for (std::size_t i = 0; i < members.size(); ++i)
      if (members[i].checks_left > 0 && members[i].next_check <= now && members[i].refused_until <= now)
        due_.push_back(i);
    // Nine tenths of the time between two sweeps: a tick may come a little early.
    if (!sweep || members.empty() || now - swept_ < turn_ * 9 / 100) return;
    swept_ = now;
    const auto share = std::min((members.size() + kSweeps - 1) / kSweeps, most_);
    for (std::size_t k = 0; k < share; ++k) {
      const auto i = (sweep_from_ + k) % members.size();
      if (members[i].checks_left == 0 && members[i].refused_until <= now) due_.push_back(i);
    }
    sweep_from_ = (sweep_from_ + share) % members.size();
  }
  [[nodiscard]] const std::vector<std::size_t>& due() const { return due_; }

  /// They have been checked, but for those that were refused; `enough`: and need no more checks.
  template <class Members>
  void checked(Members& members, MonoTime now, bool enough) const {
    for (const auto i : due_) {
      auto& member = members[i];
      if (member.checks_left == 0 || now < member.refused_until) continue;
      member.checks_left = enough ? 0 : member.checks_left - 1;
      member.next_check = now + kCheckInterval;
    }
  }

 private:
  static constexpr std::size_t kSweeps = 10;  ///< of a turn
  Duration turn_;
  std::size_t most_;
  std::vector<std::size_t> due_{};
  std::size_t sweep_from_ = 0;
  MonoTime swept_{};
  CgroupId seen_{};  ///< CgroupTree::next_id() at the last recheck_grown()
};

}  // namespace evenkeel::tree
