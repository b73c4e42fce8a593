#include "tests/support/live/disk_user.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <new>
#include <thread>

namespace evenkeel::test {

DiskUser::DiskUser(const std::string& procs, const std::string& disk, const DiskLoad& use)
    : bytes_(new (::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))
                 std::atomic<std::int64_t>(0)) {
  for (int i = 0; i < use.processes; ++i) {
    const auto child = ::fork();
    if (child == 0) use_for_ever(procs, disk, use, i);
    children_.push_back(child);
  }
}

DiskUser::~DiskUser() {
  for (const auto child : children_) ::kill(child, SIGKILL);
  for (const auto child : children_) ::waitpid(child, nullptr, 0);
  ::munmap(bytes_, 4096);
}

double DiskUser::rate(std::chrono::milliseconds over) const {
  const auto before = bytes();
  const auto start = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(over);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  return static_cast<double>(bytes() - before) / took.count();
}

void DiskUser::use_for_ever(const std::string& procs, const std::string& disk, const DiskLoad& use,
                            int first) {
  std::ofstream(procs) << ::getpid() << std::flush;
  if (!use.also_in.empty()) std::ofstream(use.also_in) << ::getpid() << std::flush;
  void* piece = std::aligned_alloc(4096, use.piece);
  const int how = (use.writes ? O_WRONLY : O_RDONLY) | (use.through_the_cache ? 0 : O_DIRECT);
  const int file = ::open(disk.c_str(), how);
  const auto part =
      use.of / static_cast<std::size_t>(use.processes);  // separate areas, so that requests are not merged
  for (std::size_t at = 0;; at = (at + use.piece) % part) {
    const auto place = static_cast<off_t>(static_cast<std::size_t>(first) * part + at);
    const auto done =
        use.writes ? ::pwrite(file, piece, use.piece, place) : ::pread(file, piece, use.piece, place);
    if (done != static_cast<ssize_t>(use.piece)) ::_exit(1);
    if (use.through_the_cache && ::fdatasync(file) != 0) ::_exit(1);
    *bytes_ += static_cast<std::int64_t>(use.piece);
    if (use.pause.count() > 0) std::this_thread::sleep_for(use.pause);
  }
}

}  // namespace evenkeel::test
