// Takes a CPU offline for a while. For guests only: a shared machine keeps its CPUs.
#pragma once

#include <fstream>
#include <string>

#include "tests/support/live/guest_kernel.h"

namespace evenkeel::test {

class OfflineCpu {
 public:
  explicit OfflineCpu(int cpu) : file_("/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/online") {
    if (!in_guest()) {
      unavailable_reason_ = "CPUs are taken away in a guest only";
    } else if (!put("0")) {
      unavailable_reason_ = "this machine has no CPU that can go offline";
    }
  }
  ~OfflineCpu() {
    if (unavailable_reason_.empty()) put("1");
  }
  OfflineCpu(const OfflineCpu&) = delete;
  OfflineCpu& operator=(const OfflineCpu&) = delete;

  /// Why it is still online; empty: it is offline.
  [[nodiscard]] const std::string& why_not() const { return unavailable_reason_; }
  /// Brings it back online.
  bool back() { return put("1"); }

 private:
  bool put(const char* online) {
    std::ofstream out(file_);
    out << online << std::flush;
    return bool(out);
  }
  std::string file_, unavailable_reason_{};
};

}  // namespace evenkeel::test
