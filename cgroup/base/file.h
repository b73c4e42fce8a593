// ReadFile, one kernel file that is opened once and then read with pread into the caller's buffer. Allocates
// nothing per read.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cgroup/base/fd.h"
#include "cgroup/base/host.h"
#include "cgroup/base/result.h"

namespace evenkeel {

/// How a ReadFile holds its file between reads.
enum class Hold : std::uint8_t {
  kept,      ///< the descriptor stays open
  reopened,  ///< opened for each read: for the least important files when descriptors are scarce
};

class ReadFile {
 public:
  ReadFile() = default;
  /// The first read opens it. `path` is relative to the host's root.
  ReadFile(std::string path, Hold hold) : path_(std::move(path)), hold_(hold) {}

  /// The content, as a view into `buffer`. A kept descriptor of a removed cgroup gives ENODEV. A missing file
  /// gives ENOENT, and is tried again only every 64th read. On a file system that is not the kernel's, a kept
  /// file that was replaced or unlinked is reopened. A file larger than the buffer gives EFBIG.
  Result<std::string_view> read(const Host& host, std::span<char> buffer);

  [[nodiscard]] bool open() const { return static_cast<bool>(fd_); }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_{};
  Fd fd_{};
  Hold hold_ = Hold::kept;
  bool kernel_fs_ = false;
  std::uint8_t missing_reads_ = 0;
};

}  // namespace evenkeel
