// KernelFiles, the interface through which every file of a cgroup is read or written. FileWriter is the real
// one; tests use a model of the kernel.
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

class KernelFiles {
 public:
  virtual ~KernelFiles() = default;
  virtual Result<std::string> read(const KnobFile& file) = 0;
  /// Replaces the content. ENOENT/ENODEV when the directory is gone or is not the one meant (another inode).
  virtual Result<> write(const KnobFile& file, std::string_view text) = 0;
  virtual Result<std::uint64_t> inode(const std::string& dir) = 0;
};

}  // namespace evenkeel
