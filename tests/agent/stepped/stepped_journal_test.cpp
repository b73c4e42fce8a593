// Tests the program as a black box: a journal that was damaged while no agent ran, that cannot be written or
// told from another boot's, and two agents on one host.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "agent/runtime/clock.h"
#include "agent/runtime/log.h"
#include "agent/writers/writers.h"
#include "cgroup/base/text.h"
#include "tests/support/agents/stepped_node.h"
#include "tests/support/small_disk.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {

using namespace evenkeel::literals;

constexpr const char* kBootId = "proc/sys/kernel/random/boot_id";

/// An agent limited best effort by CPU set and died.
struct KilledNode : TwoPods {
  KilledNode()
      : TwoPods(Kernel::v1, "resourceUsedThresholdWithBE: {enable: true, cpuSuppressPolicy: cpuset}\n") {
    service_uses(6000_mcpu);
    SteppedAgent agent(args());
    seconds(2, agent);
    agent.kill();
    EXPECT_NE(cpus(besteffort()), "0-15");
  }
  [[nodiscard]] std::string cpus(const std::string& cgroup) const {
    return setting(Controller::cpuset, cgroup, "cpuset.cpus");
  }
  [[nodiscard]] std::string journal_text() const {
    std::ifstream in(journal);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string journal = state_dir() + "/journal";
};

/// Then one line of its journal was damaged.
struct DamagedNode : KilledNode {
  DamagedNode() {
    std::string text = journal_text();
    const auto line = text.find(batch + "/bbb");
    EXPECT_NE(line, std::string::npos) << text;
    text[line] = '!';
    std::ofstream(journal) << text;
  }
};

TEST(SteppedJournal, RestoreSaysWhatItCouldNotReadUntilThatIsRemoved) {
  DamagedNode node;
  const Ran first = node.restore();
  EXPECT_EQ(first.exit_status, 1);
  EXPECT_NE(first.err.find("1 lines of the journal could not be read"), std::string::npos) << first.err;
  EXPECT_EQ(node.cpus(node.besteffort()), "0-15") << "the others are restored all the same";
  EXPECT_EQ(node.restore().exit_status, 1);
  std::filesystem::remove(node.journal + ".damaged");
  EXPECT_EQ(node.restore().exit_status, 0);
}

TEST(SteppedJournal, AnAgentStartsAndSaysSo) {
  DamagedNode node;
  SteppedAgent agent(node.args());
  node.seconds(2, agent);
  agent.quit();
  EXPECT_EQ(node.cpus(node.besteffort()), "0-15");
  std::ifstream in(node.journal + ".damaged");
  const std::string kept{std::istreambuf_iterator<char>(in), {}};
  EXPECT_NE(kept.find("cpuset.cpus"), std::string::npos) << kept;
  const std::string log = agent.stderr_text();
  EXPECT_NE(log.find("event=journal-damaged records=1 kept_in=" + node.journal + ".damaged"),
            std::string::npos)
      << log;
}

// A later version, whose journal has a kind of record that this one does not know, died and was replaced by
// this one. The later version can still read that record afterwards.
TEST(SteppedJournal, ADowngradeRestoresWhatItKnowsAndKeepsTheRest) {
  KilledNode node;
  const std::string known = node.journal_text();
  const std::string boot = known.substr(9, known.find(' ', 9) - 9);  // the line begins with its checksum
  const std::string body = boot + " x 42 cpu.new sys/fs/cgroup/cpu/a 7";
  const std::string later = checksum_text(body) + " " + body + "\n";
  std::ofstream(node.journal) << later << known;
  const Ran restored = node.restore();
  EXPECT_EQ(restored.exit_status, 1);
  EXPECT_NE(restored.err.find("1 lines of the journal could not be read"), std::string::npos) << restored.err;
  EXPECT_EQ(node.cpus(node.besteffort()), "0-15");
  EXPECT_EQ(node.cpus(node.batch + "/bbb"), "0-15");
  std::ifstream in(node.journal + ".damaged");
  const std::string kept{std::istreambuf_iterator<char>(in), {}};
  EXPECT_TRUE(kept.ends_with(later)) << kept;
}

TEST(SteppedJournal, RestoreWithoutABootIdSaysSo) {
  KilledNode node;
  const auto boot = node.host.read(kBootId), journal = node.journal_text();
  const auto narrow = node.cpus(node.besteffort());
  node.host.remove(kBootId);
  const Ran absent = node.restore();
  EXPECT_EQ(absent.exit_status, 1);
  EXPECT_NE(absent.err.find("boot_id: ENOENT"), std::string::npos) << absent.err;
  node.host.dir(kBootId);
  const Ran unreadable = node.restore();
  EXPECT_EQ(unreadable.exit_status, 1);
  EXPECT_NE(unreadable.err.find("boot_id: EISDIR"), std::string::npos) << unreadable.err;
  EXPECT_EQ(node.cpus(node.besteffort()), narrow);
  EXPECT_EQ(node.journal_text(), journal);
  node.host.remove(kBootId).file(kBootId, boot);
  EXPECT_EQ(node.restore().exit_status, 0);
  EXPECT_EQ(node.cpus(node.besteffort()), "0-15");
}

TEST(SteppedJournal, AStartThatCannotReadTheBootIdIsRefused) {
  KilledNode node;
  const auto journal = node.journal_text();
  node.host.remove(kBootId).dir(kBootId);
  std::vector<std::string> run{"run", "--stepped"};
  const auto args = node.args();
  run.insert(run.end(), args.begin(), args.end());
  const Ran refused = run_evenkeel(run);
  EXPECT_EQ(refused.exit_status, 1);
  EXPECT_NE(refused.err.find("boot_id: EISDIR"), std::string::npos) << refused.err;
  EXPECT_EQ(node.journal_text(), journal);
}

TEST(SteppedJournal, LiveRestoreOnAReadOnlyDiskReadsItAndSaysSo) {
  const StateDir dir;
  const SmallDisk disk(dir.path);
  if (!disk.why_not().empty()) GTEST_SKIP() << disk.why_not();
  KilledNode node;
  for (const char* file : {"/journal", "/lock"})
    std::filesystem::copy_file(node.state_dir() + file, disk.path() + file);
  ASSERT_TRUE(disk.make_read_only());
  const std::vector<std::string> restore{"restore", "--host-root", node.host.root(), "--state-dir",
                                         disk.path()};
  const Ran stale = run_evenkeel(restore);
  EXPECT_EQ(stale.exit_status, 1);
  EXPECT_NE(stale.err.find("could not be brought up to date: EROFS"), std::string::npos) << stale.err;
  EXPECT_EQ(node.cpus(node.besteffort()), "0-15");
  ASSERT_TRUE(disk.make_writable());
  const Ran mended = run_evenkeel(restore);
  EXPECT_EQ(mended.exit_status, 0) << mended.err;
}

// The state directory is closed to others: that is no reason to say that there was nothing to restore.
TEST(SteppedJournal, RestoreWithoutRightsSaysSo) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give its rights up";
  DamagedNode node;
  std::filesystem::permissions(node.state_dir(), std::filesystem::perms::owner_all);
  const runtime::SystemWallClock wall;
  runtime::Log log(STDERR_FILENO, runtime::LogFormat::text, runtime::LogLevel::error, &wall);
  constexpr uid_t kNobody = 65534;
  ASSERT_EQ(::seteuid(kNobody), 0);
  const auto done =
      writers::restore_offline({.host_root = node.host.root(), .state_dir = node.state_dir()}, log, wall);
  ASSERT_EQ(::seteuid(0), 0);
  EXPECT_EQ(done.error, "journal in " + node.state_dir() + ": EACCES; run it as root");
}

