// A disk of its own for a live test: a loop device on memory. It goes with the test at the latest.
#pragma once

#include <cstddef>
#include <string>

#include "cgroup/base/fd.h"

namespace evenkeel::test {

class LoopDisk {
 public:
  explicit LoopDisk(std::size_t bytes);
  ~LoopDisk();
  LoopDisk(const LoopDisk&) = delete;
  LoopDisk& operator=(const LoopDisk&) = delete;

  /// Empty: it is there.
  [[nodiscard]] const std::string& why_not() const { return why_not_; }
  [[nodiscard]] const std::string& path() const { return path_; }  ///< "/dev/loop3"
  [[nodiscard]] std::string number() const;                        ///< "7:3"

 private:
  bool take(int index, int memory);
  Fd disk_{};
  int index_ = -1;
  std::string path_{}, why_not_{};
};

}  // namespace evenkeel::test
