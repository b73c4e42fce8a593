// The interfaces through which control files are read and written: KernelFiles for the files of cgroups,
// ResctrlFiles for resctrl. Do not decide anything. The real ones are in file_writer.h; tests use models of
// the kernel.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cgroup/base/disk_text.h"
#include "cgroup/base/result.h"

namespace evenkeel {

/// One control file: its path, and the inode of the directory that is meant. With a device: that disk's own
/// part of the file, which reads and is written as "8:16 rbps=1048576", independent of other lines and parts.
struct KnobFile {
  std::string dir{};         ///< relative to the host root
  std::string_view name{};   ///< from the knob table
  std::uint64_t inode = 0;   ///< of the directory; 0 = not known yet, any
  std::uint32_t device = 0;  ///< 0 = the whole file
  /// Its name in the journal: unique per value.
  [[nodiscard]] std::string entry() const { return disk_entry_name(name, device); }
  [[nodiscard]] std::string path() const { return dir + '/' + entry(); }
  /// For messages: the file itself.
  [[nodiscard]] std::string shown_path() const { return dir + '/' + std::string(file_part(name)); }
};

/// The files of cgroups; FileWriter is the real one.
class KernelFiles {
 public:
  virtual ~KernelFiles() = default;
  virtual Result<std::string> read(const KnobFile& file) = 0;
  /// Replaces the content. ENOENT/ENODEV when the directory is gone or is not the one meant (another inode).
  virtual Result<> write(const KnobFile& file, std::string_view text) = 0;
  virtual Result<std::uint64_t> inode(const std::string& dir) = 0;
  /// Appends the names of its sub-directories to `names`, each followed by a NUL.
  virtual Result<> append_subdirs(const std::string& dir, std::string& names) = 0;
};

/// resctrl's files: groups are directories, and tasks are moved by writing their ids. ResctrlKernelFiles is
/// the real one. Paths are relative to the host's root.
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