std::vector<std::string> with_state_dir(std::vector<std::string> args, const std::string& dir) {
  for (std::size_t i = 0; i + 1 < args.size(); ++i)
    if (args[i] == "--state-dir") args[i + 1] = dir;
  return args;
}

TEST(SteppedTwoAgents, TheSecondOneSaysThatItsCgroupsAreTaken) {
  TwoPods node(FakeNode::Kernel::v2, "cpuBurstStrategy: {policy: auto}\n");
  SteppedAgent first(node.args());
  node.seconds(1, first);
  const auto other = with_state_dir(node.args(), node.state_dir() + "-other");
  std::vector<std::string> run{"run", "--stepped"};
  run.insert(run.end(), other.begin(), other.end());
  const Ran second = run_evenkeel(run);
  EXPECT_EQ(second.exit_status, 1);
  EXPECT_NE(second.err.find("another evenkeel manages the cgroups below"), std::string::npos) << second.err;
  auto dry = other;
  dry.emplace_back("--dry-run");
  SteppedAgent watcher(dry);
  watcher.quit();
  first.kill();
  SteppedAgent third(other);
  node.seconds(1, third);
  third.quit();
  std::filesystem::remove_all(node.state_dir() + "-other");
}

std::vector<std::string> run_with(std::vector<std::string> args) {
  args.insert(args.begin(), {"run", "--stepped"});
  return args;
}

