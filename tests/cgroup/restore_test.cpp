// Whatever moment the agent dies at, the journal brings every file back; on the model and on real kernels.
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <random>

#include "cgroup/file_writer.h"
#include "cgroup/knob_files.h"
#include "cgroup/text.h"
#include "tests/support/executor_node.h"
#include "tests/support/knob_cgroups.h"

namespace evenkeel::test {
namespace {
namespace fs = std::filesystem;

constexpr const char* kBe = "kubepods/besteffort";
constexpr const char* kPod = "kubepods/besteffort/pod1";
constexpr const char* kCtr = "kubepods/besteffort/pod1/ctr";
constexpr const char* kBoot = "a-boot";

class StateDir {
 public:
  StateDir() {
    std::string pattern =
        (fs::exists("/dev/shm") ? "/dev/shm" : "/tmp") + std::string("/evenkeel-state-XXXXXX");
    path = ::mkdtemp(pattern.data());
  }
  ~StateDir() { fs::remove_all(path); }
  StateDir(const StateDir&) = delete;
  StateDir& operator=(const StateDir&) = delete;
  std::string path{};
};

JournalEntry entry(const std::string& cgroup, Knob knob, const std::string& file, const std::string& original,
                   std::uint64_t inode) {
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
    ASSERT_TRUE(journal_.will_write(entry(cgroup, knob, file, kernel_.text(cgroup, file), inode), text));
    ASSERT_EQ(kernel_.other(cgroup, file, text), 0);
  }
  FakeKernel kernel_{false};
  Journal journal_ = Journal::in_memory();
};

TEST_F(RestoreOnTheModel, GoesBackInAnOrderThatTheKernelTakes) {
  kernel_.at(kCtr).quota_us = 90000;
  kernel_.at(kCtr).burst_us = 80000;
  kernel_.at(kPod).shares = 512;
  wrote(kCtr, Knob::cpu_burst, "cpu.cfs_burst_us", "0");
  wrote(kCtr, Knob::cpu_quota, "cpu.cfs_quota_us", "10000");
  wrote(kBe, Knob::cpu_quota, "cpu.cfs_quota_us", "20000");
  for (const char* path : {kCtr, kPod, kBe}) wrote(path, Knob::cpuset_cpus, "cpuset.cpus", "0-1");
  ASSERT_TRUE(journal_.will_write(entry(kPod, Knob::cpu_shares, "cpu.shares", "512", 102), "1024"));
  ASSERT_TRUE(journal_.will_write(entry(kPod, Knob::cpu_shares, "cpu.shares", "512", 102), "3"));
  wrote(kPod, Knob::cpu_idle, "cpu.idle", "1");
  const auto report = restore_from_journal(kernel_, journal_);
  EXPECT_TRUE(report.refusals.empty());
  EXPECT_EQ(kernel_.text(kCtr, "cpu.cfs_quota_us"), "90000");
  EXPECT_EQ(kernel_.text(kCtr, "cpu.cfs_burst_us"), "80000");
  EXPECT_EQ(kernel_.text(kBe, "cpu.cfs_quota_us"), "-1");
  EXPECT_EQ(kernel_.text(kCtr, "cpuset.cpus"), "0-7");
  EXPECT_EQ(kernel_.text(kPod, "cpu.idle"), "0");
  EXPECT_EQ(kernel_.text(kPod, "cpu.shares"), "512");
  EXPECT_EQ(journal_.size(), 0U);
}

TEST_F(RestoreOnTheModel, LeavesWhatSomebodyElseWrote) {
  wrote(kBe, Knob::cpu_quota, "cpu.cfs_quota_us", "20000");
  kernel_.other(kBe, "cpu.cfs_quota_us", "77000");
  const auto report = restore_from_journal(kernel_, journal_);
  EXPECT_TRUE(report.writes.empty());
  ASSERT_EQ(report.foreign.size(), 1U);
  EXPECT_EQ(report.foreign[0].theirs, "77000");
  EXPECT_EQ(kernel_.text(kBe, "cpu.cfs_quota_us"), "77000");
  EXPECT_EQ(journal_.size(), 0U);
}

TEST_F(RestoreOnTheModel, AnAnnouncedWriteThatNeverHappenedIsNothing) {
  ASSERT_TRUE(journal_.will_write(entry(kBe, Knob::cpu_quota, "cpu.cfs_quota_us", "-1", 101), "20000"));
  const auto report = restore_from_journal(kernel_, journal_);
  EXPECT_TRUE(report.writes.empty() && report.foreign.empty() && report.refusals.empty());
  EXPECT_EQ(kernel_.taken(), "");
  EXPECT_EQ(journal_.size(), 0U);
}

TEST_F(RestoreOnTheModel, AnotherLifeOfTheSamePathIsLeftAlone) {
  wrote(kPod, Knob::cpu_quota, "cpu.cfs_quota_us", "20000");
  kernel_.remove(kPod);
  kernel_.make(kPod).quota_us = 20000;
  const auto report = restore_from_journal(kernel_, journal_);
  EXPECT_TRUE(report.writes.empty() && report.refusals.empty());
  EXPECT_EQ(kernel_.text(kPod, "cpu.cfs_quota_us"), "20000");
  EXPECT_EQ(journal_.size(), 0U);
}

TEST_F(RestoreOnTheModel, WhatIsRefusedStaysOnRecord) {
  wrote(kBe, Knob::cpu_quota, "cpu.cfs_quota_us", "20000");
  kernel_.fail_writes("", EROFS);
  EXPECT_EQ(restore_from_journal(kernel_, journal_).refusals.size(), 1U);
  EXPECT_EQ(journal_.size(), 1U);
  kernel_.fail_writes("", 0);
  EXPECT_EQ(restore_from_journal(kernel_, journal_).writes.size(), 1U);
  EXPECT_EQ(kernel_.text(kBe, "cpu.cfs_quota_us"), "-1");
  EXPECT_EQ(journal_.size(), 0U);
}

/// The process dies around its n-th write: what comes later reaches nobody, and of the journal there is what
/// was on disk at that moment.
class MortalFiles final : public KernelFiles {
 public:
  MortalFiles(KernelFiles& real, std::string state, int writes_left, bool last_one_counts)
      : real_(real), state_(std::move(state)), left_(writes_left), last_one_counts_(last_one_counts) {}

