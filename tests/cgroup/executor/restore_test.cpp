// Whatever moment the agent dies at, the journal brings every file back; on the model and on real kernels.
#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "tests/support/rounds.h"
#include "tests/support/scenes/executor_node.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {
namespace fs = std::filesystem;

executor::JournalEntry entry(const std::string& cgroup, Knob knob, const std::string& file,
                             const std::string& original, std::uint64_t inode) {
  const std::string root = file.starts_with("cpuset") ? "sys/fs/cgroup/cpuset/" : "sys/fs/cgroup/cpu/";
  return {root + cgroup, inode, knob, file, original, {}};
}

class RestoreOnTheModel : public ::testing::Test {
 protected:
  RestoreOnTheModel() {
    for (const char* path : {"kubepods", kBe, kPod, kCtr}) kernel_.make(path);
  }
  void wrote(const std::string& cgroup, Knob knob, const std::string& file, const std::string& text) {
    const auto inode = *kernel_.inode("sys/fs/cgroup/cpu/" + cgroup);
    ASSERT_TRUE(journal_.record_write(entry(cgroup, knob, file, kernel_.text(cgroup, file), inode), text));
    ASSERT_EQ(kernel_.other(cgroup, file, text), 0);
  }
  FakeKernel kernel_{false};
  executor::Journal journal_ = executor::Journal::in_memory();
};

TEST_F(RestoreOnTheModel, GoesBackInAnOrderThatTheKernelTakes) {
  kernel_.at(kCtr).quota_us = 90000;
  kernel_.at(kCtr).burst_us = 80000;
  kernel_.at(kPod).shares = 512;
  wrote(kCtr, Knob::cpu_burst, "cpu.cfs_burst_us", "0");
  wrote(kCtr, Knob::cpu_quota, "cpu.cfs_quota_us", "10000");
  wrote(kBe, Knob::cpu_quota, "cpu.cfs_quota_us", "20000");
  for (const char* path : {kCtr, kPod, kBe}) wrote(path, Knob::cpuset_cpus, "cpuset.cpus", "0-1");
  ASSERT_TRUE(journal_.record_write(entry(kPod, Knob::cpu_shares, "cpu.shares", "512", 102), "1024"));
  ASSERT_TRUE(journal_.record_write(entry(kPod, Knob::cpu_shares, "cpu.shares", "512", 102), "3"));
  wrote(kPod, Knob::cpu_idle, "cpu.idle", "1");
  const auto report = executor::restore_from_journal(kernel_, journal_);
  EXPECT_TRUE(report.refusals.empty());
  EXPECT_EQ(kernel_.text(kCtr, "cpu.cfs_quota_us"), "90000");
  EXPECT_EQ(kernel_.text(kCtr, "cpu.cfs_burst_us"), "80000");
  EXPECT_EQ(kernel_.text(kBe, "cpu.cfs_quota_us"), "-1");
  EXPECT_EQ(kernel_.text(kCtr, "cpuset.cpus"), "0-7");
  EXPECT_EQ(kernel_.text(kPod, "cpu.idle"), "0");
  EXPECT_EQ(kernel_.text(kPod, "cpu.shares"), "512");
  EXPECT_EQ(journal_.size(), 0U);
}

TEST_F(RestoreOnTheModel, LeavesWhatAnotherProgramWrote) {
  wrote(kBe, Knob::cpu_quota, "cpu.cfs_quota_us", "20000");
  kernel_.other(kBe, "cpu.cfs_quota_us", "77000");
  const auto report = executor::restore_from_journal(kernel_, journal_);
  EXPECT_TRUE(report.writes.empty());
  ASSERT_EQ(report.foreign.size(), 1U);
  EXPECT_EQ(report.foreign[0].theirs, "77000");
  EXPECT_EQ(kernel_.text(kBe, "cpu.cfs_quota_us"), "77000");
  EXPECT_EQ(journal_.size(), 0U);
}

