#include "cgroup/tree/tree.h"

#include <algorithm>

namespace evenkeel::tree {
namespace {

struct Found {
  Cgroup cgroup{};
  std::string parent{};  ///< path; empty = no known cgroup
};

int depth_of(std::string_view path) { return 1 + static_cast<int>(std::ranges::count(path, '/')); }

// Component by component: "a/b" is sorted right after "a", before "a-b".
bool path_less(std::string_view a, std::string_view b) {
  return std::ranges::lexicographical_compare(a, b, [](char x, char y) {
    const auto rank = [](char c) {
      return c == '/' ? 0 : static_cast<int>(static_cast<unsigned char>(c)) + 1;
    };
    return rank(x) < rank(y);
  });
}

// Sorted; a directory that cannot be read counts as removed.
std::vector<SubDir> list(const Host& host, const Layout& layout, const std::string& path) {
  auto dirs = host.subdirs_with_inodes(layout.primary() + '/' + path);
  if (!dirs) return {};
  std::ranges::sort(*dirs, {}, &SubDir::name);
  return std::move(*dirs);
}

// Walks the primary hierarchy once. A missing or unreadable directory is skipped.
class Walk {
 public:
  Walk(const Host& host, const Layout& layout) : host_(host), layout_(layout) {}

  void kubepods() {
    const auto top = layout_.kubepods();
    const auto inode = host_.inode(layout_.primary() + '/' + top);
    if (inode) enter(add(CgroupKind::kubepods, KubeQos::guaranteed, top, {}, *inode));
  }