  Result<std::string> read(const KnobFile& file) override { return real_.read(file); }
  Result<std::uint64_t> inode(const std::string& dir) override { return real_.inode(dir); }
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

/// Everything that the model holds, as text.
std::string everything(const ExecutorNode& node, bool v2) {
  std::string out;
  for (const char* path : {"kubepods", kBe, kPod, kCtr})
    for (const auto& lever : knob_table()) {
      const auto file = v2 ? lever.v2_file : lever.v1_file;
      out += std::string(path) + "/" + std::string(file) + " = " + node.kernel.text(path, file) + "\n";
    }
  return out;
}

void wish_at_random(ExecutorNode& node, std::mt19937& random) {
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
  for (int life = 0; life < 1500; ++life) {
    const bool v2 = life % 2 == 1;
    ExecutorNode node(v2);
    node.kernel.at(kPod).shares = 512;
    node.kernel.at(kCtr).quota_us = 90000;
    node.kernel.at(kCtr).burst_us = 10000;
    const auto before = everything(node, v2);
    StateDir state;
    {
      auto journal = *Journal::open(state.path, kBoot);
      MortalFiles mortal(node.kernel, state.path, 1 + static_cast<int>(random() % 25), random() % 2 == 0);
      Executor executor(node.tree(), mortal, journal, {});
      for (int tick = 0; tick < 12 && !mortal.dead(); ++tick) {
        wish_at_random(node, random);
        node.now += std::chrono::seconds(1);
        executor.apply(node.plan, node.observe(), {});
      }
      if (!mortal.dead()) continue;
      ++deaths;
    }
    fs::rename(state.path + "/at-death", state.path + "/journal");
    auto journal = *Journal::open(state.path, kBoot);
    const auto report = restore_from_journal(node.kernel, journal);
    ASSERT_EQ(everything(node, v2), before) << "life " << life;
    ASSERT_TRUE(report.refusals.empty() && report.foreign.empty()) << "life " << life;
    ASSERT_EQ(journal.size(), 0U);
  }
  EXPECT_GT(deaths, 1000);
}

TEST(RestoreAfterDeath, AnOrderlyStopLeavesNothing) {
  std::mt19937 random(8);
  for (int life = 0; life < 500; ++life) {
    const bool v2 = life % 2 == 1;
    ExecutorNode node(v2);
    node.kernel.at(kPod).shares = 512;
    node.kernel.at(kCtr).quota_us = 90000;
    node.kernel.at(kCtr).burst_us = 10000;
    const auto before = everything(node, v2);
    for (int tick = 0; tick < 8; ++tick) {
      wish_at_random(node, random);
      const auto report = node.tick();
      ASSERT_TRUE(report.refusals.empty() && report.foreign.empty()) << "life " << life;
    }
    node.executor.restore_all(node.now);
    ASSERT_EQ(everything(node, v2), before) << "life " << life;
    ASSERT_EQ(node.journal.size(), 0U);
    ASSERT_TRUE(node.executor.managed().empty());
  }
}

TEST(RestoreLive, OnAFullDiskNothingIsWrittenUntilThereIsRoom) {
  StateDir state;
  if (::mount("tmpfs", state.path.c_str(), "tmpfs", 0, "size=16k") != 0)
    GTEST_SKIP() << "cannot mount a small disk";
  {
    auto journal = *Journal::open(state.path, kBoot);
    std::ofstream(state.path + "/filler") << std::string(64 * 1024, 'x');
    ExecutorNode node(false);
    Executor executor(node.tree(), node.kernel, journal, {});
    node.want(kBe, Knob::cpu_quota, std::int64_t{150000});
    auto report = executor.apply(node.plan, node.observe(), {});
    ASSERT_EQ(report.refusals.size(), 1U);
    EXPECT_EQ(report.refusals[0].error.code, ENOSPC);
    EXPECT_EQ(node.kernel.taken(), "");
    fs::remove(state.path + "/filler");
    node.now += std::chrono::seconds(2);
    executor.apply(node.plan, node.observe(), {});
    EXPECT_EQ(node.kernel.text(kBe, "cpu.cfs_quota_us"), "150000");
  }
  ::umount2(state.path.c_str(), MNT_DETACH);
}

/// Real cgroups below a private kubepods, seen by the real tree and written by the real writer.
class LiveNode {
 public:
  explicit LiveNode(KnobCgroups::Version version)
      : v2(version == KnobCgroups::Version::v2),
        cgroups(version, "-restore"),
        host(std::move(*Host::open("/"))),
        tree(host, made()),
        files(host) {
    tree.scan();
  }
  NodeSnapshot observe() {
    NodeSnapshot node;
    node.at = now += std::chrono::seconds(1);
    for (const auto* cgroup : tree.all()) {
      CgroupSample sample{.id = cgroup->id, .kind = cgroup->kind, .path = cgroup->path};
      for (std::size_t i = 0; i < node.cgroups.size(); ++i)
        if (node.cgroups[i].id == cgroup->parent) sample.parent = static_cast<CgroupIndex>(i);
      node.cgroups.push_back(sample);
      read_settings(*cgroup, node.cgroups.back().applied);
    }
    return node;
  }
  void read_settings(const Cgroup& cgroup, Applied& applied) const {
    const auto value = [&](Knob knob) -> std::optional<KnobValue> {
      const auto& lever = row(knob);
      const auto text = host.slurp(tree.dir(cgroup, lever.controller) + "/" +
                                   std::string(v2 ? lever.v2_file : lever.v1_file));
      return text ? parse_value(knob, *text, tree.layout()) : std::nullopt;
    };
    const auto number = [&](Knob knob) -> std::optional<std::int64_t> {
      const auto found = value(knob);
      const auto* held = found ? std::get_if<std::int64_t>(&*found) : nullptr;
      return held ? std::optional(*held) : std::nullopt;
    };
    applied.cpu_limit.emplace();
    if (const auto quota = number(Knob::cpu_quota)) applied.cpu_limit->quota = QuotaTime(*quota);
    applied.cpu_burst = QuotaTime(number(Knob::cpu_burst).value_or(0));
    applied.cpu_shares = number(Knob::cpu_shares);
    applied.cpu_idle = number(Knob::cpu_idle);
    if (const auto cpus = value(Knob::cpuset_cpus)) applied.cpus = std::get<CpuSet>(*cpus);
  }
  [[nodiscard]] CgroupId id(const std::string& path) const {
    const auto* cgroup = tree.find_path(cgroups.top() + "/" + path);
    return cgroup ? cgroup->id : CgroupId{};
  }
  [[nodiscard]] std::string text(const std::string& path, Knob knob) const {
    return std::string(trimmed(cgroups.read(path, v2 ? row(knob).v2_file : row(knob).v1_file)));
  }
  [[nodiscard]] std::string everything() const {
    std::string out;
    for (const char* path : {"kubepods", kBe, kPod, kCtr})
      for (const auto& lever : knob_table())
        if (!lever.vendor)
          out += std::string(path) + " " + std::string(lever.name) + " " + text(path, lever.knob) + "\n";
    return out;
  }
  std::vector<Intent> plan(std::int64_t quota, const char* cpus) const {
    std::vector<Intent> out;
    const auto want = [&](const char* path, Knob knob, const KnobValue& value) {
      out.push_back({id(path), knob, value, false, 0, because("live")});
    };
    want(kBe, Knob::cpu_quota, quota);
    for (const char* path : {kBe, kPod, kCtr}) want(path, Knob::cpuset_cpus, *CpuSet::parse(cpus));
    want(kPod, Knob::cpu_idle, std::int64_t{1});
    want(kCtr, Knob::cpu_burst, std::int64_t{5000});
    std::ranges::sort(out, {}, [](const Intent& i) { return std::pair(i.target, i.knob); });
    return out;
  }

