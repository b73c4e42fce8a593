// The seam between deciding and touching: one file of one cgroup is read or written through this and nothing
// else. The real one is FileWriter; tests put a model of the kernel here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cgroup/base/disk_text.h"
#include "cgroup/base/result.h"

namespace evenkeel {

/// One control file: where it is and which life of the directory is meant. With a device: that disk's own
/// part of it, which reads and is written as "8:16 rbps=1048576", whatever other lines and parts there are.
struct KnobFile {
  std::string dir{};         ///< relative to the host root
  std::string_view name{};   ///< from the knob table
  std::uint64_t inode = 0;   ///< of the directory; 0 = not known yet, any
  std::uint32_t device = 0;  ///< 0 = the whole file
  /// Its name on record: no two values share it.
  [[nodiscard]] std::string entry() const { return disk_entry_name(name, device); }
  [[nodiscard]] std::string path() const { return dir + '/' + entry(); }
  /// For people: the file itself.
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
