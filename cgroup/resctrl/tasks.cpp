// Which task is in which resctrl group. A task's children start in its group, so a cgroup is checked
// four times, once a second, and then once a minute: for a process that joined it from outside.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <utility>

#include "cgroup/base/text.h"
#include "cgroup/resctrl/impl.h"

namespace evenkeel::resctrl {
namespace {

constexpr int kMostPasses = 8;  ///< per round, while tasks keep being created elsewhere
constexpr int kShownTasks = 16;

const std::string kRoot = kResctrlDir;
const std::string kRootTasks = kRoot + "/tasks", kMonitors = kRoot + "/mon_groups";

/// Each group in turn: the root's, which is null, and the agent's.
template <class F>
void for_each_group(std::vector<HeldGroup>& groups, F&& f) {
  f(static_cast<const HeldGroup*>(nullptr));
  for (auto& group : groups) f(static_cast<const HeldGroup*>(&group));
}
std::uint32_t id_of(const HeldGroup* group) { return group == nullptr ? 0 : group->id; }

bool contains(const std::vector<std::int32_t>& sorted, std::int32_t task) {
  return std::binary_search(sorted.begin(), sorted.end(), task);
}

}  // namespace

void ResctrlGroupWriter::Impl::place(const decide::ResctrlPlan& plan) {
  for (const auto& member : plan.members()) {
    std::uint32_t target = 0;
    for (auto index = member.group; index != decide::kRootGroup && target == 0;) {
      const auto& planned = plan.groups()[static_cast<std::size_t>(index)];
      if (const auto* held = planned.wanted ? find(planned.name) : nullptr) target = held->id;
      index = planned.instead;
    }
    want(member.cgroup, target);
  }
  release_unnamed();
  timer.recheck_grown(members, tree, at);
  timer.find_due(members, at, !dry_run);
  settle();
  std::erase_if(members, [this](const Placed& p) { return p.round != round && p.checks_left == 0; });
}

void ResctrlGroupWriter::Impl::want(CgroupId cgroup, std::uint32_t group) {
  auto* placed = tree::find_or_follow(members, tree, cgroup, at, group != 0);
  if (placed == nullptr) return;
  placed->round = round;
  if (std::exchange(placed->group, group) != group) placed->recheck(at);
}

/// Cgroups that the plan no longer names: their tasks are moved back, unless the cgroup or its group was
/// removed.
void ResctrlGroupWriter::Impl::release_unnamed() {
  std::erase_if(members, [this](const Placed& p) {
    return p.round != round && (tree.find(p.cgroup) == nullptr || (p.group != 0 && find(p.group) == nullptr));
  });
  for (auto& placed : members) {
    if (placed.round == round || placed.group == 0) continue;
    placed.group = 0;
    placed.recheck(at, 1);
  }
}

void ResctrlGroupWriter::Impl::settle() {
  moves = 0;
  const auto& due = timer.due();
  if (due.empty()) return;
  for (int i = 0; i < kMostPasses && moves < kMaxMoves && pass(); ++i) {
  }
  if (moves < kMaxMoves) timer.checked(members, at, dry_run);
  for (const auto i : due)
    if (members[i].unread)
      members[i].recheck(at + tree::CheckTimer::kCheckInterval, std::max(1, members[i].checks_left));
  report_moved();
}

/// Checks all cgroups that are due once; returns whether a task was moved.
bool ResctrlGroupWriter::Impl::pass() {
  bool moved = false;
  movable_known = false;
  const auto& due = timer.due();
  for_each_group(groups, [&](const HeldGroup* group) {
    const auto in_it = [&](std::size_t i) { return members[i].group == id_of(group); };
    if (std::ranges::none_of(due, in_it)) return;
    const auto& file = group == nullptr ? kRootTasks : group->tasks_file;
    in_group.clear();
    if (waits(file) || !read_tasks(file, in_group)) return;
    for (const auto i : due)
      if (in_it(i)) moved = look_at(members[i], group) || moved;
  });
  return moved;
}

bool ResctrlGroupWriter::Impl::look_at(Placed& placed, const HeldGroup* group) {
  const auto& file = group == nullptr ? kRootTasks : group->tasks_file;
  if (waits(placed.threads_file)) return false;
  threads.clear();
  const int hidden_threads = tree::add_threads(files, placed.dir, placed.threads_file, room, threads);
  note_unread(placed, room.below.unread);
  if (threads.empty() && hidden_threads > 0)
    refuse(file, placed.threads_file, {.code = ESRCH, .op = Op::other}, kLongFirstPause,
           "the tasks are in another PID namespace: the agent needs the host's");
  int others = 0;
  bool moved = false;
  for (const auto task : threads) {
    if (contains(in_group, task)) continue;
    if (!movable_known) find_movable();
    if (!contains(movable, task)) {
      others += all_read ? 1 : 0;
    } else if (moves < kMaxMoves && move(placed, task, file)) {
      moved = true;
    }
  }
  if (others > 0 && !placed.others_reported) {
    placed.others_reported = true;
    ++counters.foreign;
    report->foreign.push_back({.path = file,
                               .ours = group == nullptr ? "the root's group" : group->name,
                               .theirs = std::to_string(others) + " tasks are in a group of another process",
                               .yielded = true,
                               .cgroup = placed.cgroup});
  }
  return moved && !dry_run;
}

/// Tasks that cannot be listed stay in their group, also when their cgroup is to leave it.
void ResctrlGroupWriter::Impl::note_unread(Placed& placed, const Error& error) {
  if (error.code != 0)
    refuse(placed.threads_file, "read", error, tree::CheckTimer::kCheckInterval);
  else if (placed.unread)
    accepted(placed.threads_file);
  placed.unread = error.code != 0;
}

/// A task that has ended meanwhile is no error.
bool ResctrlGroupWriter::Impl::move(Placed& placed, std::int32_t task, const std::string& file) {
  std::array<char, 16> line{};
  auto* end = std::to_chars(line.data(), line.data() + line.size() - 1, task).ptr;
  const std::string_view id(line.data(), static_cast<std::size_t>(end - line.data()));
  *end = '\n';
  if (!dry_run) {
    if (waits(file)) return false;
    const auto written = files.write(file, std::string_view(line.data(), id.size() + 1));
    if (!written && written.error().code == ESRCH) return false;
    if (!written) {
      refuse(file, std::string(id), written.error(), tree::CheckTimer::kCheckInterval);
      return false;
    }
    ++counters.moved_tasks;
  }
  ++moves;
  if (placed.moved_count++ >= kShownTasks) return true;
  if (!placed.moved.empty()) placed.moved += ' ';
  placed.moved += id;
  return true;
}

/// Tasks that may be moved: those in the agent's groups, or in the root's and in no monitoring group. If a
/// list cannot be read, its tasks are not moved.
void ResctrlGroupWriter::Impl::find_movable() {
  movable_known = true;
  movable.clear();
  all_read = read_tasks(kRootTasks, movable);
  room.below.names.clear();
  static_cast<void>(files.append_subdirs(kMonitors, room.below.names));
  for (const char* name = room.below.names.c_str(); *name != '\0'; name += std::strlen(name) + 1) {
    room.below.dir.assign(kMonitors).append(1, '/').append(name).append("/tasks");
    monitored.clear();
    if (!read_tasks(room.below.dir, monitored)) {
      all_read = false;
      movable.clear();  // any of the tasks may be in it
      break;
    }
    std::erase_if(movable, [&](std::int32_t task) { return contains(monitored, task); });
  }
  for (const auto& group : groups) all_read = read_tasks(group.tasks_file, movable) && all_read;
}

/// Appends, and keeps `out` sorted. False: its tasks are unknown, which is reported unless it was removed.
bool ResctrlGroupWriter::Impl::read_tasks(const std::string& file, std::vector<std::int32_t>& out) {
  const auto text = files.read(file, room.text);
  if (!text && !dry_run && !vanished(text.error()))
    refuse(file, "read", text.error(), tree::CheckTimer::kCheckInterval);
  if (!text) return dry_run;
  append_threads(*text, out);
  std::ranges::sort(out);
  return true;
}

void ResctrlGroupWriter::Impl::report_moved() {
  for (const auto i : timer.due()) {
    auto& placed = members[i];
    if (placed.moved.empty()) continue;
    const auto* group = find(placed.group);
    if (placed.moved_count > kShownTasks)
      placed.moved += " and " + std::to_string(placed.moved_count - kShownTasks) + " more";
    report->writes.push_back(
        {.path = group == nullptr ? kRootTasks : group->tasks_file,
         .new_text = placed.moved,
         .cgroup = placed.cgroup,
         .by = last_by,
         .restored = group == nullptr,
         .why =
             group == nullptr
                 ? because("no policy requests this group any longer: the tasks are back in the root group")
                 : group->why});
    placed.moved.clear();
    placed.moved_count = 0;
  }
}

}  // namespace evenkeel::resctrl
