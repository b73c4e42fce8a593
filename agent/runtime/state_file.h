// Replaces a file in the state directory atomically: at every moment, even after a machine crash, it holds
// the old text or the new one. Not for kernel files.
//
// In two steps, because a busy disk is slow and a tick must not block: begin() passes the text to the kernel,
// which starts writing; finish(), called well after, only syncs what is already written.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cgroup/base/fd.h"
#include "cgroup/base/result.h"

namespace evenkeel::runtime {

class StateFile {
 public:
  explicit StateFile(std::string path) : path_(std::move(path)) {}

  /// Writes the text to PATH.new; drops an earlier begin() without finish().
  Result<> begin(std::string_view text);
  /// Renames PATH.new to PATH and syncs it. No effect without a begin().
  Result<> finish();
  [[nodiscard]] bool in_progress() const { return static_cast<bool>(fresh_); }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  [[nodiscard]] std::string fresh_path() const { return path_ + ".new"; }
  Result<> abandon(Error error);
  std::string path_;
  Fd fresh_{};
};

/// The whole file; EFBIG when longer than `most`, ENOENT when missing.
Result<std::string> read_state_file(const std::string& path, std::size_t most = std::size_t{64} << 20U);

}  // namespace evenkeel::runtime
