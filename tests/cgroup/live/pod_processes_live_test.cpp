// Signals to the processes of a pod, on real cgroups: all of those in it, and no others.
#include <gtest/gtest.h>
#include <signal.h>

#include "cgroup/executor/file_writer.h"
#include "cgroup/tree/pod_processes.h"
#include "tests/support/live/live_pod.h"

namespace evenkeel::test {
namespace {

class LivePodProcesses : public testing::Test {
 protected:
  void SetUp() override {
    if (!cgroups_.why_not().empty()) GTEST_SKIP() << cgroups_.why_not();
    for (const char* cgroup : {"pod1/c1/inner", "pod1/c2", "pod2/c1"}) cgroups_.make(cgroup);
    dir_ = cgroups_.layout().root(Controller::cpu) + '/' + cgroups_.top() + "/pod1";
    files_.emplace(cgroups_.host());
  }
  void TearDown() override {
    if (files_) static_cast<void>(pod().kill());
  }
  tree::PodProcesses pod() {
    return {cgroups_.host(), *files_, dir_, cgroups_.host().inode(dir_).value_or(0)};
  }
  bool gone_soon() {
    return empty_soon(cgroups_, "pod1/c1/inner") && empty_soon(cgroups_, "pod1/c1") &&
           empty_soon(cgroups_, "pod1/c2");
  }
  LiveCgroups cgroups_{};
  std::string dir_{};
  std::optional<executor::FileWriter> files_{};
};

TEST_F(LivePodProcesses, ATermSignalEndsProcessesThatHandleItAndNoOthers) {
  LiveProcess inner(cgroups_, "pod1/c1/inner", Manner::waits);
  LiveProcess stubborn(cgroups_, "pod1/c2", Manner::stubborn);
  LiveProcess neighbour(cgroups_, "pod2/c1", Manner::waits);
  const auto seen = pod().look();
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->left, 2U);
  const auto asked = pod().terminate();
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->sent, 2U);
  EXPECT_EQ(inner.ended_by(), SIGTERM);
  EXPECT_TRUE(stubborn.alive());
  EXPECT_TRUE(neighbour.alive());
}

TEST_F(LivePodProcesses, KilledTheyAreGoneWhateverTheyDo) {
  LiveProcess stubborn(cgroups_, "pod1/c2", Manner::stubborn);
  LiveProcess runaway(cgroups_, "pod1/c1/inner", Manner::runs_away);
  LiveProcess neighbour(cgroups_, "pod2/c1", Manner::runs_away);
  auto processes = pod();
  for (int i = 0; i < 1000; ++i) {
    const auto killed = processes.kill();
    ASSERT_TRUE(killed);
    if (killed->left == 0) break;
  }
  EXPECT_TRUE(gone_soon());
  EXPECT_EQ(stubborn.ended_by(), SIGKILL);
  EXPECT_FALSE(processes_in(cgroups_, "pod2/c1").empty());
  tree::PodProcesses other(cgroups_.host(), *files_, dir_.substr(0, dir_.size() - 1) + '2',
                           cgroups_.host().inode(dir_.substr(0, dir_.size() - 1) + '2').value_or(0));
  for (int i = 0; i < 1000; ++i)
    if (const auto killed = other.kill(); !killed || killed->left == 0) break;
  EXPECT_TRUE(empty_soon(cgroups_, "pod2/c1"));
}

TEST_F(LivePodProcesses, OneByOneWhereTheKernelHasNoKillFile) {
  /// A kernel without cgroup.kill, whatever this one has.
  struct NoKill final : KernelFiles {
    explicit NoKill(const Host& host) : files(host) {}
    Result<std::string> read(const KnobFile& file) override { return files.read(file); }
    Result<> write(const KnobFile&, std::string_view) override { return fail(ENOENT, Op::open); }
    Result<std::uint64_t> inode(const std::string& dir) override { return files.inode(dir); }
    Result<> append_subdirs(const std::string& dir, std::string& names) override {
      return files.append_subdirs(dir, names);
    }
    executor::FileWriter files;
  } files(cgroups_.host());
  LiveProcess stubborn(cgroups_, "pod1/c2", Manner::stubborn);
  LiveProcess neighbour(cgroups_, "pod2/c1", Manner::stubborn);
  tree::PodProcesses processes(cgroups_.host(), files, dir_, cgroups_.host().inode(dir_).value_or(0));
  ASSERT_TRUE(processes.kill());
  EXPECT_EQ(stubborn.ended_by(), SIGKILL);
  EXPECT_TRUE(neighbour.alive());
}

TEST_F(LivePodProcesses, AnotherLifeOfTheDirectoryIsNotTouched) {
  const auto inode = cgroups_.host().inode(dir_);
  ASSERT_TRUE(inode);
  LiveProcess process(cgroups_, "pod1/c2", Manner::waits);
  tree::PodProcesses earlier(cgroups_.host(), *files_, dir_, *inode + 1);
  for (const auto& answer : {earlier.look(), earlier.terminate(), earlier.kill()}) {
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, ENOENT);
  }
  EXPECT_TRUE(process.alive());
}

}  // namespace
}  // namespace evenkeel::test
