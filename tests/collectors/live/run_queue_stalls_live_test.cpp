// Stalls of tasks on the real kernel: direct reclaim and sleeping for a disk.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <thread>

#include "tests/support/live/loop_disk.h"
#include "tests/support/live/memory_hogs.h"
#include "tests/support/live/pinned_task.h"
#include "tests/support/live/run_queue_node.h"

namespace evenkeel::test {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kLimit = std::size_t{16} << 20, kDiskSize = std::size_t{32} << 20;

class LiveStalls : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = node_.why_not(); !why.empty()) GTEST_SKIP() << why;
  }
  /// Whether the kernel accepted it.
  bool put(Controller controller, const char* v1_file, const char* v2_file, const std::string& text) {
    const auto& cgroups = node_.cgroups();
    if (cgroups.layout().root(controller).empty()) return false;
    std::ofstream out(cgroups.file(controller, RunQueueNode::container("aa"),
                                   cgroups.layout().v2(controller) ? v2_file : v1_file));
    out << text << std::flush;
    return static_cast<bool>(out);
  }
  RunQueueNode node_{{"aa", "bb"}};
};

[[noreturn]] void read_all(const std::vector<std::string>& files) {
  static char chunk[std::size_t{256} << 10];
  for (;;)
    for (const auto& path : files) {
      const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
      ::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
      while (::read(fd, chunk, sizeof chunk) > 0) {
      }
      ::close(fd);
    }
}

TEST_F(LiveStalls, ReadingMoreThanTheMemoryLimitCausesReclaim) {
  const auto files = files_to_read(4 * kLimit);
  if (files.empty()) GTEST_SKIP() << "no files to read";
  if (!put(Controller::memory, "memory.limit_in_bytes", "memory.max", std::to_string(kLimit)))
    GTEST_SKIP() << "no memory controller here";
  const PinnedTask reader(node_.cgroups(), RunQueueNode::container("aa"), -1, [&] { read_all(files); });
  const PinnedTask other(node_.cgroups(), RunQueueNode::container("bb"), -1, [] { work_and_rest(1ms, 5ms); });
  ASSERT_TRUE(reader.why_not().empty() && other.why_not().empty()) << reader.why_not();
  node_.begin();
  node_.watch(3s);
  const auto reclaim = node_.stalls("aa").reclaim;
  ASSERT_TRUE(reclaim);
  std::printf("direct reclaim in 3 s: %.1f ms\n",
              std::chrono::duration<double, std::milli>(*reclaim).count());
  EXPECT_GT(*reclaim, 1ms);
  EXPECT_LT(*reclaim, 4s);
  EXPECT_EQ(node_.stalls("bb").reclaim, Duration::zero());
}

[[noreturn]] void read_directly(const std::string& disk) {
  constexpr std::size_t kPiece = 65536;
  void* piece = std::aligned_alloc(4096, kPiece);
  const int fd = ::open(disk.c_str(), O_RDONLY | O_DIRECT | O_CLOEXEC);
  for (std::size_t at = 0;; at = (at + kPiece) % kDiskSize)
    if (::pread(fd, piece, kPiece, static_cast<off_t>(at)) != static_cast<ssize_t>(kPiece)) ::_exit(1);
}

TEST_F(LiveStalls, ReadingFromASlowDiskWaits) {
  const LoopDisk disk(kDiskSize);
  if (!disk.why_not().empty()) GTEST_SKIP() << disk.why_not();
  const std::string rate = "1048576";
  const bool v2 = node_.cgroups().layout().v2(Controller::blkio);
  if (!put(Controller::blkio, "blkio.throttle.read_bps_device", "io.max",
           disk.number() + (v2 ? " rbps=" : " ") + rate))
    GTEST_SKIP() << "no hierarchy here can limit a disk";
  const PinnedTask reader(node_.cgroups(), RunQueueNode::container("aa"), -1,
                          [&] { read_directly(disk.path()); });
  ASSERT_TRUE(reader.why_not().empty()) << reader.why_not();
  std::this_thread::sleep_for(200ms);
  node_.begin();
  node_.watch(2s);
  const auto waited = node_.stalls("aa").block_io;
  ASSERT_TRUE(waited);
  std::printf("waited for the disk in 2 s: %.1f ms\n",
              std::chrono::duration<double, std::milli>(*waited).count());
  EXPECT_GT(*waited, 1500ms);
  EXPECT_LT(*waited, 2500ms);
  EXPECT_EQ(node_.stalls("bb").block_io, Duration::zero());
}

}  // namespace
}  // namespace evenkeel::test
