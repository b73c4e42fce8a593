// Notices that a file says something else than before: written in place, replaced by rename, deleted and made
// again, swapped behind a symbolic link (ConfigMap volumes), or in a directory that appears later. May not:
// read meaning into the text, or keep it.
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

namespace evenkeel::config {

/// Open the watch first, then read the file: what happens between is reported as a change.
class FileWatch {
 public:
  /// Never fails: what is not there yet is waited for.
  explicit FileWatch(std::string path);

  /// Readable when changed() should be asked; -1 where inotify is not to be had.
  [[nodiscard]] int fd() const { return inotify_.get(); }
  /// Whether the text is another one than at the last question; a file that went away counts. Drains fd().
  /// May be asked at every tick besides: that costs one stat(2), and finds what gives no event (another
  /// machine's write on a network file system, an ancestor that was renamed), once the file has held still
  /// from one question to the next. A file that is still being written is not reported: its writer's close
  /// is.
  bool changed();

 private:
  using Fingerprint =
      std::optional<std::pair<std::size_t, std::size_t>>;  ///< size and hash; absent: unreadable
  /// Directory -> names that matter in it. Looked up as they stand in an event: strangers work there too.
  using Names = std::map<std::string, std::set<std::string, std::less<>>>;

  /// What stat(2) says of the file behind all links; all zero when there is none.
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
  Stamp last_stamp_{};  ///< at the last question
};

}  // namespace evenkeel::config
