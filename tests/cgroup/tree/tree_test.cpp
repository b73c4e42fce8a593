#include "cgroup/tree/tree.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "tests/support/fakes/fake_host.h"

namespace evenkeel {
namespace {

using test::FakeHost;

struct TreeTest : ::testing::Test {
  FakeHost fake{};
  std::optional<Host> host{};
  std::optional<tree::CgroupTree> tree{};

  void start(std::string_view cgroup_root = "") {
    auto opened = Host::open(fake.root());
    ASSERT_TRUE(opened);
    host.emplace(std::move(*opened));
    auto layout = tree::detect_layout(*host, cgroup_root);
    ASSERT_TRUE(layout);
    tree.emplace(*host, *layout);
    tree->scan();
  }
  std::vector<std::string> paths() const {
    std::vector<std::string> out;
    for (const auto* cgroup : tree->all()) out.push_back(cgroup->path);
    return out;
  }
  CgroupId id(const std::string& path) const {
    const auto* cgroup = tree->find_path(path);
    return cgroup ? cgroup->id : CgroupId{};
  }
};

TEST_F(TreeTest, KnowsKubepodsItsBranchesPodsAndContainersParentsFirst) {
  fake.v1().kubepods();
  fake.pod(KubeQos::besteffort, "b-1", {"c2", "c1"});
  fake.pod(KubeQos::burstable, "s-1", {"c3"});
  fake.pod(KubeQos::guaranteed, "g-1", {"c4"});
  start();
  const std::vector<std::string> expected = {
      "kubepods",
      "kubepods/besteffort",
      "kubepods/besteffort/podb-1",
      "kubepods/besteffort/podb-1/c1",
      "kubepods/besteffort/podb-1/c2",
      "kubepods/burstable",
      "kubepods/burstable/pods-1",
      "kubepods/burstable/pods-1/c3",
      "kubepods/podg-1",
      "kubepods/podg-1/c4",
  };
  EXPECT_EQ(paths(), expected);
  const auto* container = tree->find_path("kubepods/besteffort/podb-1/c1");
  ASSERT_TRUE(container);
  EXPECT_EQ(container->kind, CgroupKind::container);
  EXPECT_EQ(container->qos, KubeQos::besteffort);
  EXPECT_EQ(container->uid, "b-1");
  EXPECT_EQ(container->container, "c1");
  EXPECT_EQ(container->depth, 4);
  EXPECT_EQ(container->parent, id("kubepods/besteffort/podb-1"));
  EXPECT_EQ(container->inode, *host->inode("sys/fs/cgroup/cpu/kubepods/besteffort/podb-1/c1"));
  EXPECT_EQ(tree->find(container->id), container);
  EXPECT_EQ(tree->find_path("kubepods/podg-1")->qos, KubeQos::guaranteed);
  EXPECT_FALSE(tree->find_path("kubepods")->parent);
}

TEST_F(TreeTest, ReadsTheSystemdDriversNamesOnEveryHierarchy) {
  fake.hybrid().systemd().runtime(test::FakeRuntime::crio).kubepods();
  const auto pod = fake.pod(KubeQos::burstable, "11-22", {"abc"});
  fake.cgroup(pod + "/crio-conmon-abc.scope");  // CRI-O's monitor is no container
  start();
  EXPECT_EQ(pod, "kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod11_22.slice");
  const auto* container = tree->find_path(pod + "/crio-abc.scope");
  ASSERT_TRUE(container);
  EXPECT_EQ(container->uid, "11-22");
  EXPECT_EQ(container->container, "abc");
  EXPECT_EQ(tree->find_path(pod + "/crio-conmon-abc.scope"), nullptr);
  EXPECT_EQ(tree->dir(*container, Controller::cpuacct),
            "sys/fs/cgroup/cpu,cpuacct/" + pod + "/crio-abc.scope");
  EXPECT_EQ(tree->unified_dir(*container), "sys/fs/cgroup/unified/" + pod + "/crio-abc.scope");
}

TEST_F(TreeTest, FindsTheSubgroupThatCrunMakesInAScope) {
  fake.v2().systemd().runtime(test::FakeRuntime::crio).kubepods();
  const auto scope = fake.pod(KubeQos::burstable, "11-22", {"abc"}) + "/crio-abc.scope";
  fake.cgroup(scope + "/other");
  start();
  EXPECT_EQ(tree->find_path(scope + "/container"), nullptr);
  fake.cgroup(scope + "/container/inner");
  const CgroupId grown[] = {id(scope)};
  EXPECT_TRUE(tree->scan(grown));
  const auto* subgroup = tree->find_path(scope + "/container");
  ASSERT_TRUE(subgroup);
  EXPECT_EQ(subgroup->kind, CgroupKind::subgroup);
  EXPECT_EQ(subgroup->parent, id(scope));
  EXPECT_EQ(subgroup->uid, "11-22");
  EXPECT_EQ(subgroup->container, "abc");
  EXPECT_FALSE(tree->scan()) << "a full scan finds the same";
  EXPECT_EQ(tree->find_path(scope + "/other"), nullptr);
  EXPECT_EQ(tree->find_path(scope + "/container/inner"), nullptr);
}

TEST_F(TreeTest, StopsAtContainersAndPassesOverStrangers) {
  fake.v2().kubepods();
  const auto pod = fake.pod(KubeQos::besteffort, "1", {"c1"});
  fake.cgroup(pod + "/c1/init.scope").cgroup(pod + "/init.scope").cgroup("kubepods/besteffort/other");
  start();
  EXPECT_EQ(paths().size(), 5u);  // kubepods, two branches, the pod, its container
}

// It is not known what limits them. What they use is no service's, so it counts as the system's.
TEST_F(TreeTest, PodsBelowAnUnknownDirectoryAreNotManaged) {
  fake.v2().kubepods();
  fake.cgroup("kubepods/system/pod2/c2").cgroup("kubepods/system/burstable/pod3/c3");
  start();
  EXPECT_EQ(paths().size(), 3u);  // kubepods, two branches
}

TEST_F(TreeTest, AContainerMadeAgainIsAnotherCgroup) {
  fake.v2().kubepods();
  const auto pod = fake.pod(KubeQos::besteffort, "1", {"c1", "c2"});
  start();
  const auto first = id(pod + "/c1"), neighbour = id(pod + "/c2");
  EXPECT_FALSE(tree->scan()) << "nothing happened";
  fake.remove_cgroup(pod + "/c1");
  EXPECT_TRUE(tree->scan());
  EXPECT_EQ(tree->find(first), nullptr);
  fake.cgroup(pod + "/c1");
  EXPECT_TRUE(tree->scan());
  EXPECT_TRUE(id(pod + "/c1"));
  EXPECT_NE(id(pod + "/c1"), first);
  EXPECT_EQ(id(pod + "/c2"), neighbour);
}

TEST_F(TreeTest, APodMadeAgainBetweenTwoScansIsAnotherOneWithItsChildren) {
  fake.v1().kubepods();
  const auto pod = fake.pod(KubeQos::burstable, "1", {"c1"});
  start();
  const auto old_pod = id(pod), old_container = id(pod + "/c1");
  fake.remove_cgroup(pod);
  fake.pod(KubeQos::burstable, "1", {"c1"});
  EXPECT_TRUE(tree->scan());
  EXPECT_NE(id(pod), old_pod);
  EXPECT_NE(id(pod + "/c1"), old_container);
  EXPECT_EQ(tree->find_path(pod + "/c1")->parent, id(pod));
}

TEST_F(TreeTest, ToldWhereSomethingChangedItFindsWhatAFullScanFinds) {
  fake.v1().kubepods();
  const auto first = fake.pod(KubeQos::besteffort, "b-1", {"c1"});
  const auto second = fake.pod(KubeQos::burstable, "s-1", {"c2"});
  start();
  const CgroupId before = tree->next_id();
  fake.container(first, "c9");
  fake.pod(KubeQos::besteffort, "b-2", {"c3"});
  const CgroupId branch = id("kubepods/besteffort"), pod = id(first);
  EXPECT_FALSE(tree->scan(std::vector<CgroupId>{id(second)})) << "looks only where it is told to";
  EXPECT_TRUE(tree->scan(std::vector<CgroupId>{branch, pod}));
  EXPECT_EQ(tree->created_since(before).size(), 3U);
  const auto seen = paths();
  EXPECT_FALSE(tree->scan()) << "nothing was missed";
  EXPECT_EQ(paths(), seen);
}

TEST_F(TreeTest, ToldWhereSomethingChangedItSeesNewLivesAndDeaths) {
  fake.v1().kubepods();
  const auto pod = fake.pod(KubeQos::besteffort, "b-1", {"c1"});
  const auto other = fake.pod(KubeQos::besteffort, "b-2", {"c2"});
  start();
  const CgroupId old_pod = id(pod), old_container = id(pod + "/c1");
  fake.remove_cgroup(pod);
  fake.pod(KubeQos::besteffort, "b-1", {"c7"});
  fake.remove_cgroup(other);
  EXPECT_TRUE(tree->scan(std::vector<CgroupId>{id("kubepods/besteffort")}));
  EXPECT_NE(id(pod), old_pod);
  EXPECT_FALSE(tree->find(old_container));
  EXPECT_TRUE(tree->find_path(pod + "/c7"));
  EXPECT_FALSE(tree->find_path(other));
  EXPECT_FALSE(tree->scan());
}

TEST_F(TreeTest, AfterAnyHistoryItIsWhatAFullScanWouldMakeOfIt) {
  fake.v2().bare().kubepods();
  start();
  std::mt19937 random(7);
  const auto one_of = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const std::array kinds = {KubeQos::burstable, KubeQos::besteffort, KubeQos::guaranteed};
  for (int round = 0; round < 300; ++round) {
    std::set<CgroupId> grown;
    for (int change = one_of(4); change >= 0; --change) {
      const auto qos = kinds[static_cast<std::size_t>(one_of(3))];
      const auto above = qos == KubeQos::guaranteed ? fake.kubepods_path() : fake.qos_path(qos);
      const auto pod = above + "/pod" + std::to_string(one_of(6));
      const auto path = one_of(2) ? pod : pod + "/c" + std::to_string(one_of(3));
      grown.insert(
          id(path.substr(0, path.rfind('/'))));  // no id: its parent is not known yet, and among them
      if (path == pod) grown.insert(id(above));
      if (one_of(3))
        grown.insert(id(above)), fake.cgroup(path);
      else
        fake.remove_cgroup(path);
    }
    const auto newest = tree->next_id();
    const std::vector<CgroupId> listed(grown.begin(), grown.end());
    tree->scan(listed);
    tree::CgroupTree fresh(*host, tree->layout());
    fresh.scan();
    ASSERT_EQ(tree->all().size(), fresh.all().size()) << "round " << round;
    for (std::size_t i = 0; i < fresh.all().size(); ++i) {
      const auto &kept = *tree->all()[i], &seen = *fresh.all()[i];
      ASSERT_EQ(kept.path, seen.path) << "round " << round;
      ASSERT_EQ(kept.inode, seen.inode) << kept.path;
      ASSERT_EQ(tree->find(kept.id), &kept) << kept.path;
      ASSERT_EQ(tree->find_path(kept.path), &kept);
      ASSERT_EQ(kept.parent, i == 0 ? CgroupId{} : id(kept.path.substr(0, kept.path.rfind('/'))))
          << kept.path;
    }
    for (const auto born : tree->created_since(newest)) ASSERT_TRUE(tree->find(born));
    ASSERT_FALSE(tree->scan()) << "round " << round;
  }
}

TEST_F(TreeTest, ThePrimaryHierarchyDecides) {
  fake.v1().kubepods();
  fake.dir("sys/fs/cgroup/memory/kubepods/besteffort/pod1");  // the cpu hierarchy does not have it yet
  start();
  EXPECT_FALSE(id("kubepods/besteffort/pod1"));
  fake.dir("sys/fs/cgroup/cpu/kubepods/besteffort/pod1");
  EXPECT_TRUE(tree->scan());
  EXPECT_TRUE(id("kubepods/besteffort/pod1"));
}

TEST_F(TreeTest, HostApplicationsAreCgroupsToo) {
  fake.v2().kubepods().cgroup("host-latency-sensitive/nginx").cgroup("kubepods/besteffort/batch");
  start();
  tree->follow({"host-latency-sensitive/nginx", "kubepods/besteffort/batch", "not/there"});
  EXPECT_TRUE(tree->scan());
  const auto* nginx = tree->find_path("host-latency-sensitive/nginx");
  ASSERT_TRUE(nginx);
  EXPECT_EQ(nginx->kind, CgroupKind::host_application);
  EXPECT_FALSE(nginx->parent);
  EXPECT_EQ(tree->find_path("kubepods/besteffort/batch")->parent, id("kubepods/besteffort"));
  tree->follow({});
  EXPECT_TRUE(tree->scan());
  EXPECT_FALSE(id("host-latency-sensitive/nginx"));
}

TEST_F(TreeTest, HostApplicationsStandInOrderAmongThePods) {
  fake.v2().kubepods();
  fake.pod(KubeQos::besteffort, "1", {"c1"});
  for (const char* path : {"kubepods-x/app", "app", "kubepods/besteffort/batch", "zoo"}) fake.cgroup(path);
  start();
  // A pod's own directory named as an application stays a pod.
  tree->follow(
      {"zoo", "kubepods/besteffort/pod1", "kubepods-x/app", "app", "kubepods/besteffort/batch", "app"});
  EXPECT_TRUE(tree->scan());
  const std::vector<std::string> expected = {"app",
                                             "kubepods",
                                             "kubepods/besteffort",
                                             "kubepods/besteffort/batch",
                                             "kubepods/besteffort/pod1",
                                             "kubepods/besteffort/pod1/c1",
                                             "kubepods/burstable",
                                             "kubepods-x/app",
                                             "zoo"};
  EXPECT_EQ(paths(), expected);
  EXPECT_EQ(tree->find_path("kubepods/besteffort/pod1")->kind, CgroupKind::pod);
}

TEST_F(TreeTest, AdoptsTheDriverOfAKubeletThatComesLater) {
  fake.v1();
  start();
  EXPECT_TRUE(tree->all().empty());
  EXPECT_EQ(tree->layout().driver, tree::CgroupDriver::cgroupfs);
  fake.systemd().kubepods();
  const auto pod = fake.pod(KubeQos::besteffort, "1");
  EXPECT_TRUE(tree->scan());
  EXPECT_EQ(tree->layout().driver, tree::CgroupDriver::systemd);
  EXPECT_TRUE(id(pod));
}

TEST_F(TreeTest, ServesANestedCgroupRoot) {
  fake.v1().systemd().cgroup_root("a/b").kubepods();
  fake.pod(KubeQos::besteffort, "1", {"c"});
  start("/a/b/");
  EXPECT_TRUE(id(
      "a/b/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod1.slice/cri-containerd-c.scope"));
}

}  // namespace
}  // namespace evenkeel
