// A disk with ext4 of a live test's own that becomes read-only under those who write, as one does that the
// kernel has found an error on. Unmounted with the test.
#pragma once

#include <sys/mount.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "tests/support/live/loop_disk.h"

namespace evenkeel::test {

class FailingDisk {
 public:
  /// Creates the directory if it is missing.
  explicit FailingDisk(std::string dir) : dir_(std::move(dir)) {
    if (!disk_.why_not().empty()) return;
    std::filesystem::create_directories(dir_);
    made_ = std::system(("mkfs.ext4 -q " + disk_.path() + " 2>/dev/null").c_str()) == 0 && mount();
  }
  ~FailingDisk() { ::umount2(dir_.c_str(), MNT_DETACH); }
  FailingDisk(const FailingDisk&) = delete;
  FailingDisk& operator=(const FailingDisk&) = delete;

  /// Why it is not available; empty: it is.
  [[nodiscard]] std::string why_not() const {
    return !disk_.why_not().empty() ? disk_.why_not() : made_ ? "" : "no disk with ext4 can be made here";
  }
  /// From then on it is read-only, also for files that are open.
  void fail() const {
    std::ofstream("/sys/fs/ext4/" + disk_.path().substr(sizeof "/dev/" - 1) + "/trigger_fs_error") << "1";
  }
  /// Checked and mounted again.
  [[nodiscard]] bool mend() const {
    if (::umount(dir_.c_str()) != 0) return false;
    const int checked = std::system(("fsck.ext4 -fp " + disk_.path() + " >/dev/null 2>&1").c_str());
    constexpr int kCorrected = 1;
    return WIFEXITED(checked) && WEXITSTATUS(checked) <= kCorrected && mount();
  }

 private:
  [[nodiscard]] bool mount() const {
    return ::mount(disk_.path().c_str(), dir_.c_str(), "ext4", 0, "errors=remount-ro") == 0;
  }
  std::string dir_;
  LoopDisk disk_{std::size_t{8} << 20U};
  bool made_ = false;
};

}  // namespace evenkeel::test
