#include "cgroup/tree/tree.h"

#include <algorithm>
#include <iterator>

#include "cgroup/tree/walk.h"

namespace evenkeel::tree {
namespace {

// The nearest known cgroup above a path.
const Cgroup* ancestor(const CgroupsByPath& by_path, std::string_view path) {
  for (auto end = path.rfind('/'); end != std::string_view::npos; end = path.rfind('/')) {
    path = path.substr(0, end);
    if (const auto it = by_path.find(path); it != by_path.end()) return &*it;
  }
  return nullptr;
}

// A recreated parent means a recreated child, whatever the child's inode.
bool same_life(const Cgroup& before, const Cgroup& now) {
  return before.inode == now.inode && before.kind == now.kind && before.parent == now.parent;
}

std::string_view parent_of(std::string_view path) { return path.substr(0, path.rfind('/')); }

bool order_less(const Cgroup* a, const Cgroup* b) { return path_less(a->path, b->path); }

}  // namespace

CgroupTree::CgroupTree(const Host& host, Layout layout) : host_(host), layout_(std::move(layout)) {}

void CgroupTree::follow(std::vector<std::string> host_application_paths) {
  host_application_paths_ = std::move(host_application_paths);
}

bool CgroupTree::scan() {
  if (!host_.exists(layout_.primary() + '/' + layout_.kubepods())) detect_driver(host_, layout_);
  auto [found, unknown] = look(host_, layout_, host_application_paths_, {order_, unknown_});
  unknown_ = std::move(unknown);
  std::ranges::sort(unknown_, {}, &UnknownDir::path);
  CgroupsByPath now;
  now.reserve(found.size());
  std::vector<const Cgroup*> order;
  order.reserve(found.size());
  bool changed = found.size() != by_path_.size();
  for (auto& [cgroup, parent] : found) {
    const auto it = now.find(std::string_view(parent));
    const Cgroup* above = it == now.end() ? nullptr : &*it;
    if (cgroup.kind == CgroupKind::host_application) above = ancestor(now, cgroup.path);
    cgroup.parent = above ? above->id : CgroupId{};
    const auto before = by_path_.find(cgroup);
    const bool same = before != by_path_.end() && same_life(*before, cgroup);
    cgroup.id = same ? before->id : CgroupId{next_id_++};
    changed = changed || !same;
    order.push_back(&*now.insert(std::move(cgroup)).first);
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
  // Only births of QoS directories in these are watched.
  for (auto& dir : unknown_) dir.holds_pods = holds_pods(host_, layout_, dir);
  return changed;
}

// Compares the directories in one cgroup with the known ones: first those removed, then those created.
bool CgroupTree::scan_children(const Cgroup& above) {
  auto listed = list(host_, layout_, above.path);
  if (!listed) return false;
  auto& dirs = *listed;
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
  auto [found, unknown] = look_into(host_, layout_, above, dirs, {order_, unknown_});
  std::erase_if(unknown_, [&](const UnknownDir& dir) {
    const auto parent = parent_of(dir.path);
    return parent == above.path || std::ranges::find(gone, parent) != gone.end();
  });
  std::ranges::move(unknown, std::back_inserter(unknown_));
  std::ranges::sort(unknown_, {}, &UnknownDir::path);
  for (auto& one : found) insert(std::move(one.cgroup), one.parent);
  return !gone.empty() || !found.empty();
}

std::vector<const Cgroup*>::const_iterator CgroupTree::after(const Cgroup& cgroup) const {
  return std::upper_bound(order_.begin(), order_.end(), &cgroup, order_less);
}

void CgroupTree::insert(Cgroup cgroup, const std::string& parent) {
  cgroup.id = {next_id_++};
  cgroup.parent = find_path(parent)->id;
  const auto* made = &*by_path_.insert(std::move(cgroup)).first;
  by_id_.emplace(made->id, made);
  order_.insert(after(*made), made);
}

void CgroupTree::forget(const std::string& path) {
  const auto& top = *find_path(path);
  const auto begin = std::prev(after(top));
  const auto end = std::find_if(std::next(begin), order_.cend(),
                                [&](const Cgroup* cgroup) { return cgroup->depth <= top.depth; });
  for (auto at = begin; at != end; ++at) by_id_.erase((*at)->id);
  const std::vector<const Cgroup*> gone(begin, end);
  order_.erase(begin, end);
  for (const auto* cgroup : gone) by_path_.erase(by_path_.find(*cgroup));
}

void CgroupTree::adopt(CgroupsByPath now, std::vector<const Cgroup*> order) {
  by_path_ = std::move(now);  // moving a set keeps the addresses of its nodes
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
  const auto it = by_path_.find(path);
  return it == by_path_.end() ? nullptr : &*it;
}

std::string CgroupTree::dir(const Cgroup& cgroup, Controller controller) const {
  const auto& root = layout_.root(controller);
  return root.empty() ? std::string() : root + '/' + cgroup.path;
}

std::string CgroupTree::unified_dir(const Cgroup& cgroup) const {
  return layout_.unified.empty() ? std::string() : layout_.unified + '/' + cgroup.path;
}

void note_unread(Error& first, const Error& error) {
  if (!vanished(error) && first.code == 0) first = error;
}

}  // namespace evenkeel::tree
