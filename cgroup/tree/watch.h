// Watches the cgroup tree for changes: created and removed directories, and written values. Uses inotify on
// the directories, and fanotify, where it is allowed, to name the writer. Does not read files or decide; it
// reports where to look.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cgroup/base/result.h"
#include "cgroup/tree/tree.h"

namespace evenkeel::tree {

/// What to watch a directory for.
struct WatchRequest {
  CgroupId cgroup{};                 ///< none: a directory above the known cgroups
  bool births = false;               ///< any directory created or removed in it
  std::vector<std::string> names{};  ///< directories of these names created or removed in it
  bool operator==(const WatchRequest&) const = default;
};

struct WatchPlan {
  std::vector<std::string> hierarchies{};  ///< relative to the host root, the primary one first
  /// The same in each, by path relative to it; "" is its root.
  std::map<std::string, WatchRequest> requests{};
};

/// Plans which directories to watch, and for what: from the tree alone, before any system call.
WatchPlan plan_watches(const CgroupTree& tree);

/// Whether a file of this name holds a setting that policies or the sampler read back. All other changes
/// (statistics, events, processes that start and exit) are ignored.
bool is_setting(std::string_view file);

struct Writer {
  int pid = 0;            ///< 0 = unknown
  std::string command{};  ///< /proc/PID/comm, empty when the process is gone
};

class TreeWatch {
 public:
  struct Changes {
    bool tree = false;  ///< a directory was created or removed, or events were lost: scan
    /// Known cgroups in which directories were created or removed. Empty although `tree`: anywhere.
    std::vector<CgroupId> grown{};
    bool anywhere = false;  ///< also above the known cgroups, or events were lost: `grown` is incomplete
    bool overflow = false;
    struct Value {
      CgroupId cgroup{};
      std::string file{};
      Writer writer{};
    };
    /// Settings (not statistics) that a process other than this one wrote; without fanotify the agent's own
    /// writes are among them, and no writer is named.
    std::vector<Value> values{};
  };

  /// Needs no privilege; what is not allowed is left out and reported by limitation(). With `name_writers`
  /// false fanotify is not tried. `host` must outlive the watch.
  static Result<TreeWatch> open(const Host& host, bool name_writers = true);

  /// Watches every directory of the tree, in every hierarchy that has a knob, and drops those that are gone.
  /// Must be called after each drain() with `tree`, whether or not the scan found a change: a directory
  /// created in a non-primary hierarchy counts, too. Returns whether a directory is newly watched: what was
  /// created in it before gave no event, so call `do tree.scan(); while (watch.follow(tree));`
  bool follow(const CgroupTree& tree);
  /// The changes since the last call; never blocks. Takes a bounded number of events: what is left keeps the
  /// descriptors readable and comes with the next call, so nothing may rest on a drain being complete.
  Changes drain();

  /// For the event loop: readable when there is something to drain. fanotify's is -1 where it is not allowed.
  [[nodiscard]] int inotify_fd() const { return inotify_.get(); }
  [[nodiscard]] int fanotify_fd() const { return fanotify_.get(); }
  /// Empty, or why something is not watched, with the sysctl to raise
  /// ("inotify: fs.inotify.max_user_watches is reached").
  [[nodiscard]] const std::string& limitation() const { return limitation_; }

 private:
  TreeWatch() = default;
  struct Hierarchy {
    std::string dir{};       ///< relative to the host root
    std::string absolute{};  ///< as fanotify's events spell it; empty: it cannot be opened
  };
  /// A directory in one hierarchy.
  struct Mark {
    std::uint64_t inode = 0;  ///< of a directory without a cgroup's id
    int descriptor = -1;  ///< inotify's; it also keeps the directory's inode, and with it the fanotify mark
    bool marked = false;  ///< fanotify has it
  };
  /// A directory in all hierarchies. A node has hundreds, so that each path is kept once.
  struct Watched {
    WatchRequest request{};
    std::vector<Mark> marks{};  ///< in the order of the hierarchies
    std::uint32_t round = 0;    ///< of the last follow() that needed it
    bool changed = false;       ///< in that one: another request
    bool reborn = false;        ///< the same: another cgroup, or none any more
  };
  struct Place {
    Watched* watched = nullptr;
    std::size_t hierarchy = 0;
  };
  void take_plan(const WatchPlan& plan);
  void take_hierarchies(const std::vector<std::string>& dirs);
  bool watch(const std::string& path, Watched& watched, std::size_t hierarchy);
  bool add_mark(int dir_fd);
  [[nodiscard]] const Watched* find(std::string_view absolute) const;
  void drop(Mark& mark);
  void drop_all(Watched& watched);
  void drop_gone();
  void flush_dead_marks();
  void refused(int code, std::string_view what);
  void drain_inotify(Changes& changes);
  void drain_fanotify(Changes& changes);
  void take_inotify(int descriptor, std::uint32_t mask, std::string_view name, Changes& changes);
  void take_fanotify(int file, int pid, Changes& changes);

  const Host* host_ = nullptr;
  Fd inotify_{};
  Fd fanotify_{};
  bool marks_pin_ = false;  ///< before Linux 5.19 a mark keeps its inode alive until the group is flushed
  int dead_marks_ = 0;
  std::uint32_t round_ = 0;
  std::vector<Hierarchy> hierarchies_{};
  std::map<std::string, Watched, std::less<>> by_path_{};  ///< relative to a hierarchy
  std::unordered_map<int, Place> by_descriptor_{};
  std::string no_writers_{};  ///< why fanotify is not in use
  std::string limitation_{};
};

}  // namespace evenkeel::tree
