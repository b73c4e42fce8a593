// Files that are read again when they change, and files of the agent's own state. Not for kernel files.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "cgroup/base/result.h"
#include "qos/model/units.h"

struct sockaddr;

namespace evenkeel::runtime {

// Reads small text files that operators and the kubelet write, and reads them again when they have changed.

/// Absent: it is missing, cannot be read (a directory) or is longer than `longest`.
std::optional<std::string> read_text_file(const std::string& path, std::size_t longest = SIZE_MAX);

/// A file that other processes replace, checked without events: a symlink switch or a write counts.
class WatchedTextFile {
 public:
  explicit WatchedTextFile(std::string path) : path_(std::move(path)) {}
  [[nodiscard]] const std::string& path() const { return path_; }
  /// Reads the file if it or its stat(2) changed since the last call (always with `anyhow`). Returns whether
  /// the text differs. A file that cannot be read leaves the text as it was.
  bool refresh(bool anyhow = false);
  /// Whether the last refresh() could read the file.
  [[nodiscard]] bool readable() const { return readable_; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  struct Stamp {
    std::uint64_t device = 0, inode = 0, size = 0;
    std::int64_t changed_ns = 0;
    bool operator==(const Stamp&) const = default;
  };
  std::string path_;
  std::optional<Stamp> stamp_{};
  bool readable_ = false;
  std::string text_{};
};

// Detects that a file's text has changed: written in place, replaced by rename, deleted and created again,
// switched behind a symbolic link (ConfigMap volumes), or in a directory that appears later. Does not
// interpret or keep the text.

/// Open the watch first, then read the file: a change in between is reported.
class FileWatch {
 public:
  /// A truncated file gets its text from a slow writer (a shell at the far end of a network) within seconds.
  static constexpr Duration kSettled = std::chrono::seconds(5);

  /// Never fails: a missing file is waited for.
  explicit FileWatch(std::string path);

  /// Readable when changed() should be called; -1 where inotify is not available.
  [[nodiscard]] int fd() const { return inotify_.get(); }
  /// Whether the text differs from the last call; a file that went away counts. Drains fd(). May also be
  /// called at every tick: that costs one stat(2), and finds changes that raise no event (another machine's
  /// write on a network file system, a renamed ancestor), once the file has been unchanged for kSettled. A
  /// file that is still being written is reported when its writer closes it, or keeps it open and has been
  /// silent for kSettled.
  bool changed(MonoTime now);

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
  [[nodiscard]] bool changed_and_settled(MonoTime now);
  [[nodiscard]] Names path_components() const;
  void arm();
  bool drain();
  [[nodiscard]] bool is_relevant(int descriptor, unsigned mask, std::string_view name) const;
  [[nodiscard]] bool is_created_open(int descriptor, unsigned mask, std::string_view name) const;

  std::string path_{};
  Fd inotify_{};
  std::map<int, std::string> dirs_{};  ///< watch descriptor -> directory
  Names names_{};
  Fingerprint seen_{};
  Stamp seen_stamp_{};     ///< when seen_ was taken
  Stamp last_stamp_{};     ///< at the last call
  MonoTime same_since_{};  ///< at which call last_stamp_ was new
};

// Replaces a file in the state directory atomically: at every moment, even after a machine crash, it holds
// the old text or the new one. Not for kernel files.
//
// On a thread of its own for each replacement, because a disk can take seconds or stand still, and a tick
// must not wait for it.

class StateFile {
 public:
  explicit StateFile(std::string path) : path_(std::move(path)) {}

  /// Writes the text to PATH.new, syncs it and renames it to PATH, on a thread. Waits for an earlier
  /// replacement that is still in progress.
  void begin(std::string text);
  [[nodiscard]] bool in_progress() const { return replacement_ && !has_ended(); }
  [[nodiscard]] std::optional<std::string> text_in_progress() const;
  /// How the last replacement ended, told once; absent: it is still in progress, or was told before.
  std::optional<Result<>> ended();
  /// Waits for the replacement in progress. Success if there is none.
  Result<> finish();
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  struct Replacement;
  [[nodiscard]] bool has_ended() const;
  static void* thread(void* replacement);
  std::string path_;
  std::shared_ptr<Replacement> replacement_{};
};

/// Replaces a file that other programs of this machine read: they see the old text or the new one. Its
/// permissions stay as they are; a new file is for everyone to read (0644), whatever the umask. Not synced,
/// so a crash of the machine may lose it.
Result<> replace_text_file(const std::string& path, std::string_view text);

/// As bind(2) of a unix socket to a path, which gets exactly this mode, whatever the umask. Not by chmod(2)
/// once it is there: where another user may write into the directory, the path may lead to any file by then.
int bind_with_mode(int fd, const sockaddr* at, unsigned size, unsigned mode);

/// The whole file; EFBIG when longer than `most`, ENOENT when missing.
Result<std::string> read_state_file(const std::string& path, std::size_t most = std::size_t{64} << 20U);

}  // namespace evenkeel::runtime
