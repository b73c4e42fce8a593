// A disk with ext4 of a live test's own that becomes read-only under those who write, as one does that the
// kernel has found an error on. Unmounted with the test.
#pragma once

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
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
  /// From then on it is read-only. Returns the errno with which writes of open files fail: EROFS, or EIO
  /// where reads fail as well (Linux 6.12). 0: those writes still reach the page cache, and only a sync of
  /// them fails (Linux before 6.15 with "ext4: don't set SB_RDONLY after filesystem errors", as
  /// Debian's 6.1).
  [[nodiscard]] int fail() const {
    const int open_file = ::open((dir_ + "/open").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    std::ofstream("/sys/fs/ext4/" + disk_.path().substr(sizeof "/dev/" - 1) + "/trigger_fs_error") << "1";
    const int refused = ::write(open_file, "x", 1) < 0 ? errno : 0;
    ::close(open_file);
    return refused;
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