TEST_F(RestoreOnTheModel, AnAnnouncedWriteThatNeverHappenedIsNothing) {
  ASSERT_TRUE(journal_.record_write(entry(kBe, Knob::cpu_quota, "cpu.cfs_quota_us", "-1", 101), "20000"));
  const auto report = executor::restore_from_journal(kernel_, journal_);
  EXPECT_TRUE(report.writes.empty() && report.foreign.empty() && report.refusals.empty());
  EXPECT_EQ(kernel_.taken(), "");
  EXPECT_EQ(journal_.size(), 0U);
}

TEST_F(RestoreOnTheModel, AnotherLifeOfTheSamePathIsLeftAlone) {
  wrote(kPod, Knob::cpu_quota, "cpu.cfs_quota_us", "20000");
  kernel_.remove(kPod);
  kernel_.make(kPod).quota_us = 20000;
  const auto report = executor::restore_from_journal(kernel_, journal_);
  EXPECT_TRUE(report.writes.empty() && report.refusals.empty());
  EXPECT_EQ(kernel_.text(kPod, "cpu.cfs_quota_us"), "20000");
  EXPECT_EQ(journal_.size(), 0U);
}

TEST_F(RestoreOnTheModel, WhatIsRefusedStaysOnRecord) {
  wrote(kBe, Knob::cpu_quota, "cpu.cfs_quota_us", "20000");
  kernel_.fail_writes("", EROFS);
  EXPECT_EQ(executor::restore_from_journal(kernel_, journal_).refusals.size(), 1U);
  EXPECT_EQ(journal_.size(), 1U);
  kernel_.fail_writes("", 0);
  EXPECT_EQ(executor::restore_from_journal(kernel_, journal_).writes.size(), 1U);
  EXPECT_EQ(kernel_.text(kBe, "cpu.cfs_quota_us"), "-1");
  EXPECT_EQ(journal_.size(), 0U);
}

TEST_F(RestoreOnTheModel, WhatCannotBeReadIsNotTakenForGone) {
  wrote(kBe, Knob::cpu_quota, "cpu.cfs_quota_us", "20000");
  const std::string dir = std::string("sys/fs/cgroup/cpu/") + kBe, file = dir + "/cpu.cfs_quota_us";
  for (const auto& [fails, code] : {std::pair{&file, ENODEV}, {&file, EIO}, {&dir, EMFILE}}) {
    if (fails == &file) kernel_.fail_reads(file, code);
    if (fails == &dir) kernel_.fail_looks(dir, code);
    const auto report = executor::restore_from_journal(kernel_, journal_);
    ASSERT_EQ(report.refusals.size(), 1U) << errno_name(code);
    EXPECT_EQ(report.refusals[0].error.code, code);
    EXPECT_EQ(journal_.size(), 1U) << errno_name(code);
    kernel_.fail_reads(file, 0);
    kernel_.fail_looks(dir, 0);
  }
  EXPECT_EQ(executor::restore_from_journal(kernel_, journal_).writes.size(), 1U);
  EXPECT_EQ(kernel_.text(kBe, "cpu.cfs_quota_us"), "-1");
}

/// Where copies may be in a directory that cannot be looked at now.
std::vector<std::string> not_searched(const executor::Report& report) {
  std::vector<std::string> out;
  for (const auto& refusal : report.refusals)
    if (refusal.text == "look for copies")
      out.push_back(refusal.path + ": " + errno_name(refusal.error.code));
  return out;
}

TEST_F(RestoreOnTheModel, ADirectoryThatCannotBeSearchedForCopiesIsNamed) {
  for (const char* path : {kCtr, kPod, kBe}) wrote(path, Knob::cpuset_cpus, "cpuset.cpus", "0-1");
  kernel_.make("kubepods/besteffort/pod1/late");
  const std::string late = "sys/fs/cgroup/cpuset/kubepods/besteffort/pod1/late";
  using Names = std::vector<std::string>;
  kernel_.fail_looks(late, EMFILE);
  EXPECT_EQ(not_searched(executor::restore_from_journal(kernel_, journal_)), Names{late + ": EMFILE"});
  kernel_.fail_looks(late, 0);
}