  void host_application(const std::string& path) {
    const auto inode = host_.inode(layout_.primary() + '/' + path);
    if (inode) add(CgroupKind::host_application, KubeQos::guaranteed, path, {}, *inode);
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

  std::vector<Found>& found() { return found_; }

 private:
  Cgroup& add(CgroupKind kind, KubeQos qos, std::string path, std::string parent, std::uint64_t inode) {
    auto& made = found_.emplace_back();
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
    for (const auto& dir : list(host_, layout_, above.path)) child(above, dir);
  }

  void pod(const Cgroup& above, const SubDir& dir) {
    auto name = parse_pod_dir(dir.name);
    if (!name) return;
    auto& made = add(CgroupKind::pod, above.qos, above.path + '/' + dir.name, above.path, dir.inode);
    made.uid = std::move(name->uid);
    enter(made);
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
  std::vector<Found> found_{};
};

// The nearest known cgroup above a path.
const Cgroup* ancestor(const std::unordered_map<std::string, Cgroup>& by_path, std::string path) {
  for (auto end = path.rfind('/'); end != std::string::npos; end = path.rfind('/')) {
    path.resize(end);
    if (const auto it = by_path.find(path); it != by_path.end()) return &it->second;
  }
  return nullptr;
}

// Sorted, each path once. If a host application's directory is also a pod's, the pod is kept.
std::vector<Found> look(const Host& host, const Layout& layout,
                        const std::vector<std::string>& applications) {
  Walk walk(host, layout);
  walk.kubepods();  // already sorted
  auto& all = walk.found();
  const auto pods = static_cast<std::ptrdiff_t>(all.size());
  for (const auto& path : applications) walk.host_application(path);
  const auto less = [](const Found& a, const Found& b) { return path_less(a.cgroup.path, b.cgroup.path); };
  std::sort(all.begin() + pods, all.end(), less);
  std::inplace_merge(all.begin(), all.begin() + pods, all.end(), less);
  auto found = std::move(all);
  const auto same_path = [](const Found& a, const Found& b) { return a.cgroup.path == b.cgroup.path; };
  found.erase(std::unique(found.begin(), found.end(), same_path), found.end());
  return found;
}

// A recreated parent means a recreated child, whatever the child's inode.
bool same_life(const Cgroup& before, const Cgroup& now) {
  return before.inode == now.inode && before.kind == now.kind && before.parent == now.parent;
}

bool order_less(const Cgroup* a, const Cgroup* b) { return path_less(a->path, b->path); }

}  // namespace

CgroupTree::CgroupTree(const Host& host, Layout layout) : host_(host), layout_(std::move(layout)) {}

void CgroupTree::follow(std::vector<std::string> host_application_paths) {
  host_application_paths_ = std::move(host_application_paths);
}

bool CgroupTree::scan() {
  if (!host_.exists(layout_.primary() + '/' + layout_.kubepods())) detect_driver(host_, layout_);
  auto found = look(host_, layout_, host_application_paths_);
  std::unordered_map<std::string, Cgroup> now;
  now.reserve(found.size());
  std::vector<const Cgroup*> order;
  order.reserve(found.size());
  bool changed = found.size() != by_path_.size();
  for (auto& [cgroup, parent] : found) {
    const auto it = now.find(parent);
    const Cgroup* above = it == now.end() ? nullptr : &it->second;
    if (cgroup.kind == CgroupKind::host_application) above = ancestor(now, cgroup.path);
    cgroup.parent = above ? above->id : CgroupId{};
    const auto before = by_path_.find(cgroup.path);
    const bool same = before != by_path_.end() && same_life(before->second, cgroup);
    cgroup.id = same ? before->second.id : CgroupId{next_id_++};
    changed = changed || !same;
    std::string path = cgroup.path;
    order.push_back(&now.emplace(std::move(path), std::move(cgroup)).first->second);
  }
  if (changed) adopt(std::move(now), std::move(order));
  return changed;
}

bool CgroupTree::scan(std::span<const CgroupId> grown) {
  // A host application among the pods has a parent that depends on all of them.
  const auto among_the_pods = [top = layout_.kubepods() + '/'](const std::string& path) {
    return path.starts_with(top);
  };
  if (std::ranges::any_of(host_application_paths_, among_the_pods)) return scan();
  bool changed = false;
  for (const auto id : grown)
    if (const auto* cgroup = find(id)) changed = scan_children(*cgroup) || changed;
  return changed;
}

// Compares the directories in one cgroup with the known ones: first those removed, then those created.
bool CgroupTree::scan_children(const Cgroup& above) {
  auto dirs = list(host_, layout_, above.path);
  std::vector<std::string> gone;
  for (auto at = after(above); at != order_.end() && (*at)->depth > above.depth; ++at) {
    if ((*at)->parent != above.id) continue;
    const auto name = std::string_view((*at)->path).substr(above.path.size() + 1);
    const auto dir = std::ranges::lower_bound(dirs, name, {}, &SubDir::name);
    if (dir != dirs.end() && dir->name == name && dir->inode == (*at)->inode)
      dir->inode = 0;  // not new
    else
      gone.push_back((*at)->path);
  }
  std::erase_if(dirs, [](const SubDir& dir) { return dir.inode == 0; });
  for (const auto& path : gone) forget(path);
  Walk walk(host_, layout_);
  for (const auto& dir : dirs) walk.child(above, dir);
  for (auto& found : walk.found()) insert(std::move(found.cgroup), found.parent);
  return !gone.empty() || !walk.found().empty();
}

std::vector<const Cgroup*>::const_iterator CgroupTree::after(const Cgroup& cgroup) const {
  return std::upper_bound(order_.begin(), order_.end(), &cgroup, order_less);
}

void CgroupTree::insert(Cgroup cgroup, const std::string& parent) {
  cgroup.id = {next_id_++};
  cgroup.parent = by_path_.at(parent).id;
  std::string path = cgroup.path;
  const auto* made = &by_path_.emplace(std::move(path), std::move(cgroup)).first->second;
  by_id_.emplace(made->id, made);
  order_.insert(after(*made), made);
}

void CgroupTree::forget(const std::string& path) {
  const auto& top = by_path_.at(path);
  const auto begin = std::prev(after(top));
  const auto end = std::find_if(std::next(begin), order_.cend(),
                                [&](const Cgroup* cgroup) { return cgroup->depth <= top.depth; });
  for (auto at = begin; at != end; ++at) by_id_.erase((*at)->id);
  const std::vector<const Cgroup*> gone(begin, end);
  order_.erase(begin, end);
  for (const auto* cgroup : gone) by_path_.erase(std::string(cgroup->path));
}

void CgroupTree::adopt(std::unordered_map<std::string, Cgroup> now, std::vector<const Cgroup*> order) {
  by_path_ = std::move(now);  // moving a map keeps the addresses of its nodes
  order_ = std::move(order);
  by_id_.clear();
  by_id_.reserve(order_.size());
  for (const auto* cgroup : order_) by_id_.emplace(cgroup->id, cgroup);
}

std::vector<CgroupId> CgroupTree::created_since(CgroupId from) const {
  std::vector<CgroupId> added;
  for (const auto* cgroup : order_)
    if (cgroup->id >= from) added.push_back(cgroup->id);
  return added;
}

const Cgroup* CgroupTree::find(CgroupId id) const {
  const auto it = by_id_.find(id);
  return it == by_id_.end() ? nullptr : it->second;
}

const Cgroup* CgroupTree::find_path(std::string_view path) const {
  const auto it = by_path_.find(std::string(path));
  return it == by_path_.end() ? nullptr : &it->second;
}

std::string CgroupTree::dir(const Cgroup& cgroup, Controller controller) const {
  const auto& root = layout_.root(controller);
  return root.empty() ? std::string() : root + '/' + cgroup.path;
}

std::string CgroupTree::unified_dir(const Cgroup& cgroup) const {
  return layout_.unified.empty() ? std::string() : layout_.unified + '/' + cgroup.path;
}

}  // namespace evenkeel::tree
