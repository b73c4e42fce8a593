// Detects that a file's text has changed: written in place, replaced by rename, deleted and created again,
// switched behind a symbolic link (ConfigMap volumes), or in a directory that appears later. Does not
// interpret or keep the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "cgroup/base/fd.h"

namespace evenkeel::runtime {

/// Open the watch first, then read the file: a change in between is reported.
class FileWatch {
 public:
  /// Never fails: a missing file is waited for.
  explicit FileWatch(std::string path);

  /// Readable when changed() should be called; -1 where inotify is not available.
  [[nodiscard]] int fd() const { return inotify_.get(); }
  /// Whether the text differs from the last call; a file that went away counts. Drains fd(). May also be
  /// called at every tick: that costs one stat(2), and finds changes that raise no event (another machine's
  /// write on a network file system, a renamed ancestor), once the file is unchanged between two calls. A
  /// file that is still being written is reported only when its writer closes it.
  bool changed();

 private:
  using Fingerprint =
      std::optional<std::pair<std::size_t, std::size_t>>;  ///< size and hash; absent: unreadable
  /// Directory -> relevant names in it; events for other names are ignored.
  using Names = std::map<std::string, std::set<std::string, std::less<>>>;

  /// stat(2) of the file behind all links; all zero when there is no file.
  struct Stamp {
    std::uint64_t device = 0, inode = 0, size = 0;
    std::int64_t modified_ns = 0, status_ns = 0;
    bool operator==(const Stamp&) const = default;
  };

  [[nodiscard]] Fingerprint check() const;
  [[nodiscard]] Stamp stamp() const;
  [[nodiscard]] bool changed_and_settled();
  [[nodiscard]] Names path_components() const;
  void arm();
  bool drain();
  [[nodiscard]] bool is_relevant(int descriptor, unsigned mask, std::string_view name) const;

  std::string path_{};
  Fd inotify_{};
  std::map<int, std::string> dirs_{};  ///< watch descriptor -> directory
  Names names_{};
  Fingerprint seen_{};
  Stamp seen_stamp_{};  ///< when seen_ was taken
  Stamp last_stamp_{};  ///< at the last call
};

}  // namespace evenkeel::runtime
