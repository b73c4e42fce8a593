// A kubelet may make directories in kubepods that the agent does not know. The pods in them are not managed,
// but the tree tells that there are some.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "cgroup/tree/tree.h"
#include "cgroup/tree/watch.h"
#include "tests/support/fakes/fake_host.h"
#include "tests/support/settled_watch.h"

namespace evenkeel::test {
namespace {

using Paths = std::vector<std::string>;

struct UnknownDirs : ::testing::Test {
  FakeHost fake{};
  std::optional<Host> host{};
  std::optional<tree::CgroupTree> tree{};

  void start() {
    host.emplace(std::move(*Host::open(fake.root())));
    tree.emplace(*host, *tree::detect_layout(*host, ""));
    tree->scan();
  }
  Paths with_pods() const {
    Paths out;
    for (const auto& dir : tree->unknown_dirs())
      if (dir.holds_pods) out.push_back(dir.path);
    return out;
  }
  bool rescan(const std::string& path) {
    const CgroupId grown[] = {tree->find_path(path)->id};
    return tree->scan(grown);
  }
};

TEST_F(UnknownDirs, HoldPodsIfTheyHaveAPodOrTheDirectoryOfAQosClass) {
  fake.v2().kubepods();
  fake.pod(KubeQos::guaranteed, "1", {"c1"});
  fake.cgroup("kubepods/system/pod2/c2")
      .cgroup("kubepods/batch/burstable")
      .cgroup("kubepods/burstable/x/pod3");
  fake.cgroup("kubepods/empty").cgroup("kubepods/besteffort/yarn/container_1");
  start();
  EXPECT_EQ(with_pods(), (Paths{"kubepods/batch", "kubepods/burstable/x", "kubepods/system"}));
  EXPECT_EQ(tree->unknown_dirs().size(), 5U);
}

TEST_F(UnknownDirs, HaveSystemdsNamesToo) {
  fake.v2().systemd().kubepods();
  const std::string system = "kubepods.slice/kubepods-system.slice";
  fake.cgroup(system);
  start();
  EXPECT_EQ(with_pods(), Paths{});
  fake.cgroup(system + "/kubepods-system-besteffort.slice");
  tree->scan();
  EXPECT_EQ(with_pods(), Paths{system});
  fake.remove_cgroup(system + "/kubepods-system-besteffort.slice");
  fake.cgroup(system + "/kubepods-system-pod1c2f_33.slice");
  tree->scan();
  EXPECT_EQ(with_pods(), Paths{system});
}

TEST_F(UnknownDirs, AreFoundWhereverTheTreeIsLookedAt) {
  fake.v1().kubepods();
  start();
  fake.cgroup("kubepods/system");
  EXPECT_FALSE(rescan("kubepods")) << "no cgroup that is managed has come";
  EXPECT_EQ(tree->unknown_dirs().size(), 1U);
  fake.cgroup("kubepods/system/pod1");
  EXPECT_FALSE(rescan("kubepods/burstable"));
  EXPECT_EQ(with_pods(), Paths{"kubepods/system"});
  fake.cgroup("kubepods/burstable/x/pod2");
  rescan("kubepods/burstable");
  EXPECT_EQ(with_pods(), (Paths{"kubepods/burstable/x", "kubepods/system"}));
  rescan("kubepods");
  EXPECT_EQ(with_pods(), (Paths{"kubepods/burstable/x", "kubepods/system"})) << "each once";
  fake.remove_cgroup("kubepods/burstable");
  EXPECT_TRUE(rescan("kubepods"));
  EXPECT_EQ(with_pods(), Paths{"kubepods/system"});
  fake.remove_cgroup("kubepods/system");
  rescan("kubepods");
  EXPECT_TRUE(tree->unknown_dirs().empty());
}

/// As a kubelet makes them: a directory, those of the QoS classes in it, and the pods.
TEST_F(UnknownDirs, AreWatchedForTheDirectoriesOfQosClasses) {
  for (const bool systemd : {false, true}) {
    FakeHost later;
    systemd ? later.v2().systemd().kubepods() : later.v2().kubepods();
    const auto there = std::move(*Host::open(later.root()));
    tree::CgroupTree cgroups(there, *tree::detect_layout(there, ""));
    auto watch = std::move(*tree::TreeWatch::open(there, false));
    settle(cgroups, watch);
    const std::string system = systemd ? "kubepods.slice/kubepods-system.slice" : "kubepods/system";
    later.cgroup(system);
    EXPECT_TRUE(watch.drain().tree);
    settle(cgroups, watch);
    later.cgroup(system + "/other");
    EXPECT_FALSE(watch.drain().tree);
    const std::string burstable = system + (systemd ? "/kubepods-system-burstable.slice" : "/burstable");
    later.cgroup(burstable);
    const auto born = watch.drain();
    EXPECT_TRUE(born.tree);
    EXPECT_TRUE(born.anywhere) << "a scan of known cgroups alone would not look there";
    settle(cgroups, watch);
    later.remove_cgroup(burstable);
    EXPECT_TRUE(watch.drain().tree);
  }
}

}  // namespace
}  // namespace evenkeel::test
