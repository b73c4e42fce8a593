// The machine, or a directory that looks like one: everything under proc/ and sys/ is opened beneath this
// root and nowhere else. Symbolic links that lead out of the root are refused (openat2 RESOLVE_IN_ROOT). May
// not: write. file_writer.cpp is the only file that opens anything for writing below the root.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cgroup/base/fd.h"
#include "cgroup/base/result.h"

namespace evenkeel {

struct SubDir {
  std::string name{};
  std::uint64_t inode = 0;
};

class Host {
 public:
  static Result<Host> open(const std::string& root);

  /// `path` is relative to the root ("proc/stat").
  [[nodiscard]] Result<Fd> open_read(const std::string& path) const;
  [[nodiscard]] Result<Fd> open_dir(const std::string& path) const;
  /// The directory as a place only (O_PATH), for opening a file in this very life of it. "" is the root.
  [[nodiscard]] Result<Fd> open_dir_path(const std::string& path) const;
  /// The whole file as text, at most 1 MiB. For start-up and rare reads; ticks use ReadFile.
  [[nodiscard]] Result<std::string> slurp(const std::string& path) const;
  [[nodiscard]] bool exists(const std::string& path) const;
  /// Names of the sub-directories, sorted; "." and ".." left out.
  [[nodiscard]] Result<std::vector<std::string>> subdirs(const std::string& path) const;
  /// The same in the directory's own order, with the inodes that the listing carries anyway: one open for
  /// all.
  [[nodiscard]] Result<std::vector<SubDir>> subdirs_with_inodes(const std::string& path) const;
  /// Appends the same names to `out`, in the directory's own order, each with a NUL behind it. Allocates only
  /// where `out` has to grow.
  [[nodiscard]] Result<> append_subdirs(const std::string& path, std::string& out) const;
  /// Changes when something comes into the directory or goes, also when as much is left: the sum of what
  /// stands there. Allocates nothing; 0: it cannot be listed.
  [[nodiscard]] std::uint64_t listing_sum(const std::string& path) const;
  /// Names of what is not a directory, sorted; symbolic links are among them, whatever they lead to.
  [[nodiscard]] Result<std::vector<std::string>> files(const std::string& path) const;
  /// Inode of a file or directory.
  [[nodiscard]] Result<std::uint64_t> inode(const std::string& path) const;
  /// Whether `path` lies on a kernel file system (proc, sysfs, cgroup, cgroup2). On any other (a fake root)
  /// files may be replaced by rename, and settings change without events that a kernel would give.
  [[nodiscard]] bool on_kernel_fs(const std::string& path) const;

  [[nodiscard]] int root_fd() const { return root_.get(); }
  [[nodiscard]] const std::string& root() const { return root_path_; }
  /// For people and for calls that need a path (inotify): the absolute path of a relative one.
  [[nodiscard]] std::string absolute(std::string_view path) const;

 private:
  Host(Fd root, std::string path) : root_(std::move(root)), root_path_(std::move(path)) {}
  [[nodiscard]] Result<Fd> open_beneath(const std::string& path, std::uint64_t flags) const;
  Fd root_{};
  std::string root_path_{};
};

/// The same for an open file.
bool is_kernel_fs(int fd);

}  // namespace evenkeel
