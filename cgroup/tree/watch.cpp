#include "cgroup/tree/watch.h"

#include <fcntl.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <climits>
#include <utility>

namespace evenkeel::tree {
namespace {

constexpr std::uint32_t kBirths = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO;
constexpr int kDeadMarksToFlush = 128;

/// Reads of one descriptor in a drain: a container that writes its own settings without end may bring events
/// as fast as they are read. A full queue of the kernel (16384 events) takes two to four drains.
constexpr int kMostReads = 16;

// fanotify and inotify return process ids and descriptors of this process, so these two functions read the
// process's own /proc, not the host's.
std::string path_of(int fd) {
  std::array<char, PATH_MAX> path{};
  const auto link = "/proc/self/fd/" + std::to_string(fd);
  const auto size = ::readlink(link.c_str(), path.data(), path.size());
  return size < 0 ? std::string() : std::string(path.data(), static_cast<std::size_t>(size));
}

std::string command_of(int pid) {
  const auto path = "/proc/" + std::to_string(pid) + "/comm";
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 64> text{};
  const auto size = fd ? ::read(fd.get(), text.data(), text.size()) : -1;
  return size <= 0 ? std::string() : std::string(text.data(), static_cast<std::size_t>(size) - 1);
}

// In a directory without children of interest only the replacement of a whole file matters, which happens in
// a plain directory only, never in the kernel's.
std::uint32_t mask_for(const WatchRequest& request, bool marked) {
  std::uint32_t mask = IN_ONLYDIR | IN_DELETE_SELF | IN_MOVED_TO;
  if (request.births || !request.names.empty()) mask |= kBirths;
  if (request.cgroup && !marked) mask |= IN_MODIFY;
  return mask;
}

void add_value(TreeWatch::Changes& changes, CgroupId cgroup, std::string_view file, Writer writer) {
  for (auto& known : changes.values) {
    if (known.cgroup != cgroup || known.file != file) continue;
    if (writer.pid != 0) known.writer = std::move(writer);
    return;
  }
  changes.values.push_back({cgroup, std::string(file), std::move(writer)});
}

}  // namespace

Result<TreeWatch> TreeWatch::open(const Host& host, bool name_writers) {
  TreeWatch made;
  made.host_ = &host;
  made.inotify_ = Fd(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!made.inotify_) return fail(errno, Op::watch, "inotify");
  if (name_writers)
    made.fanotify_ = Fd(::fanotify_init(FAN_CLASS_NOTIF | FAN_NONBLOCK | FAN_CLOEXEC, O_RDONLY | O_CLOEXEC));
  if (!made.fanotify_ && name_writers)
    made.no_writers_ = std::string("writers are not named: fanotify: ") + errno_name(errno);
  made.limitation_ = made.no_writers_;
  return made;
}

bool TreeWatch::follow(const CgroupTree& tree) {
  ++round_;
  limitation_ = no_writers_;
  flush_dead_marks();
  take_plan(plan_watches(tree));
  bool fresh = false;
  for (std::size_t hierarchy = 0; hierarchy < hierarchies_.size(); ++hierarchy)
    for (auto& [path, watched] : by_path_)
      if (watched.round == round_) fresh = watch(path, watched, hierarchy) || fresh;
  drop_gone();
  return fresh;
}

void TreeWatch::take_plan(const WatchPlan& plan) {
  take_hierarchies(plan.hierarchies);
  for (const auto& [path, request] : plan.requests) {
    auto& watched = by_path_[path];
    watched.round = round_;
    watched.changed = watched.request != request;
    watched.reborn = watched.request.cgroup != request.cgroup;
    watched.request = request;
    watched.marks.resize(hierarchies_.size());
  }
}

void TreeWatch::take_hierarchies(const std::vector<std::string>& dirs) {
  if (!std::ranges::equal(dirs, hierarchies_, {}, {}, &Hierarchy::dir)) {
    for (auto& [path, watched] : by_path_) drop_all(watched);
    by_path_.clear();
    hierarchies_.clear();
    for (const auto& dir : dirs) hierarchies_.push_back({.dir = dir});
  }
  for (auto& hierarchy : hierarchies_) {
    if (!hierarchy.absolute.empty()) continue;
    if (const auto fd = host_->open_dir(hierarchy.dir)) hierarchy.absolute = path_of(fd->get());
  }
}

// Returns whether the directory, identified by id or inode, was not watched before.
bool TreeWatch::watch(const std::string& path, Watched& watched, std::size_t hierarchy) {
  auto& mark = watched.marks[hierarchy];
  const auto& request = watched.request;
  const bool mark_missing = fanotify_ && !mark.marked && request.cgroup;
  const bool as_before = mark.descriptor >= 0 && !watched.reborn && !watched.changed && !mark_missing;
  // A cgroup's id identifies its directory even if the path is reused; directories above have only their
  // inodes.
  if (as_before && request.cgroup && mark.inode == 0) return false;
  auto dir = hierarchies_[hierarchy].dir;
  if (!path.empty()) dir.append("/").append(path);
  const auto inode = request.cgroup ? 0 : host_->inode(dir).value_or(0);
  const bool same_life = !watched.reborn && mark.inode == inode;
  if (as_before && same_life) return false;
  const auto fd = host_->open_dir(dir);
  if (!fd && !vanished(fd.error())) refused(fd.error().code, dir);
  if (!fd || !same_life) drop(mark);
  if (!fd) return false;
  mark.inode = inode;
  if (request.cgroup && !mark.marked) mark.marked = add_mark(fd->get());
  const auto by_fd = "/proc/self/fd/" + std::to_string(fd->get());
  const int descriptor = ::inotify_add_watch(inotify_.get(), by_fd.c_str(), mask_for(request, mark.marked));
  if (descriptor < 0) {
    refused(errno, "inotify");
    return false;
  }
  const bool fresh = descriptor != mark.descriptor;
  mark.descriptor = descriptor;
  by_descriptor_[descriptor] = {&watched, hierarchy};
  return fresh;
}

// An evictable mark lives as long as another reference keeps the inode: the agent's inotify watch does. A
// cgroup's rmdir does not remove marks and watches (its inode never loses its last link), so a mark that pins
// the inode would keep that of every removed container for ever.
bool TreeWatch::add_mark(int dir_fd) {
  if (!fanotify_) return false;
  const auto add = [&](unsigned flags) {
    return ::fanotify_mark(fanotify_.get(), FAN_MARK_ADD | FAN_MARK_ONLYDIR | flags,
                           FAN_MODIFY | FAN_EVENT_ON_CHILD, dir_fd, nullptr) == 0;
  };
  if (!marks_pin_ && add(FAN_MARK_EVICTABLE)) return true;
  if (!marks_pin_ && errno == EINVAL) marks_pin_ = true;
  if (marks_pin_ && add(0)) return true;
  refused(errno, "fanotify");
  return false;
}

void TreeWatch::drop(Mark& mark) {
  if (mark.descriptor >= 0) {
    ::inotify_rm_watch(inotify_.get(), mark.descriptor);
    by_descriptor_.erase(mark.descriptor);
  }
  if (mark.marked && marks_pin_) ++dead_marks_;
  mark.descriptor = -1;
  mark.marked = false;
}

void TreeWatch::drop_all(Watched& watched) {
  for (auto& mark : watched.marks) drop(mark);
}

void TreeWatch::drop_gone() {
  for (auto it = by_path_.begin(); it != by_path_.end();) {
    if (it->second.round == round_) {
      ++it;
      continue;
    }
    drop_all(it->second);
    it = by_path_.erase(it);
  }
}

void TreeWatch::flush_dead_marks() {
  if (dead_marks_ <= kDeadMarksToFlush) return;
  ::fanotify_mark(fanotify_.get(), FAN_MARK_FLUSH, 0, AT_FDCWD, nullptr);
  for (auto& [path, watched] : by_path_)
    for (auto& mark : watched.marks) mark.marked = false;
  dead_marks_ = 0;
}

void TreeWatch::refused(int code, std::string_view what) {
  std::string text(what);
  text += ": ";
  if (code == ENOSPC && what == "inotify")
    text += "fs.inotify.max_user_watches is reached";
  else if (code == ENOSPC && what == "fanotify")
    text += "fs.fanotify.max_user_marks is reached";
  else
    text += errno_name(code);
  if (limitation_.find(text) != std::string::npos) return;
  limitation_ += (limitation_.empty() ? "" : "; ") + text;
}

TreeWatch::Changes TreeWatch::drain() {
  Changes changes;
  drain_inotify(changes);
  if (fanotify_) drain_fanotify(changes);
  return changes;
}

void TreeWatch::drain_inotify(Changes& changes) {
  alignas(inotify_event) std::array<char, 16384> buffer;
  for (int reads = 0; reads < kMostReads; ++reads) {
    const auto size = ::read(inotify_.get(), buffer.data(), buffer.size());
    if (size <= 0) return;
    for (long at = 0; at < size;) {
      const auto* event = reinterpret_cast<const inotify_event*>(buffer.data() + at);
      const std::string_view name = event->len > 0 ? std::string_view(event->name) : std::string_view();
      take_inotify(event->wd, event->mask, name, changes);
      at += static_cast<long>(sizeof(inotify_event) + event->len);
    }
  }
}

void TreeWatch::take_inotify(int descriptor, std::uint32_t mask, std::string_view name, Changes& changes) {
  if (mask & IN_Q_OVERFLOW) changes.overflow = changes.anywhere = changes.tree = true;
  const auto known = by_descriptor_.find(descriptor);
  if (known == by_descriptor_.end()) return;
  const auto [watched, hierarchy] = known->second;
  const auto& request = watched->request;
  if (mask & IN_IGNORED) {
    drop(watched->marks[hierarchy]);
    changes.anywhere = changes.tree = true;
  } else if (mask & IN_ISDIR) {
    const bool requested = request.births || std::ranges::find(request.names, name) != request.names.end();
    if (!requested || (mask & kBirths) == 0) return;
    changes.tree = true;
    if (request.cgroup) changes.grown.push_back(request.cgroup);
    changes.anywhere = changes.anywhere || !request.cgroup;
  } else if (request.cgroup && (mask & (IN_MODIFY | IN_MOVED_TO)) && is_setting(name)) {
    add_value(changes, request.cgroup, name, Writer{});
  }
}

void TreeWatch::drain_fanotify(Changes& changes) {
  alignas(fanotify_event_metadata) std::array<char, 8192> buffer;
  for (int reads = 0; reads < kMostReads; ++reads) {
    auto size = ::read(fanotify_.get(), buffer.data(), buffer.size());
    if (size <= 0) return;
    const auto* event = reinterpret_cast<const fanotify_event_metadata*>(buffer.data());
    for (; FAN_EVENT_OK(event, size); event = FAN_EVENT_NEXT(event, size)) {
      const Fd file(event->fd);
      if (event->mask & FAN_Q_OVERFLOW) changes.overflow = changes.anywhere = changes.tree = true;
      if (file && event->pid != ::getpid()) take_fanotify(file.get(), event->pid, changes);
    }
  }
}

void TreeWatch::take_fanotify(int file, int pid, Changes& changes) {
  const auto path = path_of(file);
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return;
  const auto name = std::string_view(path).substr(slash + 1);
  if (!is_setting(name)) return;
  const auto* watched = find(std::string_view(path).substr(0, slash));
  if (watched != nullptr && watched->request.cgroup)
    add_value(changes, watched->request.cgroup, name, Writer{pid, command_of(pid)});
}

// Only the root of a hierarchy may be reached by a link: below it are directories.
const TreeWatch::Watched* TreeWatch::find(std::string_view absolute) const {
  for (std::size_t hierarchy = 0; hierarchy < hierarchies_.size(); ++hierarchy) {
    const auto& root = hierarchies_[hierarchy].absolute;
    if (root.empty() || !absolute.starts_with(root)) continue;
    auto path = absolute.substr(root.size());
    if (!path.empty() && path.front() != '/') continue;  // "cpu" is no part of "cpuset"
    path.remove_prefix(std::min<std::size_t>(path.size(), 1));
    const auto found = by_path_.find(path);
    if (found != by_path_.end() && found->second.marks[hierarchy].descriptor >= 0) return &found->second;
  }
  return nullptr;
}

}  // namespace evenkeel::tree
