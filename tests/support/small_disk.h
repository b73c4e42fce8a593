// A small disk of a live test's own (a tmpfs), full or read-only when the test says so. Unmounted with the
// test.
#pragma once

#include <sys/mount.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

namespace evenkeel::test {

class SmallDisk {
 public:
  /// Creates the directory if it is missing.
  explicit SmallDisk(std::string dir) : dir_(std::move(dir)) {
    std::filesystem::create_directories(dir_);
    mounted_ = ::mount("tmpfs", dir_.c_str(), "tmpfs", 0, "size=256k,mode=0700") == 0;
  }
  ~SmallDisk() {
    if (mounted_) ::umount2(dir_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  /// Why it is not available; empty: it is.
  [[nodiscard]] std::string why_not() const { return mounted_ ? "" : "cannot mount a small disk"; }
  [[nodiscard]] const std::string& path() const { return dir_; }
  /// Takes all that is left. What is appended to a file still fits into the last page that the file has.
  void fill() const { std::ofstream(filler()) << std::string(std::size_t{512} * 1024, 'x'); }
  void make_room() const { std::filesystem::remove(filler()); }
  /// False: the kernel refuses, because a file is open for writing.
  [[nodiscard]] bool make_read_only() const { return remount(MS_RDONLY); }
  [[nodiscard]] bool make_writable() const { return remount(0); }

 private:
  [[nodiscard]] std::string filler() const { return dir_ + "/filler"; }
  [[nodiscard]] bool remount(unsigned long flags) const {
    return ::mount("tmpfs", dir_.c_str(), "tmpfs", MS_REMOUNT | flags, nullptr) == 0;
  }
  std::string dir_;
  bool mounted_ = false;
};

}  // namespace evenkeel::test
