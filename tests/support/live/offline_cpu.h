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
      why_not_ = "CPUs are taken away in a guest only";
    } else if (!put("0")) {
      why_not_ = "this machine has no CPU that can go offline";
    }
  }
  ~OfflineCpu() {
    if (why_not_.empty()) put("1");
  }
  OfflineCpu(const OfflineCpu&) = delete;
  OfflineCpu& operator=(const OfflineCpu&) = delete;

  /// Why it is still online; empty: it is offline.
  [[nodiscard]] const std::string& why_not() const { return why_not_; }
  /// Brings it back online.
  bool back() { return put("1"); }

 private:
  bool put(const char* online) {
    std::ofstream out(file_);
    out << online << std::flush;
    return bool(out);
  }
  std::string file_, why_not_{};
};

}  // namespace evenkeel::test
