// Notices that a file changed, however it was changed: written in place, replaced by rename, removed and made
// again, or swapped by a ConfigMap's ..data link. Watches directories, since a watch on the file itself ends
// with its inode. May not: read the file.
#pragma once

#include <cstdint>
#include <string>

#include "cgroup/fd.h"

namespace evenkeel {

class FileWatch {
 public:
  /// Never fails: what cannot be watched yet (the directory is not there) is tried again at every question.
  explicit FileWatch(std::string path);

  /// Readable when something near the file happened; -1 where inotify is not to be had.
  [[nodiscard]] int fd() const { return inotify_.get(); }
  /// Whether the file is another one, or has another content stamp, than at the last question. Drains fd().
  bool changed();

 private:
  /// What stat(2) says of the file behind all links; all zero when there is none.
  struct Stamp {
    std::uint64_t device = 0, inode = 0, size = 0;
    std::int64_t modified_ns = 0, status_ns = 0;
    bool operator==(const Stamp&) const = default;
  };
  void watch_directories();
  [[nodiscard]] Stamp stamp() const;
  std::string path_;
  Fd inotify_{};
  Stamp last_{};
};

}  // namespace evenkeel