  bool v2;
  KnobCgroups cgroups;
  Host host;
  CgroupTree tree;
  FileWriter files;
  MonoTime now{};

 private:
  Layout made() {
    if (!v2) cgroups.write("", "cpuset.cpus", "0-1");
    for (const char* path : {"kubepods", kBe, kPod, kCtr}) {
      cgroups.make(path);
      if (!v2) cgroups.write(path, "cpuset.cpus", "0-1");
    }
    cgroups.write(kPod, v2 ? "cpu.weight" : "cpu.shares", v2 ? "20" : "512");
    cgroups.write(kCtr, v2 ? "cpu.max" : "cpu.cfs_quota_us", "90000");
    return *detect_layout(host, cgroups.top());
  }
};

void live_stop_and_death(KnobCgroups::Version version) {
  if (const auto why = KnobCgroups::missing(version)) GTEST_SKIP() << *why;
  LiveNode node(version);
  ASSERT_TRUE(node.id(kCtr)) << "the tree sees the private kubepods";
  const auto before = node.everything();
  StateDir state;
  for (const bool dies : {false, true}) {
    {
      auto journal = *Journal::open(state.path, kBoot);
      Executor executor(node.tree, node.files, journal, {});
      for (const char* cpus : {"0", "1", "0-1", "1"}) {
        const auto report = executor.apply(node.plan(50000, cpus), node.observe(), {});
        for (const auto& refusal : report.refusals)
          ADD_FAILURE() << refusal.path << " " << refusal.text << " " << errno_name(refusal.error.code);
        EXPECT_TRUE(report.foreign.empty());
      }
      EXPECT_EQ(node.text(kCtr, Knob::cpuset_cpus), "1");
      EXPECT_EQ(node.text(kPod, Knob::cpu_idle), "1");
      EXPECT_EQ(node.text(kCtr, Knob::cpu_burst), "5000");
      if (!dies) {
        const auto report = executor.restore_all(node.now);
        EXPECT_TRUE(report.refusals.empty());
        EXPECT_EQ(journal.size(), 0U);
      }
    }
    if (dies) {
      ASSERT_NE(node.everything(), before);
      auto journal = *Journal::open(state.path, kBoot);
      EXPECT_TRUE(restore_from_journal(node.files, journal).refusals.empty());
      EXPECT_EQ(journal.size(), 0U);
    }
    EXPECT_EQ(node.everything(), before) << (dies ? "after a death" : "after a stop");
  }
}

TEST(RestoreLive, StopAndDeathOnTheRealV1) { live_stop_and_death(KnobCgroups::Version::v1); }
TEST(RestoreLive, StopAndDeathOnTheRealV2) { live_stop_and_death(KnobCgroups::Version::v2); }

}  // namespace
}  // namespace evenkeel::test
