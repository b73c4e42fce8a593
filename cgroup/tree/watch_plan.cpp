#include <algorithm>
#include <iterator>
#include <map>

#include "cgroup/base/disk_text.h"
#include "cgroup/tree/watch.h"

namespace evenkeel::tree {
namespace {

using Requests = std::map<std::string, WatchRequest>;

// Every ancestor directory of `path` is watched for the next component's creation and removal.
void request_path(const std::string& path, Requests& requests) {
  std::size_t begin = 0;
  for (;;) {
    const auto end = path.find('/', begin);
    auto& names = requests[begin == 0 ? std::string() : path.substr(0, begin - 1)].names;
    const auto name = path.substr(begin, end - begin);
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    if (end == std::string::npos) return;
    begin = end + 1;
  }
}

// Of what is in a container only its subgroup is of interest, of what is in a host application nothing.
bool has_cgroups_in_it(CgroupKind kind) {
  return kind == CgroupKind::kubepods || kind == CgroupKind::qos_dir || kind == CgroupKind::pod;
}

std::vector<std::string> hierarchies_with_knobs(const Layout& layout) {
  std::vector<std::string> out{layout.primary()};
  for (const auto& knob : knob_table()) {
    // Values of disks are read again periodically: not worth a watch on each directory of another hierarchy.
    if (has_disk_lines(knob.knob)) continue;
    const auto& root = layout.root(knob.controller);
    const auto file = knob.file(layout.v2(knob.controller));
    if (!root.empty() && !file.empty() && std::ranges::find(out, root) == out.end()) out.push_back(root);
  }
  return out;
}

}  // namespace

WatchPlan plan_watches(const CgroupTree& tree) {
  WatchPlan plan{.hierarchies = hierarchies_with_knobs(tree.layout())};
  Requests& requests = plan.requests;
  for (const auto& path : tree.layout().kubepods_candidates()) request_path(path, requests);
  for (const auto& path : tree.followed()) request_path(path, requests);
  // Whatever else appears in these is their owner's matter: some hold a host application, not pods.
  for (const auto& dir : tree.unknown_dirs())
    std::ranges::move(qos_dir_names(dir.path), std::back_inserter(requests[dir.path].names));
  for (const auto* cgroup : tree.all()) {
    auto& request = requests[cgroup->path];
    request.cgroup = cgroup->id;
    request.births = has_cgroups_in_it(cgroup->kind);
    if (request.births) request.names.clear();
    if (cgroup->kind == CgroupKind::container && may_have_subgroup(tree.layout(), cgroup->path))
      request.names.emplace_back(kSubgroupDir);
  }
  return plan;
}

bool is_setting(std::string_view file) {
  if (file == "cpu.cfs_period_us") return true;
  const auto& table = knob_table();
  return std::ranges::any_of(
      table, [&](const KnobRow& knob) { return file == knob.v1_file || file == file_part(knob.v2_file); });
}

}  // namespace evenkeel::tree
