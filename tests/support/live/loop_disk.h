// A private disk for a live test: a loop device backed by memory. Removed with the test at the latest.
#pragma once

#include <cstddef>
#include <string>

#include "cgroup/base/result.h"

namespace evenkeel::test {

class LoopDisk {
 public:
  explicit LoopDisk(std::size_t bytes);
  ~LoopDisk();
  LoopDisk(const LoopDisk&) = delete;
  LoopDisk& operator=(const LoopDisk&) = delete;

  /// Why it is not available; empty: it is.
  [[nodiscard]] const std::string& why_not() const { return unavailable_reason_; }
  [[nodiscard]] const std::string& path() const { return path_; }  ///< "/dev/loop3"
  [[nodiscard]] std::string number() const;                        ///< "7:3"

 private:
  bool take(int index, int memory);
  Fd disk_{};
  int index_ = -1;
  std::string path_{}, unavailable_reason_{};
};

}  // namespace evenkeel::test
