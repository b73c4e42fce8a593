#include "cgroup/tree/watch.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <filesystem>
#include <fstream>
#include <utility>

#include "tests/support/fakes/fake_host.h"
#include "tests/support/live/live_cgroups.h"
#include "tests/support/settled_watch.h"
#include "tests/support/state_dir.h"
#include "tests/support/writes.h"

namespace evenkeel {
namespace {

using test::FakeHost;
using test::LiveCgroups;
using test::settle;
using test::Writes;

bool readable(int fd) {
  pollfd one{fd, POLLIN, 0};
  return ::poll(&one, 1, 0) == 1;
}

void write_here(const std::string& file, std::string_view text) {
  const Fd fd(::open(file.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
  ASSERT_TRUE(fd);
  ASSERT_EQ(::write(fd.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
}

int watches_of(int fd) {
  std::ifstream info("/proc/self/fdinfo/" + std::to_string(fd));
  int count = 0;
  for (std::string line; std::getline(info, line);)
    if (line.find(" ino:") != std::string::npos) ++count;
  return count;
}

struct FakeWatch : ::testing::Test {
  FakeHost fake{};
  std::optional<Host> host{};
  std::optional<tree::CgroupTree> tree{};
  std::optional<tree::TreeWatch> watch{};

  void start(bool name_writers = false) { start_at(fake.root(), name_writers); }
  void start_at(const std::string& root, bool name_writers) {
    host.emplace(std::move(*Host::open(root)));
    tree.emplace(*host, *tree::detect_layout(*host, ""));
    auto opened = tree::TreeWatch::open(*host, name_writers);
    ASSERT_TRUE(opened);
    watch.emplace(std::move(*opened));
    settle(*tree, *watch);
  }
};

TEST_F(FakeWatch, ABirthAndADeathOfAPodAreChangesOfTheTree) {
  fake.v1().kubepods();
  start();
  EXPECT_FALSE(watch->drain().tree);
  const auto pod = fake.pod(KubeQos::besteffort, "1");
  EXPECT_TRUE(readable(watch->inotify_fd()));
  EXPECT_TRUE(watch->drain().tree);
  settle(*tree, *watch);
  fake.container(pod, "c1");
  EXPECT_TRUE(watch->drain().tree) << "the new pod is watched too";
  settle(*tree, *watch);
  fake.remove_cgroup(pod + "/c1");
  EXPECT_TRUE(watch->drain().tree);
}

TEST_F(FakeWatch, KubepodsItselfMayComeLaterWithEitherDriver) {
  for (const bool systemd : {false, true}) {
    FakeHost later;
    later.v2();
    const auto there = std::move(*Host::open(later.root()));
    tree::CgroupTree empty(there, *tree::detect_layout(there, ""));
    auto eyes = std::move(*tree::TreeWatch::open(there, false));
    settle(empty, eyes);
    later.cgroup("unrelated.service");
    EXPECT_FALSE(eyes.drain().tree) << "strangers do not matter";
    systemd ? later.systemd().kubepods() : later.kubepods();
    EXPECT_TRUE(eyes.drain().tree);
  }
}

TEST_F(FakeWatch, AHostApplicationIsSeenToComeAndGo) {
  fake.v2();
  start();
  tree->follow({"host-latency-sensitive/nginx"});
  settle(*tree, *watch);
  fake.cgroup("host-latency-sensitive");
  EXPECT_TRUE(watch->drain().tree);
  settle(*tree, *watch);
  fake.cgroup("host-latency-sensitive/nginx");
  EXPECT_TRUE(watch->drain().tree);
  settle(*tree, *watch);
  ASSERT_TRUE(tree->find_path("host-latency-sensitive/nginx"));
  fake.remove_cgroup("host-latency-sensitive/nginx");
  EXPECT_TRUE(watch->drain().tree);
}

TEST_F(FakeWatch, ADirectoryBornInAnotherHierarchyIsOneToo) {
  fake.v1().kubepods();
  start();
  fake.dir("sys/fs/cgroup/cpu/kubepods/besteffort/pod1");
  EXPECT_TRUE(watch->drain().tree);
  settle(*tree, *watch);
  fake.dir("sys/fs/cgroup/cpuset/kubepods/besteffort/pod1")
      .file("sys/fs/cgroup/cpuset/kubepods/besteffort/pod1/cpuset.cpus", "0-3\n");
  EXPECT_TRUE(watch->drain().tree);
  EXPECT_FALSE(tree->scan()) << "the primary hierarchy says that nothing changed";
  EXPECT_TRUE(watch->follow(*tree));
  fake.file("sys/fs/cgroup/cpuset/kubepods/besteffort/pod1/cpuset.cpus", "0\n");
  const auto seen = watch->drain();
  ASSERT_EQ(seen.values.size(), 1u);
  EXPECT_EQ(seen.values[0].file, "cpuset.cpus");
}

TEST_F(FakeWatch, SettingsAreReportedOnceAndStatisticsAreNot) {
  fake.v2().kubepods();
  const auto pod = fake.pod(KubeQos::besteffort, "1", {"c1"});
  start();
  fake.write(Controller::cpu, pod + "/c1", "cpu.stat", "usage_usec 1\n");
  fake.write(Controller::cpu, pod + "/c1", "cgroup.procs", "1\n");
  EXPECT_TRUE(watch->drain().values.empty());
  fake.write(Controller::cpu, pod + "/c1", "cpu.max", "5000 100000\n");
  fake.write(Controller::cpu, pod + "/c1", "cpu.max", "6000 100000\n");
  const auto seen = watch->drain();
  ASSERT_EQ(seen.values.size(), 1u);
  EXPECT_EQ(seen.values[0].cgroup, tree->find_path(pod + "/c1")->id);
  EXPECT_EQ(seen.values[0].file, "cpu.max");
  EXPECT_EQ(seen.values[0].writer.pid, 0) << "inotify does not know who";
  EXPECT_FALSE(seen.tree);
}

TEST_F(FakeWatch, AContainerMadeAgainIsWatchedAgain) {
  fake.v2().kubepods();
  const auto pod = fake.pod(KubeQos::besteffort, "1", {"c1"});
  start();
  fake.remove_cgroup(pod + "/c1");
  fake.cgroup(pod + "/c1");
  EXPECT_TRUE(watch->drain().tree);
  settle(*tree, *watch);
  fake.write(Controller::cpu, pod + "/c1", "cpu.idle", "1\n");
  const auto seen = watch->drain();
  ASSERT_EQ(seen.values.size(), 1u);
  EXPECT_EQ(seen.values[0].cgroup, tree->find_path(pod + "/c1")->id);
}

TEST_F(FakeWatch, WatchesEndWithTheirDirectories) {
  fake.v2().bare().kubepods();
  start();
  const int before = watches_of(watch->inotify_fd());
  for (int i = 0; i < 20; ++i) {
    const auto pod = fake.pod(KubeQos::burstable, std::to_string(i), {"c1"});
    settle(*tree, *watch);
    EXPECT_EQ(watches_of(watch->inotify_fd()), before + 2);
    fake.remove_cgroup(pod);
    settle(*tree, *watch);
  }
  EXPECT_EQ(watches_of(watch->inotify_fd()), before);
}

TEST_F(FakeWatch, NamesTheWriterAlsoWhereTheRootIsALink) {
  fake.v1_comounted().kubepods();
  const auto container = fake.pod(KubeQos::besteffort, "1", {"c1"}) + "/c1";
  const test::StateDir links;
  std::filesystem::create_directory_symlink(fake.root(), links.path + "/root");
  start_at(links.path + "/root", true);
  if (watch->fanotify_fd() < 0) GTEST_SKIP() << watch->limitation();
  for (const auto& [controller, file] :
       {std::pair(Controller::cpu, "cpu.shares"), std::pair(Controller::cpuset, "cpuset.cpus")}) {
    const Writes stranger("3", fake.root() + "/" + fake.dir_of(controller, container) + "/" + file);
    const auto seen = watch->drain();
    ASSERT_EQ(seen.values.size(), 1u) << file;
    EXPECT_EQ(seen.values[0].cgroup, tree->find_path(container)->id) << file;
    EXPECT_EQ(seen.values[0].file, file);
    EXPECT_EQ(seen.values[0].writer.pid, stranger.pid()) << file;
  }
}

// The kernel's own behaviour, with the kernel.
struct LiveWatch : ::testing::Test {
  LiveCgroups cgroups{};
  std::optional<tree::CgroupTree> tree{};
  std::optional<tree::TreeWatch> watch{};

  void start(bool name_writers = true) {
    cgroups.make("kubepods/besteffort/pod1/c1");
    tree.emplace(cgroups.host(), *tree::detect_layout(cgroups.host(), cgroups.top()));
    watch.emplace(std::move(*tree::TreeWatch::open(cgroups.host(), name_writers)));
    settle(*tree, *watch);
    ASSERT_TRUE(container());
    weight = tree->layout().v2(Controller::cpu) ? "cpu.weight" : "cpu.shares";
  }
  void SetUp() override {
    if (!cgroups.why_not().empty()) GTEST_SKIP() << cgroups.why_not();
  }
  const tree::Cgroup* container() const {
    return tree->find_path(cgroups.top() + "/kubepods/besteffort/pod1/c1");
  }
  std::string file() const { return cgroups.file(Controller::cpu, "kubepods/besteffort/pod1/c1", weight); }
  std::string weight{};
};

TEST_F(LiveWatch, SeesACgroupBorn) {
  start();
  cgroups.make("kubepods/besteffort/pod2");
  EXPECT_TRUE(watch->drain().tree);
  settle(*tree, *watch);
  EXPECT_TRUE(tree->find_path(cgroups.top() + "/kubepods/besteffort/pod2"));
  cgroups.remove("kubepods/besteffort/pod2");
  EXPECT_TRUE(watch->drain().tree);
}

TEST_F(LiveWatch, NamesAForeignWriterAndPassesOverOurOwnWrites) {
  start();
  if (watch->fanotify_fd() < 0) GTEST_SKIP() << watch->limitation();
  write_here(file(), "50");
  EXPECT_TRUE(watch->drain().values.empty()) << "our own write is no news";
  const Writes stranger("60", file());
  const auto seen = watch->drain();
  ASSERT_EQ(seen.values.size(), 1u);
  EXPECT_EQ(seen.values[0].cgroup, container()->id);
  EXPECT_EQ(seen.values[0].file, weight);
  EXPECT_EQ(seen.values[0].writer.pid, stranger.pid());
  EXPECT_EQ(seen.values[0].writer.command, "sh");
  EXPECT_EQ(watch->limitation(), "");
}

// A cgroup's rmdir does not end its watches, so a cgroup made again at once is noticed by its new life alone.
TEST_F(LiveWatch, AContainerMadeAgainIsWatchedAgain) {
  start();
  const int before = watches_of(watch->inotify_fd());
  cgroups.remove("kubepods/besteffort/pod1/c1");
  cgroups.make("kubepods/besteffort/pod1/c1");
  EXPECT_TRUE(watch->drain().tree);
  settle(*tree, *watch);
  EXPECT_EQ(watches_of(watch->inotify_fd()), before);
  const Writes stranger("80", file());
  const auto seen = watch->drain();
  ASSERT_EQ(seen.values.size(), 1u);
  EXPECT_EQ(seen.values[0].cgroup, container()->id);
  EXPECT_EQ(seen.values[0].writer.pid, watch->fanotify_fd() < 0 ? 0 : stranger.pid());
}

TEST_F(LiveWatch, ADirectoryAboveMadeAgainIsWatchedAgain) {
  start();
  tree->follow({cgroups.make("apps") + "/web"});
  settle(*tree, *watch);
  cgroups.remove("apps");
  cgroups.make("apps");
  EXPECT_TRUE(watch->drain().tree);
  settle(*tree, *watch);
  cgroups.make("apps/web");
  EXPECT_TRUE(watch->drain().tree);
  settle(*tree, *watch);
  EXPECT_TRUE(tree->find_path(cgroups.top() + "/apps/web"));
}

TEST_F(LiveWatch, WithoutFanotifyAForeignWriteIsSeenAllTheSame) {
  start(false);
  const Writes stranger("70", file());
  const auto seen = watch->drain();
  ASSERT_EQ(seen.values.size(), 1u);
  EXPECT_EQ(seen.values[0].file, weight);
  EXPECT_EQ(seen.values[0].writer.pid, 0);
}

TEST_F(LiveWatch, NothingIsKeptOfDeadCgroups) {
  start();
  const int before = watches_of(watch->inotify_fd());
  const int marks = watch->fanotify_fd() < 0 ? 0 : watches_of(watch->fanotify_fd());
  for (int i = 0; i < 10; ++i) {
    cgroups.make("kubepods/burstable/pod" + std::to_string(i) + "/c");
    settle(*tree, *watch);
  }
  EXPECT_GT(watches_of(watch->inotify_fd()), before + 10);
  cgroups.remove("kubepods/burstable");
  settle(*tree, *watch);
  EXPECT_EQ(watches_of(watch->inotify_fd()), before);
  if (marks > 0) {
    EXPECT_EQ(watches_of(watch->fanotify_fd()), marks);
  }
}

}  // namespace
}  // namespace evenkeel
