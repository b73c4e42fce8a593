#include "cgroup/tree/task_follow.h"

#include <cerrno>

#include "cgroup/base/text.h"

namespace evenkeel::tree {

TrackedTasks follow(const CgroupTree& tree, const Cgroup& cgroup, MonoTime now) {
  TrackedTasks out{
      .cgroup = cgroup.id, .dir = tree.dir(cgroup, Controller::cpu), .next_check = now, .since = now};
  out.threads_file = out.dir + (tree.layout().v2(Controller::cpu) ? "/cgroup.threads" : "/tasks");
  return out;
}

int add_threads(ResctrlFiles& files, std::string_view dir, std::string_view file, ThreadsRoom& room,
                std::vector<std::int32_t>& threads) {
  int hidden = 0;
  room.below.dir = dir;
  room.below.names.clear();
  visit_descendants(room.below, files, [&](std::string& path) {
    path += file.substr(dir.size());
    const auto text = files.read(path, room.text);
    if (text) hidden += append_threads(*text, threads);
    // A threaded cgroup has no list of processes.
    if (!text && text.error().code != EOPNOTSUPP) note_unread(room.below.unread, text.error());
    return true;
  });
  return hidden;
}

Error add_recorded_threads(ResctrlFiles& files, const std::string& dir, std::string_view v2_file,
                           std::string_view v1_file, ThreadsRoom& room, std::vector<std::int32_t>& threads) {
  auto hidden = add_threads(files, dir, dir + std::string(v2_file), room, threads);
  Error first = room.below.unread;
  if (v1_file != v2_file) {
    hidden += add_threads(files, dir, dir + std::string(v1_file), room, threads);
    if (first.code == 0) first = room.below.unread;
  }
  // All are in another PID namespace, where the agent sees no numbers: they may still have its values.
  if (first.code == 0 && threads.empty() && hidden > 0) return {ESRCH, Op::read};
  return first;
}

}  // namespace evenkeel::tree
