// Container by container, the tasks themselves: how many run or wait for a disk or a lock, and how long each
// waited for a CPU, by their files in /proc. For where the kernel keeps no such sums of a cgroup: CGROUPSTATS
// knows v1 only, and the waits that BPF measures need a capability. May not: say who had the CPU.
//
// Two small reads a task, some 8 us of CPU, so there is a bound on how many: with more tasks nothing is known
// of any until there are clearly fewer. A task's sum counts from the second look on: what it waited before it
// was seen, and after it was seen last, is lost. So is what all tasks waited between two looks when a quota
// held their cgroup up meanwhile: that looks the same.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cgroup/tree/descendants.h"
#include "collectors/base/collector.h"

namespace evenkeel::run_queue {

/// One task's /proc/TID/schedstat.
struct TaskSchedule {
  Duration waited{};            ///< from runnable to running, since the task began
  std::int64_t timeslices = 0;  ///< that it got
};
/// Absent: no such text, or a kernel without CONFIG_SCHED_INFO (all zeros, though the task has run).
std::optional<TaskSchedule> parse_schedstat(std::string_view text);
/// The letter of the state in /proc/TID/stat: behind the name, which may contain anything. '\0': no such
/// text.
char task_state(std::string_view text);

class TaskWalk {
 public:
  /// In one look; some 8 ms of CPU.
  static constexpr std::size_t kMaxTasks = 1000;
  /// Once there were more, only their lists are read until there are no more than so many: what is known in
  /// every second look only is not known.
  static constexpr std::size_t kResumeBelow = 800;

  struct Result {
    CgroupId cgroup{};
    std::int64_t running = 0, uninterruptible = 0;
    /// By tasks that were there at the look before too; absent: that is not known.
    std::optional<TaskSchedule> since{};
  };

  /// Where tasks are. May allocate.
  void follow(const tree::CgroupTree& tree);
  /// One look at all tasks of all containers, also in cgroups that they made for themselves. Not empty: why
  /// nothing is known. Allocates only while there are more tasks than ever before.
  std::string_view scan(collectors::Tick& tick, bool schedules);
  /// In the order of NodeSnapshot::cgroups; of the last look, where that worked.
  [[nodiscard]] const std::vector<Result>& seen() const { return seen_; }

 private:
  struct Task {
    std::int64_t tid = 0;
    TaskSchedule schedule{};
  };
  struct Watched {
    CgroupId cgroup{};
    std::string dir{};
    std::vector<Task> tasks{}, before{};
    bool held_up = false;  ///< by a quota, since the look before
  };
  void note_throttling(const NodeSnapshot& node);
  std::string_view clear(std::string_view why);
  std::size_t count_tasks(collectors::Tick& tick);
  template <class F>
  void for_each_task(const Watched& watched, collectors::Tick& tick, F f);
  void scan_cgroup(Watched& watched, collectors::Tick& tick, bool schedules, Result& into);
  bool scan_task(std::int64_t tid, const Host& host, bool schedules, Watched& watched, Result& into);
  [[nodiscard]] std::string_view read_file(std::int64_t tid, std::string_view file, const Host& host);

  std::vector<Watched> watched_{};
  std::vector<Result> seen_{};
  std::string_view list_{};  ///< the file of a directory that names its tasks, with the slash
  tree::BelowRoom below_{};
  std::string path_{};
  std::array<char, 512> text_{};
  std::size_t tasks_ = 0;        ///< in this look
  std::size_t schedules_ = 0;    ///< of them with a sum
  bool too_many_tasks_ = false;  ///< there were too many, and are not few yet
  bool foreign_ = false;         ///< some tasks have no number in our PID namespace
};

}  // namespace evenkeel::run_queue
