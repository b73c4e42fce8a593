// A stop, and a restore after a death, while the disk takes no record: CPU sets go back all the same. On
// cgroup v1 a pod's set and its container's go back over the union of both, which would have to be recorded.
#include <gtest/gtest.h>

#include <string>

#include "tests/support/no_growth.h"
#include "tests/support/scenes/executor_node.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {

using executor::Executor;
using executor::Journal;

const std::string kLate = std::string(kPod) + "/late";

/// The owner of a pod and of its container has chosen CPUs 0 and 1, and the agent holds them on 4 and 5. Then
/// a second container is born, for which the runtime copies the pod's set.
class FullDisk : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* path : {kPod, kCtr}) node_.kernel.at(path).cpus = *CpuSet::parse("0-1");
    for (const char* path : {kBe, kPod, kCtr}) node_.want(path, Knob::cpuset_cpus, *CpuSet::parse("4-5"));
  }
  [[nodiscard]] Journal open() const { return *Journal::open(state_.path, kBoot); }
  void tick(Executor& executor) {
    node_.now += std::chrono::seconds(1);
    static_cast<void>(executor.apply(node_.plan, node_.observe(), {}));
  }
  void give_birth() {
    node_.add(kLate);
    ASSERT_EQ(cpus(kLate), "4-5");
  }
  [[nodiscard]] std::string cpus(const std::string& path) const {
    return node_.kernel.text(path, "cpuset.cpus");
  }
  void check_sets() const {
    EXPECT_EQ(cpus(kBe), "0-7");
    for (const std::string& path : {std::string(kPod), std::string(kCtr), kLate})
      EXPECT_EQ(cpus(path), "0-1") << path;
  }
  [[nodiscard]] std::string file() const { return state_.path + "/journal"; }
  StateDir state_{};
  ExecutorNode node_{false};
};

TEST_F(FullDisk, AStopGivesAllSetsBack) {
  auto journal = open();
  Executor executor(node_.tree(), node_.kernel, journal, {});
  tick(executor);
  ASSERT_EQ(cpus(kCtr), "4-5");
  give_birth();
  executor::Report report;
  bool noted = true;
  {
    const NoGrowth full(file());
    tick(executor);  // the birth is seen, and cannot go on record
    journal.keep_back();
    report = executor.restore_all(node_.now);
    noted = journal.write_kept_back().has_value();
  }
  EXPECT_FALSE(noted) << "there was room for a record: nothing is shown";
  EXPECT_TRUE(report.refusals.empty());
  check_sets();
  EXPECT_TRUE(journal.write_kept_back()) << "there is room again";
  EXPECT_EQ(journal.size(), 0U);
}

TEST_F(FullDisk, ARestoreAfterADeathGivesAllSetsBack) {
  {
    auto journal = open();
    Executor executor(node_.tree(), node_.kernel, journal, {});
    tick(executor);
  }
  give_birth();
  auto journal = open();
  executor::Report report;
  bool noted = true;
  {
    const NoGrowth full(file());
    journal.keep_back();
    report = executor::restore_from_journal(node_.kernel, journal);
    noted = journal.write_kept_back().has_value();
  }
  EXPECT_FALSE(noted) << "there was room for a record: nothing is shown";
  EXPECT_TRUE(report.refusals.empty() && report.foreign.empty());
  check_sets();
}

}  // namespace
}  // namespace evenkeel::test
