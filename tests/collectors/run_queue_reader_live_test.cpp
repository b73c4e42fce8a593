// More pairs of victim and runner than the kernel's table has room for: what has no name is the victim's all
// the same. And what the host of a virtual machine took is nobody's.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <optional>
#include <thread>

#include "collectors/run_queue_reader.h"
#include "tests/support/pinned_task.h"
#include "tests/support/run_queue_node.h"

namespace evenkeel::test {
namespace {

using namespace std::chrono_literals;

class LiveRunQueueReader : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = node_.why_not(); !why.empty()) GTEST_SKIP() << why;
    auto reader = RunQueueReader::start({.unified = node_.cgroups().layout().v2(Controller::cpu),
                                         .cgroups = 8,
                                         .topology = &node_.node().topology,
                                         .pairs = 1});
    ASSERT_TRUE(reader) << errno_name(reader.error().code);
    reader_.emplace(std::move(*reader));
    std::vector<WatchedCgroup> watched;
    for (const char* pod : {"aa", "bb", "cc"}) {
      struct stat about {};
      const auto dir = node_.cgroups().file(Controller::cpu, RunQueueNode::container(pod), ".");
      ASSERT_EQ(::stat(dir.c_str(), &about), 0) << dir;
      watched.push_back({node_.id(pod), about.st_ino});
    }
    ASSERT_TRUE(reader_->watch(watched, MonoTime{}));
  }
  [[nodiscard]] PinnedTask task(const std::string& pod) {
    return {node_.cgroups(), RunQueueNode::container(pod), 0, spin};
  }
  /// Of this reading, with a name or without.
  static Duration blamed(const RunQueue& run_queue, CgroupId victim) {
    Duration sum{};
    for (const auto& one : run_queue.blame_rest)
      if (one.victim == victim && !one.sibling) sum += one.time;
    for (const auto& one : run_queue.blame)
      if (one.victim == victim && !one.sibling) sum += one.time;
    return sum;
  }
  RunQueueNode node_{{"aa", "bb", "cc"}};
  std::optional<RunQueueReader> reader_{};
};

TEST_F(LiveRunQueueReader, WhatFindsNoRoomInTheKernelIsTheVictims) {
  const auto a = task("aa"), b = task("bb"), c = task("cc");
  ASSERT_TRUE(a.why_not().empty() && b.why_not().empty() && c.why_not().empty()) << a.why_not();
  RunQueue run_queue;
  std::vector<TaskStalls> stalls;
  reader_->read(run_queue, stalls);
  std::this_thread::sleep_for(1s);
  reader_->read(run_queue, stalls);
  EXPECT_LE(run_queue.blame.size(), 1U);
  EXPECT_GE(run_queue.blame_rest.size(), 2U);
  EXPECT_GE(run_queue.blame_cut, 2U);
  EXPECT_EQ(run_queue.lost, 0U);
  for (const RunQueueWait& wait : run_queue.waits) {
    EXPECT_GT(blamed(run_queue, wait.cgroup), wait.waited * 8 / 10) << "somebody ran meanwhile";
    EXPECT_LT(blamed(run_queue, wait.cgroup), wait.waited * 12 / 10);
  }
  for (const auto* one : {&a, &b, &c}) one->hold();
  reader_->read(run_queue, stalls);
  std::this_thread::sleep_for(50ms);
  reader_->read(run_queue, stalls);
  EXPECT_TRUE(run_queue.blame_rest.empty()) << "a tick begins anew";
}

/// They wait all the same, but not for each other only.
TEST_F(LiveRunQueueReader, WhatTheHostTookIsNobodysFault) {
  const auto a = task("aa"), b = task("bb"), c = task("cc");
  ASSERT_TRUE(a.why_not().empty() && b.why_not().empty() && c.why_not().empty()) << a.why_not();
  RunQueue run_queue;
  std::vector<TaskStalls> stalls;
  reader_->read(run_queue, stalls);
  std::this_thread::sleep_for(1s);
  reader_->read(run_queue, stalls, {.ran = MilliCpu(600), .of = MilliCpu(1000)});
  for (const RunQueueWait& wait : run_queue.waits) {
    EXPECT_GT(blamed(run_queue, wait.cgroup), wait.waited * 48 / 100);
    EXPECT_LT(blamed(run_queue, wait.cgroup), wait.waited * 72 / 100);
  }
}

}  // namespace
}  // namespace evenkeel::test
