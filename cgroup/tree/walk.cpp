#include "cgroup/tree/walk.h"

#include <algorithm>
#include <iterator>

namespace evenkeel::tree {

bool path_less(std::string_view a, std::string_view b) {
  return std::ranges::lexicographical_compare(a, b, [](char x, char y) {
    const auto rank = [](char c) {
      return c == '/' ? 0 : static_cast<int>(static_cast<unsigned char>(c)) + 1;
    };
    return rank(x) < rank(y);
  });
}

std::optional<std::vector<SubDir>> list(const Host& host, const Layout& layout, const std::string& path) {
  auto dirs = host.subdirs_with_inodes(layout.primary() + '/' + path);
  if (!dirs) return vanished(dirs.error()) ? std::optional(std::vector<SubDir>()) : std::nullopt;
  std::ranges::sort(*dirs, {}, &SubDir::name);
  return std::move(*dirs);
}

bool holds_pods(const Host& host, const Layout& layout, const UnknownDir& dir) {
  const auto dirs = list(host, layout, dir.path);
  if (!dirs) return dir.holds_pods;
  return std::ranges::any_of(*dirs, [](const SubDir& one) { return is_of_pods(one.name); });
}

namespace {

int depth_of(std::string_view path) { return 1 + static_cast<int>(std::ranges::count(path, '/')); }

// Walks the primary hierarchy once.
class Walk {
 public:
  Walk(const Host& host, const Layout& layout, const Known& known)
      : host_(host), layout_(layout), known_(known) {}

  void kubepods() {
    const auto top = layout_.kubepods();
    const auto inode = host_.inode(layout_.primary() + '/' + top);
    if (inode) return enter(add(CgroupKind::kubepods, KubeQos::guaranteed, top, {}, *inode));
    if (!vanished(inode.error())) keep(top);
  }

  void host_application(const std::string& path) {
    const auto inode = host_.inode(layout_.primary() + '/' + path);
    if (inode) {
      add(CgroupKind::host_application, KubeQos::guaranteed, path, {}, *inode);
    } else if (!vanished(inode.error())) {
      const auto before = known_at(path);
      if (before != known_.cgroups.end() && (*before)->kind == CgroupKind::host_application)
        keep_one(**before);
    }
  }

  /// Adds a directory in a known cgroup, with all known cgroups in it.
  void child(const Cgroup& above, const SubDir& dir) {
    switch (above.kind) {
      case CgroupKind::kubepods:
        for (const auto branch : {KubeQos::burstable, KubeQos::besteffort})
          if (above.path + '/' + dir.name == layout_.qos_dir(branch))
            return enter(add(CgroupKind::qos_dir, branch, layout_.qos_dir(branch), above.path, dir.inode));
        return pod(above, dir);
      case CgroupKind::qos_dir:
        return pod(above, dir);
      case CgroupKind::pod:
        return container(above, dir);
      case CgroupKind::container:
        return subgroup(above, dir);
      case CgroupKind::subgroup:
      case CgroupKind::host_application:
      case CgroupKind::node:
        return;
    }
  }

  Seen& seen() { return seen_; }

 private:
  Cgroup& add(CgroupKind kind, KubeQos qos, std::string path, std::string parent, std::uint64_t inode) {
    auto& made = seen_.found.emplace_back();
    made.parent = std::move(parent);
    made.cgroup.kind = kind;
    made.cgroup.qos = qos;
    made.cgroup.depth = depth_of(path);
    made.cgroup.path = std::move(path);
    made.cgroup.inode = inode;
    return made.cgroup;
  }

  void enter(const Cgroup& found) {
    const Cgroup above = found;  // a copy: adding to `found` moves its elements
    const auto dirs = list(host_, layout_, above.path);
    if (!dirs) return keep(above.path, false);
    for (const auto& dir : *dirs) child(above, dir);
  }

