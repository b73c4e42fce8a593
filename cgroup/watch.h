// Notices at once what changes in the cgroup tree: born and dead directories, and values that somebody wrote.
// inotify on the directories; fanotify besides, where it is allowed, to name the writer.
// May not: read or decide; it says where to look.
#pragma once

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "cgroup/fd.h"
#include "cgroup/result.h"
#include "cgroup/tree.h"

namespace evenkeel {

struct Writer {
  int pid = 0;            ///< 0 = unknown
  std::string command{};  ///< /proc/PID/comm, empty when it is gone
};

class TreeWatch {
 public:
  struct Changes {
    bool tree = false;  ///< a directory came or went, or events were lost: scan
    bool overflow = false;
    struct Value {
      CgroupId cgroup{};
      std::string file{};
      Writer writer{};
    };
    std::vector<Value>
        values{};  ///< files that somebody other than this process wrote (or may have: no fanotify)
  };

  /// Works without any right; what is not allowed is left out and said by limitation().
  static Result<TreeWatch> open(const Host& host);

  /// Watches every directory of the tree, in every hierarchy that has a knob, and drops those that are gone.
  void follow(const CgroupTree& tree);
  /// What happened since the last call; never blocks.
  Changes drain();

  /// For the event loop: readable when there is something to drain. fanotify's is -1 where it is not allowed.
  [[nodiscard]] int inotify_fd() const { return inotify_.get(); }
  [[nodiscard]] int fanotify_fd() const { return fanotify_.get(); }
  /// Empty, or why something is not watched, with the sysctl to raise ("fs.inotify.max_user_watches=8192
  /// reached").
  [[nodiscard]] const std::string& limitation() const { return limitation_; }

 private:
  TreeWatch() = default;
  struct Watched {
    CgroupId cgroup{};
    std::string dir{};
  };
  const Host* host_ = nullptr;
  Fd inotify_{};
  Fd fanotify_{};
  std::unordered_map<int, Watched> by_descriptor_{};
  std::unordered_map<std::string, int> by_dir_{};
  std::unordered_map<std::string, CgroupId>
      by_absolute_{};  ///< for fanotify, which names the file by descriptor
  std::string limitation_{};
};

}  // namespace evenkeel
