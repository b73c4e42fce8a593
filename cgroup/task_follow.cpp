#include "cgroup/task_follow.h"

#include "cgroup/resctrl_text.h"

namespace evenkeel {
namespace {

constexpr int kDeepest = 8;  ///< of cgroups inside a container's

int add_below(ResctrlFiles& files, const std::string& dir, const std::string& file, int depth,
              std::string& buffer, std::vector<std::int32_t>& threads) {
  int hidden = 0;
  if (const auto text = files.read(file, buffer)) hidden = append_threads(*text, threads);
  const auto inside = depth < kDeepest ? files.subdirs(dir) : Result<std::vector<std::string>>();
  if (!inside) return hidden;
  const auto name = file.substr(file.rfind('/'));
  for (const auto& child : *inside)
    hidden += add_below(files, dir + '/' + child, dir + '/' + child + name, depth + 1, buffer, threads);
  return hidden;
}

}  // namespace

Followed follow(const CgroupTree& tree, const Cgroup& cgroup, MonoTime now) {
  Followed out{.cgroup = cgroup.id, .dir = tree.dir(cgroup, Controller::cpu), .next_look = now};
  out.threads_file = out.dir + (tree.layout().v2(Controller::cpu) ? "/cgroup.threads" : "/tasks");
  return out;
}

int add_threads(ResctrlFiles& files, const std::string& dir, const std::string& file, std::string& buffer,
                std::vector<std::int32_t>& threads) {
  return add_below(files, dir, file, 0, buffer, threads);
}

}  // namespace evenkeel
