#include "cgroup/tree.h"

#include <algorithm>

namespace evenkeel {
namespace {

struct Found {
  Cgroup cgroup{};
  std::string parent{};  ///< path; empty = none of ours
};

int depth_of(std::string_view path) { return 1 + static_cast<int>(std::ranges::count(path, '/')); }

// Component by component: "a/b" stands right after "a", before "a-b".
bool path_less(std::string_view a, std::string_view b) {
  return std::ranges::lexicographical_compare(a, b, [](char x, char y) {
    const auto rank = [](char c) {
      return c == '/' ? 0 : static_cast<int>(static_cast<unsigned char>(c)) + 1;
    };
    return rank(x) < rank(y);
  });
}

// A directory that need not be read again while it is in the same life.
struct Listing {
  std::uint64_t inode = 0;
  std::vector<SubDir> children{};  ///< those of ours, in order
};
using Remembered = std::unordered_map<std::string, Listing>;

// One walk through the primary hierarchy. What is not there, or may not be read, is not there.
class Walk {
 public:
  Walk(const Host& host, const Layout& layout, const Remembered* remembered)
      : host_(host), layout_(layout), remembered_(remembered) {}

  void kubepods() {
    const auto top = layout_.kubepods();
    const auto inode = host_.inode(layout_.primary() + '/' + top);
    if (!inode) return;
    add(CgroupKind::kubepods, KubeQos::guaranteed, top, {}, *inode);
    const auto burstable = layout_.qos_dir(KubeQos::burstable);
    const auto besteffort = layout_.qos_dir(KubeQos::besteffort);
    for (const auto& child : list(top, *inode)) {
      const auto path = top + '/' + child.name;
      if (path == burstable)
        branch(KubeQos::burstable, path, child.inode);
      else if (path == besteffort)
        branch(KubeQos::besteffort, path, child.inode);
      else
        pod(KubeQos::guaranteed, top, child);
    }
  }

  void host_application(const std::string& path) {
    const auto inode = host_.inode(layout_.primary() + '/' + path);
    if (inode) add(CgroupKind::host_application, KubeQos::guaranteed, path, {}, *inode);
  }

  std::vector<Found>& found() { return found_; }

 private:
  std::vector<SubDir> list(const std::string& path, std::uint64_t inode) {
    if (remembered_)
      if (const auto known = remembered_->find(path);
          known != remembered_->end() && known->second.inode == inode)
        return known->second.children;
    auto dirs = host_.subdirs_with_inodes(layout_.primary() + '/' + path);
    if (!dirs) return {};
    std::ranges::sort(*dirs, {}, &SubDir::name);
    return std::move(*dirs);
  }

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

  void branch(KubeQos qos, const std::string& path, std::uint64_t inode) {
    add(CgroupKind::qos_dir, qos, path, layout_.kubepods(), inode);
    for (const auto& child : list(path, inode)) pod(qos, path, child);
  }

  void pod(KubeQos qos, const std::string& above, const SubDir& dir) {
    auto name = parse_pod_dir(dir.name);
    if (!name) return;
    const auto path = above + '/' + dir.name;
    add(CgroupKind::pod, qos, path, above, dir.inode).uid = name->uid;
    for (const auto& child : list(path, dir.inode)) {
      auto id = parse_container_dir(child.name);
      if (!id) continue;
      auto& made = add(CgroupKind::container, qos, path + '/' + child.name, path, child.inode);
      made.uid = name->uid;
      made.container = std::move(*id);
    }
  }

  const Host& host_;
  const Layout& layout_;
  const Remembered* remembered_;  ///< null: everything is read
  std::vector<Found> found_{};
};

// The nearest of our cgroups above a path.
const Cgroup* ancestor(const std::unordered_map<std::string, Cgroup>& by_path, std::string path) {
  for (auto end = path.rfind('/'); end != std::string::npos; end = path.rfind('/')) {
    path.resize(end);
    if (const auto it = by_path.find(path); it != by_path.end()) return &it->second;
  }
  return nullptr;
}

// In order, each path once. Where a host application's directory is one of the pods', the pod stays.
std::vector<Found> look(const Host& host, const Layout& layout, const std::vector<std::string>& applications,
                        const Remembered* remembered) {
  Walk walk(host, layout, remembered);
  walk.kubepods();  // comes in order
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

Remembered remember(const std::vector<const Cgroup*>& all, const std::unordered_set<std::string>& but) {
  Remembered out;
  for (const auto* cgroup : all) {
    if (cgroup->kind == CgroupKind::host_application) continue;
    if (!but.contains(cgroup->path)) out[cgroup->path].inode = cgroup->inode;
    const auto slash = cgroup->path.rfind('/');
    if (slash == std::string::npos) continue;
    if (const auto above = out.find(cgroup->path.substr(0, slash)); above != out.end())
      above->second.children.push_back({cgroup->path.substr(slash + 1), cgroup->inode});
  }
  return out;
}

// A new life of the parent means a new life of the child, whatever its inode says.
bool same_life(const Cgroup& before, const Cgroup& now) {
  return before.inode == now.inode && before.kind == now.kind && before.parent == now.parent;
}

}  // namespace

CgroupTree::CgroupTree(const Host& host, Layout layout) : host_(host), layout_(std::move(layout)) {}

void CgroupTree::follow(std::vector<std::string> host_application_paths) {
  host_application_paths_ = std::move(host_application_paths);
}

bool CgroupTree::scan() {
  if (!host_.exists(layout_.primary() + '/' + layout_.kubepods())) detect_driver(host_, layout_);
  return adopt_found(nullptr);
}

bool CgroupTree::scan(std::span<const CgroupId> grown) {
  std::unordered_set<std::string> look_into;
  for (const auto id : grown)
    if (const auto* cgroup = find(id)) look_into.insert(cgroup->path);
  return adopt_found(&look_into);
}

bool CgroupTree::adopt_found(const std::unordered_set<std::string>* look_into) {
  Remembered remembered;
  if (look_into) remembered = remember(order_, *look_into);
  auto found = look(host_, layout_, host_application_paths_, look_into ? &remembered : nullptr);
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

void CgroupTree::adopt(std::unordered_map<std::string, Cgroup> now, std::vector<const Cgroup*> order) {
  by_path_ = std::move(now);  // moving keeps the nodes where they are
  order_ = std::move(order);
  by_id_.clear();
  by_id_.reserve(order_.size());
  for (const auto* cgroup : order_) by_id_.emplace(cgroup->id, cgroup);
}

std::vector<CgroupId> CgroupTree::born_since(CgroupId from) const {
  std::vector<CgroupId> born;
  for (const auto* cgroup : order_)
    if (cgroup->id >= from) born.push_back(cgroup->id);
  return born;
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

}  // namespace evenkeel
