#include "collectors/run_queue/task_walk.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "cgroup/base/text.h"
#include "collectors/base/follow.h"
#include "collectors/base/reading.h"

namespace evenkeel::run_queue {
namespace {

/// The size of a task list: up to eight bytes per task.
constexpr std::size_t kMostBytes = 8 * TaskWalk::kMaxTasks + 64;
constexpr std::string_view kCrowded =
    "containers have more than 1000 tasks: too many to read one by one until there are at most 800";

}  // namespace

std::optional<TaskSchedule> parse_schedstat(std::string_view text) {
  Scanner scan(text);
  const auto ran = scan.number(), waited = scan.number(), slices = scan.number();
  if (!ran || !waited || !slices || *ran < 0 || *waited < 0 || *slices < 0) return std::nullopt;
  if (*ran > 0 && *slices == 0) return std::nullopt;
  return TaskSchedule{Duration(*waited), *slices};
}

char task_state(std::string_view text) {
  const auto name_end = text.rfind(')');
  if (name_end == std::string_view::npos || text.size() < name_end + 3 || text[name_end + 1] != ' ')
    return '\0';
  return text[name_end + 2];
}

void TaskWalk::follow(const tree::CgroupTree& tree) {
  list_ = tree.layout().v2(Controller::cpu) ? "/cgroup.threads" : "/tasks";
  std::vector<const tree::Cgroup*> leaves;
  if (!tree.layout().root(Controller::cpu).empty())
    std::ranges::copy_if(tree.all(), std::back_inserter(leaves),
                         [](const tree::Cgroup* cgroup) { return is_leaf(cgroup->kind); });
  collectors::follow(leaves, &Watched::cgroup, watched_, [&](const tree::Cgroup& cgroup) {
    return Watched{.cgroup = cgroup.id, .dir = tree.dir(cgroup, Controller::cpu)};
  });
  seen_.reserve(watched_.size());
}

/// A cgroup may be throttled by its own quota or an ancestor's. One that the roster does not contain yet
/// counts as throttled.
void TaskWalk::note_throttling(const NodeSnapshot& node) {
  auto cgroup = node.cgroups.begin();
  for (Watched& watched : watched_) {
    while (cgroup != node.cgroups.end() && cgroup->id != watched.cgroup) ++cgroup;
    watched.held_up |= cgroup == node.cgroups.end();
    const CgroupSample* one = cgroup == node.cgroups.end() ? nullptr : &*cgroup;
    for (; one != nullptr; one = node.cgroup(one->parent))
      watched.held_up |= one->throttling && one->throttling->throttled_periods > 0;
  }
}

std::string_view TaskWalk::scan(collectors::Tick& tick, bool schedules) {
  seen_.clear();
  tasks_ = schedules_ = 0;
  foreign_ = false;
  note_throttling(tick.node);
  if (too_many_tasks_ && count_tasks(tick) > kResumeBelow) return clear(kCrowded);
  for (Watched& watched : watched_) {
    scan_cgroup(watched, tick, schedules, seen_.emplace_back(Result{.cgroup = watched.cgroup}));
    if (tasks_ > kMaxTasks || foreign_) break;
  }
  if (foreign_) return clear("the tasks of containers cannot be seen: that needs the host's PID namespace");
  too_many_tasks_ = tasks_ > kMaxTasks;
  if (too_many_tasks_) return clear(kCrowded);
  if (schedules && tasks_ > 0 && schedules_ == 0)
    return clear("no task reports how long it waited: the kernel is built without CONFIG_SCHED_INFO");
  return {};
}

std::string_view TaskWalk::clear(std::string_view why) {
  seen_.clear();
  for (Watched& one : watched_) one.tasks.clear();  // a sum of tasks that were not followed is not valid
  return why;
}

/// Calls f(number) until it returns false.
template <class F>
void TaskWalk::for_each_task(const Watched& watched, collectors::Tick& tick, F f) {
  below_.dir = watched.dir;
  below_.names.clear();
  bool more = true;
  tree::visit_descendants(below_, tick.host, [&](std::string& path) {
    path += list_;
    collectors::for_each_line(tick.host, path, tick.buffer, kMostBytes, [&](std::string_view line) {
      const auto tid = whole_number(line);
      if (tid && more) more = f(*tid);
    });
    return more;
  });
}

/// The number of tasks, or any number above the limit.
std::size_t TaskWalk::count_tasks(collectors::Tick& tick) {
  std::size_t sum = 0;
  for (const Watched& watched : watched_)
    if (sum <= kResumeBelow)
      for_each_task(watched, tick, [&](std::int64_t /*tid*/) { return ++sum <= kResumeBelow; });
  return sum;
}

void TaskWalk::scan_cgroup(Watched& watched, collectors::Tick& tick, bool schedules, Result& into) {
  std::swap(watched.before, watched.tasks);
  watched.tasks.clear();
  const bool held_up = std::exchange(watched.held_up, false);
  if (schedules && !held_up && !watched.before.empty()) into.since.emplace();
  for_each_task(watched, tick, [&](std::int64_t tid) {
    foreign_ |= tid == 0;
    if (tid > 0 && scan_task(tid, tick.host, schedules, watched, into)) ++tasks_;
    return tasks_ <= kMaxTasks;
  });
  std::ranges::sort(watched.tasks, {}, &Task::tid);
}

/// False: the task has ended.
bool TaskWalk::scan_task(std::int64_t tid, const Host& host, bool schedules, Watched& watched, Result& into) {
  const char state = task_state(read_file(tid, "/stat", host));
  if (state == '\0') return false;
  into.running += state == 'R' ? 1 : 0;
  into.uninterruptible += state == 'D' ? 1 : 0;
  if (!schedules) return true;
  const auto schedule = parse_schedstat(read_file(tid, "/schedstat", host));
  if (!schedule) {
    into.since.reset();
    return true;
  }
  ++schedules_;
  watched.tasks.push_back({tid, *schedule});
  const auto before = std::ranges::lower_bound(watched.before, tid, {}, &Task::tid);
  // The value decreased: it is another task with the same number.
  if (!into.since || before == watched.before.end() || before->tid != tid ||
      before->schedule.timeslices > schedule->timeslices || before->schedule.waited > schedule->waited)
    return true;
  into.since->waited += schedule->waited - before->schedule.waited;
  into.since->timeslices += schedule->timeslices - before->schedule.timeslices;
  return true;
}

std::string_view TaskWalk::read_file(std::int64_t tid, std::string_view file, const Host& host) {
  std::array<char, 24> digits{};
  char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), tid).ptr;
  path_.assign("proc/").append(digits.data(), end).append(file);
  return collectors::first_part(host, path_, text_);
}

}  // namespace evenkeel::run_queue
