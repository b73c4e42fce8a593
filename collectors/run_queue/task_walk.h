// Reads the tasks of each container in /proc: how many run or wait for a disk or a lock, and how long each
// waited for a CPU. Used where the kernel keeps no such sums per cgroup: CGROUPSTATS is v1 only, and
// measuring waits with BPF needs a capability. Does not know which task had the CPU.
//
// Each task costs two small reads, about 8 us of CPU, so the number of tasks is limited: above the limit,
// nothing is reported until there are clearly fewer. A task counts from the second walk on: its waits before
// the first walk and after the last are lost. All waits between two walks are also dropped if the cgroup was
// throttled by a quota meanwhile, because that looks the same.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cgroup/tree/tree.h"
#include "collectors/base/collector.h"

namespace evenkeel::run_queue {

/// One task's /proc/TID/schedstat.
struct TaskSchedule {
  Duration waited{};            ///< from runnable to running, since the task began
  std::int64_t timeslices = 0;  ///< received so far
};
/// Absent: not in the kernel's format, or a kernel without CONFIG_SCHED_INFO (all zeros, though the task has
/// run).
std::optional<TaskSchedule> parse_schedstat(std::string_view text);
/// The state letter in /proc/TID/stat, after the name, which may contain any character. '\0': not in the
/// kernel's format.
char task_state(std::string_view text);

class TaskWalk {
 public:
  /// In one walk; about 8 ms of CPU.
  static constexpr std::size_t kMaxTasks = 1000;
  /// Above the maximum, only the task lists are read until there are no more than this: the gap prevents
  /// results in every second walk only.
  static constexpr std::size_t kResumeBelow = 800;

  struct Result {
    CgroupId cgroup{};
    std::int64_t running = 0, uninterruptible = 0;
    /// Only tasks that were seen in the previous walk; absent: unknown.
    std::optional<TaskSchedule> since{};
  };

  /// The tree changed: where the task lists are. May allocate.
  void follow(const tree::CgroupTree& tree);
  /// Walks over all tasks of all containers, including their own sub-cgroups. Returns why nothing is known,
  /// or an empty text. Allocates only when there are more tasks than ever before.
  std::string_view scan(collectors::Tick& tick, bool schedules);
  /// In the order of NodeSnapshot::cgroups; from the last successful walk.
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
    bool held_up = false;  ///< throttled by a quota since the previous walk
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
  std::string_view list_{};  ///< the file in a directory that lists its tasks, with the slash
  tree::BelowRoom below_{};
  std::string path_{};
  std::array<char, 512> text_{};
  std::size_t tasks_ = 0;        ///< in this walk
  std::size_t schedules_ = 0;    ///< those with a sum
  bool too_many_tasks_ = false;  ///< there were too many, and not yet few enough again
  bool foreign_ = false;         ///< some tasks have no number in our PID namespace
};

}  // namespace evenkeel::run_queue
