// A file in the state directory that is replaced as a whole: at every moment, a crash of the machine
// included, it holds the old text or the new one. May not: be used for kernel files.
//
// In two steps, because a busy disk takes its time and a tick must not: begin() hands the text to the kernel,
// which starts to write; finish(), called a good while later, finds it written and only has to make sure.
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

  /// PATH.new holds the text; what was begun before and not finished is dropped.
  Result<> begin(std::string_view text);
  /// PATH.new takes PATH's place and the disk knows. Without a begin() nothing happens.
  Result<> finish();
  [[nodiscard]] bool in_progress() const { return static_cast<bool>(fresh_); }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  [[nodiscard]] std::string fresh_path() const { return path_ + ".new"; }
  Result<> abandon(Error error);
  std::string path_;
  Fd fresh_{};
};

/// The whole file; EFBIG when there is more than `most`, ENOENT where there is none.
Result<std::string> read_state_file(const std::string& path, std::size_t most = std::size_t{64} << 20U);

}  // namespace evenkeel::runtime