  [[nodiscard]] std::vector<const Cgroup*>::const_iterator known_at(const std::string& path) const {
    const auto& cgroups = known_.cgroups;
    const auto at = std::ranges::lower_bound(
        cgroups, path, path_less, [](const Cgroup* one) -> const std::string& { return one->path; });
    return at != cgroups.end() && (*at)->path == path ? at : cgroups.end();
  }
  void keep_one(const Cgroup& before) {
    const auto parent = before.path.substr(0, std::min(before.path.rfind('/'), before.path.size()));
    seen_.found.push_back({before, before.kind == CgroupKind::kubepods ? std::string() : parent});
  }
  /// What was known of the pods at a path and below it, or below it only.
  void keep(const std::string& path, bool with_itself = true) {
    auto at = known_at(path);
    if (at == known_.cgroups.end()) return;
    if (with_itself) keep_one(**at);
    for (++at; at != known_.cgroups.end() && (*at)->path.starts_with(path + '/'); ++at)
      if ((*at)->kind != CgroupKind::host_application) keep_one(**at);
    std::ranges::copy_if(known_.unknown, std::back_inserter(seen_.unknown),
                         [&](const UnknownDir& dir) { return dir.path.starts_with(path + '/'); });
  }

  void pod(const Cgroup& above, const SubDir& dir) {
    auto name = parse_pod_dir(dir.name);
    if (!name) return unknown(above, dir);
    auto& made = add(CgroupKind::pod, above.qos, above.path + '/' + dir.name, above.path, dir.inode);
    made.uid = std::move(name->uid);
    enter(made);
  }

  void unknown(const Cgroup& above, const SubDir& dir) {
    UnknownDir now{.path = above.path + '/' + dir.name};
    const auto before = std::ranges::find(known_.unknown, now.path, &UnknownDir::path);
    if (before != known_.unknown.end()) now.holds_pods = before->holds_pods;
    now.holds_pods = holds_pods(host_, layout_, now);
    seen_.unknown.push_back(std::move(now));
  }

  void container(const Cgroup& pod, const SubDir& dir) {
    auto id = parse_container_dir(dir.name);
    if (!id) return;
    auto& made = add(CgroupKind::container, pod.qos, pod.path + '/' + dir.name, pod.path, dir.inode);
    made.uid = pod.uid;
    made.container = std::move(*id);
    if (may_have_subgroup(layout_, made.path)) enter(made);
  }

  void subgroup(const Cgroup& container, const SubDir& dir) {
    if (dir.name != kSubgroupDir || !may_have_subgroup(layout_, container.path)) return;
    const auto path = container.path + '/' + dir.name;
    auto& made = add(CgroupKind::subgroup, container.qos, path, container.path, dir.inode);
    made.uid = container.uid;
    made.container = container.container;
  }

  const Host& host_;
  const Layout& layout_;
  const Known& known_;
  Seen seen_{};
};

}  // namespace

Seen look(const Host& host, const Layout& layout, const std::vector<std::string>& applications,
          const Known& known) {
  Walk walk(host, layout, known);
  walk.kubepods();  // already sorted
  auto& all = walk.seen().found;
  const auto pods = static_cast<std::ptrdiff_t>(all.size());
  for (const auto& path : applications) walk.host_application(path);
  const auto less = [](const Found& a, const Found& b) { return path_less(a.cgroup.path, b.cgroup.path); };
  std::sort(all.begin() + pods, all.end(), less);
  std::inplace_merge(all.begin(), all.begin() + pods, all.end(), less);
  const auto same_path = [](const Found& a, const Found& b) { return a.cgroup.path == b.cgroup.path; };
  all.erase(std::unique(all.begin(), all.end(), same_path), all.end());
  return std::move(walk.seen());
}

Seen look_into(const Host& host, const Layout& layout, const Cgroup& above, const std::vector<SubDir>& dirs,
               const Known& known) {
  Walk walk(host, layout, known);
  for (const auto& dir : dirs) walk.child(above, dir);
  return std::move(walk.seen());
}

}  // namespace evenkeel::tree
