// `evenkeel restore` in a container that sees only its own cgroup: the records stay.
#include <gtest/gtest.h>
#include <unistd.h>

#include "agent/runtime/clock.h"
#include "agent/runtime/log.h"
#include "agent/writers/writers.h"
#include "tests/support/fakes/fake_host.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {

constexpr const char* kBe = "sys/fs/cgroup/kubepods/besteffort";

/// A killed agent has changed the quota of the best-effort directory.
struct HiddenCgroups : ::testing::Test {
  HiddenCgroups() {
    host.v2().kubepods().file("proc/sys/kernel/random/boot_id", std::string(kBoot) + "\n");
    auto journal = *executor::Journal::open(state.path, kBoot);
    const auto inode = *Host::open(host.root())->inode(kBe);
    EXPECT_TRUE(
        journal.record_write({kBe, inode, Knob::cpu_quota, "cpu.max", "max 100000", {}}, "20000 100000"));
    EXPECT_TRUE(journal.made(std::string(kBe) + "/core-sched", 7));
    host.file(std::string(kBe) + "/cpu.max", "20000 100000\n");
  }
  writers::Restored restore() {
    const runtime::SystemWallClock wall;
    runtime::Log log(STDERR_FILENO, runtime::LogFormat::text, runtime::LogLevel::error, &wall);
    return writers::restore_offline({.host_root = host.root(), .state_dir = state.path}, log, wall);
  }
  std::size_t records() {
    const auto journal = *executor::Journal::open(state.path, kBoot);
    return journal.size() + journal.directories().size();
  }
  FakeHost host{};
  StateDir state{};
};

TEST_F(HiddenCgroups, AContainerThatSeesOnlyItsOwnKeepsTheRecords) {
  host.remove("sys/fs/cgroup/kubepods").file("sys/fs/cgroup/cgroup.type", "domain\n");
  const auto done = restore();
  EXPECT_NE(done.error.find("not the root of the cgroup hierarchy"), std::string::npos) << done.error;
  EXPECT_EQ(records(), 2U);
}

TEST_F(HiddenCgroups, SoDoesAContainerWithoutACgroupFileSystem) {
  host.remove("sys/fs/cgroup");
  EXPECT_FALSE(restore().error.empty());
  EXPECT_EQ(records(), 2U);
}

TEST_F(HiddenCgroups, WhoSeesTheRootDropsTheRecordsOfRemovedCgroups) {
  host.remove("sys/fs/cgroup/kubepods");
  EXPECT_TRUE(restore().error.empty());
  EXPECT_EQ(records(), 0U);
}

TEST_F(HiddenCgroups, ANodeInAContainerRestoresWhatIsThere) {
  host.file("sys/fs/cgroup/cgroup.type", "domain\n");
  const auto done = restore();
  EXPECT_TRUE(done.error.empty());
  EXPECT_EQ(done.report.writes.size(), 1U);
  EXPECT_EQ(host.read(std::string(kBe) + "/cpu.max"), "max 100000\n");
  EXPECT_EQ(records(), 0U);
}

}  // namespace
}  // namespace evenkeel::test
