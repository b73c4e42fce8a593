// The interface to resctrl's files: groups are directories, and tasks are moved by writing their ids. Does
// not decide anything. ResctrlKernelFiles (file_writer.h) is the real one; tests use a model of the kernel.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cgroup/base/result.h"

namespace evenkeel {

/// Paths are relative to the host's root.
class ResctrlFiles {
 public:
  virtual ~ResctrlFiles() = default;
  /// The whole text, stored in `buffer`, which keeps its capacity from call to call.
  virtual Result<std::string_view> read(const std::string& path, std::string& buffer) = 0;
  /// Writes in one write(), which the kernel accepts as a whole or not at all. Never creates a file.
  virtual Result<> write(const std::string& path, std::string_view text) = 0;
  virtual Result<> make_dir(const std::string& path) = 0;
  virtual Result<> remove_dir(const std::string& path) = 0;
  virtual Result<std::uint64_t> inode(const std::string& path) = 0;
  /// Appends the names of its sub-directories to `names`, each followed by a NUL.
  virtual Result<> append_subdirs(const std::string& path, std::string& names) = 0;
};

}  // namespace evenkeel
