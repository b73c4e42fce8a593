// With more pairs of victim and runner than the kernel's table holds, the unnamed time still counts for its
// victim. Steal time is blamed on no cgroup.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <deque>
#include <optional>
#include <thread>

#include "collectors/run_queue/reader.h"
#include "tests/support/live/pinned_task.h"
#include "tests/support/live/run_queue_node.h"

namespace evenkeel::test {
namespace {

using namespace std::chrono_literals;

class LiveRunQueueReader : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = node_.why_not(); !why.empty()) GTEST_SKIP() << why;
    auto reader = run_queue::RunQueueReader::start({.unified = node_.cgroups().layout().v2(Controller::cpu),
                                                    .cgroups = 8,
                                                    .topology = &node_.node().topology,
                                                    .pairs = 1});
    ASSERT_TRUE(reader) << errno_name(reader.error().code);
    reader_.emplace(std::move(*reader));
    std::vector<bpf::WatchedCgroup> watched;
    for (const char* pod : {"aa", "bb", "cc"}) {
      struct stat about {};
      const auto dir = node_.cgroups().file(Controller::cpu, RunQueueNode::container(pod), ".");
      ASSERT_EQ(::stat(dir.c_str(), &about), 0) << dir;
      watched.push_back({node_.id(pod), about.st_ino});
    }
    ASSERT_TRUE(reader_->watch(watched, MonoTime{}));
  }
  /// All three want the same CPU for that long; then the result is read.
  void contend(Duration time, const run_queue::CpuShare& share = {}) {
    for (const char* pod : {"aa", "bb", "cc"}) {
      tasks_.emplace_back(node_.cgroups(), RunQueueNode::container(pod), 0, spin);
      ASSERT_TRUE(tasks_.back().why_not().empty()) << tasks_.back().why_not();
    }
    read_after(time, share);
  }
  void read_after(Duration time, const run_queue::CpuShare& share = {}) {
    reader_->read(run_queue_, stalls_);
    std::this_thread::sleep_for(time);
    reader_->read(run_queue_, stalls_, share);
  }
  /// In the last reading, with or without a named runner.
  [[nodiscard]] Duration blamed(CgroupId victim) const {
    Duration sum{};
    for (const auto& one : run_queue_.blame_remainders)
      if (one.victim == victim && !one.sibling) sum += one.time;
    for (const auto& one : run_queue_.blame)
      if (one.victim == victim && !one.sibling) sum += one.time;
    return sum;
  }
  RunQueueNode node_{{"aa", "bb", "cc"}};
  std::optional<run_queue::RunQueueReader> reader_{};
  std::deque<PinnedTask> tasks_{};
  RunQueue run_queue_{};
  std::vector<TaskStalls> stalls_{};
};

TEST_F(LiveRunQueueReader, BlameWithoutRoomInTheTableCountsForTheVictim) {
  ASSERT_NO_FATAL_FAILURE(contend(1s));
  EXPECT_LE(run_queue_.blame.size(), 1U);
  EXPECT_GE(run_queue_.blame_remainders.size(), 2U);
  EXPECT_GE(run_queue_.merged_pairs, 2U);
  EXPECT_EQ(run_queue_.lost, 0U);
  for (const RunQueueWait& wait : run_queue_.waits) {
    EXPECT_GT(blamed(wait.cgroup), wait.waited * 8 / 10) << "another task ran meanwhile";
    EXPECT_LT(blamed(wait.cgroup), wait.waited * 12 / 10);
  }
  for (const PinnedTask& one : tasks_) one.hold();
  read_after(50ms);
  EXPECT_TRUE(run_queue_.blame_remainders.empty()) << "a tick begins anew";
}

/// They still wait, but not only for each other.
TEST_F(LiveRunQueueReader, StealTimeIsBlamedOnNoCgroup) {
  ASSERT_NO_FATAL_FAILURE(contend(1s, {.ran = MilliCpu(600), .of = MilliCpu(1000)}));
  for (const RunQueueWait& wait : run_queue_.waits) {
    EXPECT_GT(blamed(wait.cgroup), wait.waited * 48 / 100);
    EXPECT_LT(blamed(wait.cgroup), wait.waited * 72 / 100);
  }
}

}  // namespace
}  // namespace evenkeel::test