TEST_F(RestoreOnTheModel, ACopyThatCannotBeReadIsNamed) {
  for (const char* path : {kCtr, kPod, kBe}) wrote(path, Knob::cpuset_cpus, "cpuset.cpus", "0-1");
  kernel_.make("kubepods/besteffort/pod1/late");
  const std::string late = "sys/fs/cgroup/cpuset/kubepods/besteffort/pod1/late";
  kernel_.fail_reads(late + "/cpuset.cpus", EIO);
  using Names = std::vector<std::string>;
  EXPECT_EQ(not_searched(executor::restore_from_journal(kernel_, journal_)), Names{late + ": EIO"});
}

/// A container and a pod with a container, born while the agent is dead: made from the sets above.
TEST_F(RestoreOnTheModel, WhatABirthCopiedStaysOnRecordUntilItIsWide) {
  for (const char* path : {kCtr, kPod, kBe}) wrote(path, Knob::cpuset_cpus, "cpuset.cpus", "0-1");
  for (const char* path : {"kubepods/besteffort/pod1/late", "kubepods/besteffort/pod2",
                           "kubepods/besteffort/pod2/c", "kubepods/besteffort/pod2/c/own"})
    kernel_.make(path);
  kernel_.make("kubepods/besteffort/pod2/chosen").cpus = *CpuSet::parse("0");
  kernel_.fail_writes("sys/fs/cgroup/cpuset/kubepods/besteffort/pod2/cpuset.cpus", EROFS);
  EXPECT_FALSE(executor::restore_from_journal(kernel_, journal_).refusals.empty());
  EXPECT_EQ(kernel_.text("kubepods/besteffort/pod1/late", "cpuset.cpus"), "0-7");
  EXPECT_EQ(kernel_.text(kBe, "cpuset.cpus"), "0-7") << "what it was copied from is restored";
  EXPECT_EQ(kernel_.text("kubepods/besteffort/pod2/c", "cpuset.cpus"), "0-1");
  kernel_.fail_writes("sys/fs/cgroup/cpuset/kubepods/besteffort/pod2/cpuset.cpus", 0);
  EXPECT_TRUE(executor::restore_from_journal(kernel_, journal_).refusals.empty());
  EXPECT_EQ(kernel_.text("kubepods/besteffort/pod2", "cpuset.cpus"), "0-7");
  EXPECT_EQ(kernel_.text("kubepods/besteffort/pod2/c", "cpuset.cpus"), "0-7");
  EXPECT_EQ(kernel_.text("kubepods/besteffort/pod2/chosen", "cpuset.cpus"), "0");
  EXPECT_EQ(kernel_.text("kubepods/besteffort/pod2/c/own", "cpuset.cpus"), "0-1") << "the container's own";
  EXPECT_EQ(journal_.size(), 0U);
}

TEST_F(RestoreOnTheModel, ACopyOfASetThatAnotherProgramWroteStays) {
  for (const char* path : {kCtr, kPod, kBe}) wrote(path, Knob::cpuset_cpus, "cpuset.cpus", "0-1");
  for (const char* path : {kBe, kPod, kCtr}) ASSERT_EQ(kernel_.other(path, "cpuset.cpus", "0-3"), 0);
  kernel_.make("kubepods/besteffort/pod2");
  EXPECT_EQ(executor::restore_from_journal(kernel_, journal_).foreign.size(), 3U);
  EXPECT_EQ(kernel_.text("kubepods/besteffort/pod2", "cpuset.cpus"), "0-3");
}

/// The process dies around its n-th write: later writes do not happen, and of the journal there is what
/// was on disk at that moment.
class MortalFiles final : public KernelFiles {
 public:
  MortalFiles(KernelFiles& real, std::string state, int writes_left, bool last_one_counts)
      : real_(real), state_(std::move(state)), left_(writes_left), last_one_counts_(last_one_counts) {}

  Result<std::string> read(const KnobFile& file) override { return real_.read(file); }
  Result<std::uint64_t> inode(const std::string& dir) override { return real_.inode(dir); }
  Result<> append_subdirs(const std::string& dir, std::string& names) override {
    return real_.append_subdirs(dir, names);
  }
  Result<> write(const KnobFile& file, std::string_view text) override {
    if (dead()) return fail(EIO, Op::write);
    if (--left_ > 0) return real_.write(file, text);
    fs::copy_file(state_ + "/journal", state_ + "/at-death", fs::copy_options::overwrite_existing);
    return last_one_counts_ ? real_.write(file, text) : fail(EIO, Op::write);
  }
  [[nodiscard]] bool dead() const { return left_ <= 0; }

