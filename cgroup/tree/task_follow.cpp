#include "cgroup/tree/task_follow.h"

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
    if (const auto text = files.read(path, room.text)) hidden += append_threads(*text, threads);
    return true;
  });
  return hidden;
}

}  // namespace evenkeel::tree
