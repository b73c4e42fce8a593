// A drain of the watch ends although events come without end, and loses none of them.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "cgroup/tree/watch.h"
#include "tests/support/fakes/fake_host.h"
#include "tests/support/settled_watch.h"

namespace evenkeel {
namespace {

using test::FakeHost;

constexpr int kWrites = 12000;  ///< more than a drain takes, fewer than the kernel keeps

bool readable(int fd) {
  pollfd one{fd, POLLIN, 0};
  return ::poll(&one, 1, 0) == 1;
}

int kept_by_kernel() {
  int most = 0;
  std::ifstream("/proc/sys/fs/inotify/max_queued_events") >> most;
  return most;
}

/// Two files by turns: the kernel merges only equal events that follow each other.
void write_by_turns(const FakeHost& fake, const std::string& cgroup) {
  const std::string dir = fake.root() + "/sys/fs/cgroup/" + cgroup;
  const Fd quota(::open((dir + "/cpu.max").c_str(), O_WRONLY | O_CLOEXEC));
  const Fd weight(::open((dir + "/cpu.weight").c_str(), O_WRONLY | O_CLOEXEC));
  ASSERT_TRUE(quota && weight);
  for (int i = 0; i < kWrites; ++i) ASSERT_EQ(::pwrite((i % 2 == 0 ? quota : weight).get(), "1", 1, 0), 1);
}

TEST(BoundedWatch, ADrainTakesAPartOfAFloodAndTheNextOnesTheRest) {
  if (kept_by_kernel() < kWrites + 100) GTEST_SKIP() << "fs.inotify.max_queued_events is too low";
  FakeHost fake;
  fake.v2().kubepods();
  const std::string container = fake.pod(KubeQos::besteffort, "1", {"c1"}) + "/c1";
  const auto host = std::move(*Host::open(fake.root()));
  tree::CgroupTree tree(host, *tree::detect_layout(host, ""));
  auto watch = std::move(*tree::TreeWatch::open(host, false));
  test::settle(tree, watch);
  write_by_turns(fake, container);
  fake.pod(KubeQos::besteffort, "2");

  const auto first = watch.drain();
  EXPECT_EQ(first.values.size(), 2U);
  EXPECT_FALSE(first.tree) << "the whole flood was taken at once";
  EXPECT_TRUE(readable(watch.inotify_fd())) << "the event loop has to call again";
  test::follow_all(tree, watch);  // as after each drain
  bool born = false, lost = false;
  for (int drains = 0; drains < 4 && readable(watch.inotify_fd()); ++drains) {
    const auto next = watch.drain();
    born = born || next.tree;
    lost = lost || next.overflow;
  }
  EXPECT_TRUE(born) << "what came after the flood";
  EXPECT_FALSE(lost);
  EXPECT_FALSE(readable(watch.inotify_fd()));
}

}  // namespace
}  // namespace evenkeel
