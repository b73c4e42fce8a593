// Whose lock on the directory of the cgroups is another agent's.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "agent/writers/writers.h"
#include "cgroup/base/result.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {

using Processes = std::vector<int>;

// The form of the lines is that of fs/locks.c of Linux 6.1.
TEST(Claim, HoldersOfALockAreThoseOfTheFile) {
  const std::string locks =
      "1: POSIX  ADVISORY  WRITE 11 00:21:7 0 EOF\n"
      "2: FLOCK  ADVISORY  WRITE 12 00:21:7 0 EOF\n"
      "2: -> FLOCK  ADVISORY  WRITE 13 00:21:7 0 EOF\n"
      "3: FLOCK  ADVISORY  READ 14 00:21:70 0 EOF\n"
      "4: FLOCK  ADVISORY  READ 15 08:01:7 0 EOF\n"
      "5: OFDLCK ADVISORY  READ -1 00:21:7 0 EOF\n"
      "6: FLOCK  ADVISORY  READ 16 00:21:7 0 EOF\n";
  EXPECT_EQ(writers::flock_holders(locks, makedev(0, 0x21), 7), (Processes{12, 16}));
  EXPECT_EQ(writers::flock_holders(locks, makedev(8, 1), 7), Processes{15});
  EXPECT_EQ(writers::flock_holders(locks, makedev(0, 0x21), 8), Processes{});
}

TEST(Claim, LinesThatAreNoLocksAreLeftOut) {
  for (const char* line :
       {"", "\n\n", "1:", "1: FLOCK", "1: FLOCK ADVISORY WRITE", "1: FLOCK ADVISORY WRITE x 00:21:7",
        "1: FLOCK ADVISORY WRITE -1 00:21:7", "1: FLOCK ADVISORY WRITE 0 00:21:7",
        "1: FLOCK ADVISORY WRITE 99999999999 00:21:7", "1: FLOCK ADVISORY WRITE 5 <none>:0 0 EOF"})
    EXPECT_EQ(writers::flock_holders(line, makedev(0, 0x21), 7), Processes{}) << line;
}

TEST(Claim, LiveTheKernelNamesTheHolder) {
  const StateDir dir;
  const Fd file(::open(dir.path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ASSERT_EQ(::flock(file.get(), LOCK_EX | LOCK_NB), 0);
  struct stat is {};
  ASSERT_EQ(::fstat(file.get(), &is), 0);
  std::ifstream in("/proc/locks");
  const std::string locks{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(writers::flock_holders(locks, is.st_dev, is.st_ino), Processes{::getpid()}) << locks;
}

}  // namespace
}  // namespace evenkeel::test