// Until the directory exists there is nothing to lock by which two agents could see each other.
TEST(SteppedTwoAgents, NeitherStartsBeforeTheirCgroupsExist) {
  TwoPods node(FakeNode::Kernel::v2, "cpuBurstStrategy: {policy: auto}\n");
  auto args = node.args();
  args.insert(args.end(), {"--cgroup-root", "later"});
  const auto other = with_state_dir(args, node.state_dir() + "-other");
  const Ran early = run_evenkeel(run_with(args));
  EXPECT_EQ(early.exit_status, 1);
  EXPECT_NE(early.err.find("sys/fs/cgroup/later (--cgroup-root) does not exist yet"), std::string::npos)
      << early.err;
  auto dry = args;
  dry.emplace_back("--dry-run");
  SteppedAgent watcher(dry);
  watcher.quit();
  EXPECT_EQ(watcher.exit_status(), 0) << "one that writes nothing claims nothing";
  node.host.dir("sys/fs/cgroup/later");
  SteppedAgent first(args);
  node.seconds(1, first);
  const Ran second = run_evenkeel(run_with(other));
  EXPECT_EQ(second.exit_status, 1);
  EXPECT_NE(second.err.find("another evenkeel manages the cgroups below"), std::string::npos) << second.err;
  first.quit();
  std::filesystem::remove_all(node.state_dir() + "-other");
}

// In a container the kernel does not say who holds a lock outside of it. Only root opens the other file.
TEST(SteppedTwoAgents, ALockOfSomebodyUnknownIsAnAgentsOnlyWithThatOfRootsFile) {
  TwoPods node(FakeNode::Kernel::v2, "cpuBurstStrategy: {policy: auto}\n");
  node.host.file("sys/fs/cgroup/memory.reclaim", "").file("proc/locks", "");
  const Fd dir(::open((node.host.root() + "/sys/fs/cgroup").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ASSERT_EQ(::flock(dir.get(), LOCK_EX | LOCK_NB), 0);
  SteppedAgent agent(node.args());
  node.seconds(1, agent);
  const Ran second = run_evenkeel(run_with(with_state_dir(node.args(), node.state_dir() + "-other")));
  EXPECT_EQ(second.exit_status, 1);
  EXPECT_NE(second.err.find("another evenkeel manages the cgroups below"), std::string::npos) << second.err;
  agent.quit();
  EXPECT_EQ(agent.exit_status(), 0) << agent.stderr_text();
  EXPECT_NE(agent.stderr_text().find("event=cgroups-locked process=unknown user=unknown"), std::string::npos)
      << agent.stderr_text();
  std::filesystem::remove_all(node.state_dir() + "-other");
}

// The directory of the cgroups is for everyone to open, so everyone can lock it.
TEST(SteppedTwoAgents, ALockOfAStrangerDoesNotKeepItFromStarting) {
  TwoPods node(FakeNode::Kernel::v2, "cpuBurstStrategy: {policy: auto}\n");
  const Fd dir(::open((node.host.root() + "/sys/fs/cgroup").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat is {};
  ASSERT_EQ(::fstat(dir.get(), &is), 0);
  ASSERT_EQ(::flock(dir.get(), LOCK_EX | LOCK_NB), 0);
  std::array<char, 128> line{};
  std::snprintf(line.data(), line.size(), "1: FLOCK  ADVISORY  WRITE 4242 %02x:%02x:%lu 0 EOF\n",
                major(is.st_dev), minor(is.st_dev), is.st_ino);
  node.host.file("proc/locks", line.data());
  std::vector<std::string> run{"run", "--stepped"};
  for (const auto& argument : node.args()) run.push_back(argument);
  const auto belongs_to = [&](const std::string& users) {
    node.host.file("proc/4242/status", "Name:\tflock\nUid:\t" + users + "\n");
  };
  belongs_to("0\t0\t0\t0");
  const Ran refused = run_evenkeel(run);
  EXPECT_EQ(refused.exit_status, 1);
  EXPECT_NE(refused.err.find("another evenkeel manages the cgroups"), std::string::npos) << refused.err;
  belongs_to("54321\t0\t0\t0");  // of the real and the effective user the first one counts
  SteppedAgent agent(node.args());
  node.seconds(1, agent);
  agent.quit();
  EXPECT_EQ(agent.exit_status(), 0) << agent.stderr_text();
  EXPECT_NE(agent.stderr_text().find("event=cgroups-locked process=4242 user=54321"), std::string::npos)
      << agent.stderr_text();
}

}  // namespace
}  // namespace evenkeel::test
