// The seam between deciding and touching for resctrl: groups are directories, and tasks are moved by writing
// their ids. The real one is ResctrlKernelFiles (file_writer.h); tests put a model of the kernel here.
// May not: decide anything.
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
  /// The whole text, kept in `buffer`, which keeps its memory from call to call.
  virtual Result<std::string_view> read(const std::string& path, std::string& buffer) = 0;
  /// In one write(), which the kernel takes as a whole or not at all. Never makes a file.
  virtual Result<> write(const std::string& path, std::string_view text) = 0;
  virtual Result<> make_dir(const std::string& path) = 0;
  virtual Result<> remove_dir(const std::string& path) = 0;
  virtual Result<std::uint64_t> inode(const std::string& path) = 0;
  /// Appends the names of its sub-directories to `names`, each with a NUL behind it.
  virtual Result<> append_subdirs(const std::string& path, std::string& names) = 0;
};

}  // namespace evenkeel