 private:
  KernelFiles& real_;
  std::string state_;
  int left_;
  bool last_one_counts_;
};

/// A pod and a container with values of their own.
struct SettledNode : ExecutorNode {
  explicit SettledNode(bool is_v2) : ExecutorNode(is_v2), v2(is_v2) {
    kernel.at(kPod).shares = 512;
    kernel.at(kCtr).quota_us = 90000;
    kernel.at(kCtr).burst_us = 10000;
  }
  /// All that the model holds, as text.
  [[nodiscard]] std::string everything() const {
    std::string out;
    for (const char* path : {"kubepods", kBe, kPod, kCtr})
      for (const auto& lever : knob_table()) {
        const auto file = v2 ? lever.v2_file : lever.v1_file;
        out += std::string(path) + "/" + std::string(file) + " = " + kernel.text(path, file) + "\n";
      }
    return out;
  }
  bool v2;
};

void add_random_intents(ExecutorNode& node, std::mt19937& random) {
  const auto below = [&](int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); };
  node.plan.clear();
  const int first = below(6);
  for (const char* path : {kBe, kPod, kCtr}) {
    if (below(2)) node.want(path, Knob::cpu_quota, std::int64_t{1000} * (20 + below(100)));
    if (below(2)) node.want(path, Knob::cpuset_cpus, CpuSet::range(first, first + 1));
    if (below(3) == 0) node.want(path, Knob::cpu_burst, std::int64_t{1000} * below(20));
  }
  if (below(2)) node.want(kPod, Knob::cpu_idle, std::int64_t{1});
  if (below(2)) node.want(kPod, Knob::cpu_shares, std::int64_t{2 + below(50)});
}

TEST(RestoreAfterDeath, AtAnyWriteEveryFileComesBack) {
  int deaths = 0;
  std::mt19937 random(7);
  for (int life = 0; life < static_cast<int>(rounds(1500)); ++life) {
    SettledNode node(life % 2 == 1);
    const auto before = node.everything();
    StateDir state;
    {
      auto journal = *executor::Journal::open(state.path, kBoot);
      MortalFiles mortal(node.kernel, state.path, 1 + static_cast<int>(random() % 25), random() % 2 == 0);
      executor::Executor executor(node.tree(), mortal, journal, {});
      for (int tick = 0; tick < 12 && !mortal.dead(); ++tick) {
        add_random_intents(node, random);
        node.now += std::chrono::seconds(1);
        executor.apply(node.plan, node.observe(), {});
      }
      if (!mortal.dead()) continue;
      ++deaths;
    }
    fs::rename(state.path + "/at-death", state.path + "/journal");
    auto journal = *executor::Journal::open(state.path, kBoot);
    const auto report = executor::restore_from_journal(node.kernel, journal);
    ASSERT_EQ(node.everything(), before) << "life " << life;
    ASSERT_TRUE(report.refusals.empty() && report.foreign.empty()) << "life " << life;
    ASSERT_EQ(journal.size(), 0U);
  }
  EXPECT_GT(deaths, static_cast<int>(rounds(1000)));
}

TEST(RestoreAfterDeath, AnOrderlyStopLeavesNothing) {
  std::mt19937 random(8);
  for (int life = 0; life < 500; ++life) {
    SettledNode node(life % 2 == 1);
    const auto before = node.everything();
    for (int tick = 0; tick < 8; ++tick) {
      add_random_intents(node, random);
      const auto report = node.tick();
      ASSERT_TRUE(report.refusals.empty() && report.foreign.empty()) << "life " << life;
    }
    node.executor.restore_all(node.now);
    ASSERT_EQ(node.everything(), before) << "life " << life;
    ASSERT_EQ(node.journal.size(), 0U);
    ASSERT_TRUE(node.executor.managed().empty());
  }
}

}  // namespace
}  // namespace evenkeel::test
