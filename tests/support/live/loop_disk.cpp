#include "tests/support/live/loop_disk.h"

#include <fcntl.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace evenkeel::test {
namespace {

constexpr unsigned kLoopMajor = 7;

}  // namespace

/// Another process may take a free device first: then the next one is tried.
bool LoopDisk::take(int index, int memory) {
  path_ = "/dev/loop" + std::to_string(index);
  if (::access(path_.c_str(), F_OK) != 0)
    ::mknod(path_.c_str(), S_IFBLK | 0600, makedev(kLoopMajor, static_cast<unsigned>(index)));
  disk_ = Fd(::open(path_.c_str(), O_RDWR | O_CLOEXEC));
  if (!disk_ || ::ioctl(disk_.get(), LOOP_SET_FD, memory) != 0) return false;
  loop_info64 info{};
  info.lo_flags = LO_FLAGS_AUTOCLEAR;
  ::ioctl(disk_.get(), LOOP_SET_STATUS64, &info);
  index_ = index;
  return true;
}

LoopDisk::LoopDisk(std::size_t bytes) {
  constexpr int kTries = 8;
  const Fd memory(::memfd_create("evenkeel-test-disk", MFD_CLOEXEC));
  const Fd control(::open("/dev/loop-control", O_RDWR | O_CLOEXEC));
  if (!memory || !control || ::ftruncate(memory.get(), static_cast<off_t>(bytes)) != 0) {
    unavailable_reason_ = std::string("no loop devices here: ") + std::strerror(errno);
    return;
  }
  for (int i = 0; i < kTries; ++i) {
    const int index = ::ioctl(control.get(), LOOP_CTL_GET_FREE);
    if (index >= 0 && take(index, memory.get())) return;
  }
  unavailable_reason_ = std::string("no loop device could be had: ") + std::strerror(errno);
}

LoopDisk::~LoopDisk() {
  if (index_ >= 0) ::ioctl(disk_.get(), LOOP_CLR_FD, 0);
}

std::string LoopDisk::number() const { return std::to_string(kLoopMajor) + ':' + std::to_string(index_); }

}  // namespace evenkeel::test
