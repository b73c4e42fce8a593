#include "cgroup/task_follow.h"

#include "cgroup/resctrl_text.h"

namespace evenkeel {
namespace {

constexpr int kDeepest = 8;  ///< of cgroups inside a container's

/// `room.dir` is the directory, `file` what its list of threads is called, with the slash.
int add_below(ResctrlFiles& files, std::string_view file, int depth, ThreadsRoom& room,
              std::vector<std::int32_t>& threads) {
  int hidden = 0;
  const auto length = room.dir.size(), first = room.names.size();
  room.dir += file;
  if (const auto text = files.read(room.dir, room.text)) hidden = append_threads(*text, threads);
  room.dir.resize(length);
  if (depth < kDeepest) static_cast<void>(files.append_subdirs(room.dir, room.names));
  const auto end = room.names.size();
  for (auto at = first; at < end;) {
    const std::string_view child(room.names.data() + at);
    at += child.size() + 1;
    room.dir.append(1, '/').append(child);
    hidden += add_below(files, file, depth + 1, room, threads);
    room.dir.resize(length);
  }
  room.names.resize(first);
  return hidden;
}

}  // namespace

Followed follow(const CgroupTree& tree, const Cgroup& cgroup, MonoTime now) {
  Followed out{.cgroup = cgroup.id, .dir = tree.dir(cgroup, Controller::cpu), .next_look = now};
  out.threads_file = out.dir + (tree.layout().v2(Controller::cpu) ? "/cgroup.threads" : "/tasks");
  return out;
}

int add_threads(ResctrlFiles& files, std::string_view dir, std::string_view file, ThreadsRoom& room,
                std::vector<std::int32_t>& threads) {
  room.dir = dir;
  room.names.clear();
  return add_below(files, file.substr(dir.size()), 0, room, threads);
}

}  // namespace evenkeel
