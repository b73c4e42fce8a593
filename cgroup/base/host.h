// Read access to the machine, or to a directory that looks like one: everything under proc/ and sys/ is
// opened beneath this root and nowhere else. Does not write (file_writer.cpp does). Symbolic links
// are followed inside the root, absolute ones too (openat2 RESOLVE_IN_ROOT); those of procfs that lead to
// open files (magic links) are refused.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cgroup/base/result.h"

namespace evenkeel {

struct SubDir {
  std::string name{};
  std::uint64_t inode = 0;
};

/// A path relative to the root, in parts that '/' joins; empty ones are left out. Tables of many files share
/// the parts: whole paths would be most of what such a table takes of memory.
struct FilePlace {
  std::string_view hierarchy{}, directory{}, name{};
};

class Host {
 public:
  static Result<Host> open(const std::string& root);

  /// `path` is relative to the root ("proc/stat").
  [[nodiscard]] Result<Fd> open_read(const std::string& path) const;
  /// The same; allocates nothing.
  [[nodiscard]] Result<Fd> open_read(const FilePlace& place) const;
  [[nodiscard]] Result<Fd> open_dir(const std::string& path) const;
  /// A path-only descriptor (O_PATH) of the directory, for opening a file in exactly this directory even if
  /// the path is reused. "" is the root.
  [[nodiscard]] Result<Fd> open_dir_path(const std::string& path) const;
  /// The whole file as text, at most 1 MiB. For start-up and rare reads; ticks use ReadFile.
  [[nodiscard]] Result<std::string> slurp(const std::string& path) const;
  [[nodiscard]] bool exists(const std::string& path) const;
  /// Names of the sub-directories, sorted; "." and ".." left out.
  [[nodiscard]] Result<std::vector<std::string>> subdirs(const std::string& path) const;
  /// The same in the directory's own order, with the inodes that the listing contains: one open for all.
  [[nodiscard]] Result<std::vector<SubDir>> subdirs_with_inodes(const std::string& path) const;
  /// Appends the same names to `out`, in the directory's own order, each followed by a NUL. Allocates only
  /// where `out` has to grow.
  [[nodiscard]] Result<> append_subdirs(const std::string& path, std::string& out) const;
  /// A hash of the directory's entries: changes when an entry is created or removed, also when their number
  /// stays the same. Allocates nothing; 0: it cannot be listed.
  [[nodiscard]] std::uint64_t listing_sum(const std::string& path) const;
  /// Names of everything that is not a directory, sorted; symbolic links included, whatever their target.
  [[nodiscard]] Result<std::vector<std::string>> files(const std::string& path) const;
  /// Inode of a file or directory.
  [[nodiscard]] Result<std::uint64_t> inode(const std::string& path) const;
  /// Whether `path` is on a kernel file system (proc, sysfs, cgroup, cgroup2). On any other (a fake root)
  /// files may be replaced by rename, and settings change without the kernel's events.
  [[nodiscard]] bool on_kernel_fs(const std::string& path) const;

  [[nodiscard]] int root_fd() const { return root_.get(); }
  [[nodiscard]] const std::string& root() const { return root_path_; }
  /// The absolute path of a relative one, for messages and for calls that need a path (inotify).
  [[nodiscard]] std::string absolute(std::string_view path) const;

 private:
  Host(Fd root, std::string path) : root_(std::move(root)), root_path_(std::move(path)) {}
  [[nodiscard]] Result<Fd> open_beneath(const char* path, std::uint64_t flags) const;
  Fd root_{};
  std::string root_path_{};
};

/// The same for an open file.
bool is_kernel_fs(int fd);

// One kernel file that is opened once and then read with pread into the caller's buffer. Allocates nothing
// per read.

/// How a file is held between reads.
enum class Hold : std::uint8_t {
  kept,      ///< the descriptor stays open
  reopened,  ///< opened for each read: for the least important files when descriptors are scarce
};

/// The open file, for tables of many files that know each one's place.
class HeldFile {
 public:
  HeldFile() = default;
  /// The first read opens it.
  explicit HeldFile(Hold hold) : hold_(hold) {}

  /// The content, as a view into `buffer`. `place` is the same in each call. A kept descriptor of a removed
  /// cgroup gives ENODEV. A missing file gives ENOENT, and is tried again only every 64th read. On a file
  /// system that is not the kernel's, a kept file that was replaced or unlinked is reopened. A file larger
  /// than the buffer gives EFBIG.
  Result<std::string_view> read(const Host& host, const FilePlace& place, std::span<char> buffer);

  [[nodiscard]] bool open() const { return static_cast<bool>(fd_); }
  [[nodiscard]] Hold hold() const { return hold_; }

 private:
  Fd fd_{};
  Hold hold_ = Hold::kept;
  bool kernel_fs_ = false;
  std::uint8_t missing_reads_ = 0;
};

/// The same with its path.
class ReadFile {
 public:
  ReadFile() = default;
  /// `path` is relative to the host's root.
  ReadFile(std::string path, Hold hold) : path_(std::move(path)), file_(hold) {}

  /// As HeldFile::read().
  Result<std::string_view> read(const Host& host, std::span<char> buffer) {
    return file_.read(host, {.name = path_}, buffer);
  }
  [[nodiscard]] bool open() const { return file_.open(); }

 private:
  std::string path_{};
  HeldFile file_{};
};

}  // namespace evenkeel
