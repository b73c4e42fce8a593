#include "cgroup/tree/layout.h"

#include <gtest/gtest.h>

#include "tests/support/fakes/fake_host.h"

namespace evenkeel {
namespace {

using test::FakeHost;

Result<tree::Layout> detect(const FakeHost& fake, std::string_view cgroup_root = "") {
  const auto host = std::move(*Host::open(fake.root()));
  return tree::detect_layout(host, cgroup_root);
}

TEST(Layout, EachControllerByItselfIsV1) {
  FakeHost fake;
  const auto layout = detect(fake.v1());
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->version, tree::CgroupVersion::v1);
  EXPECT_EQ(layout->root(Controller::cpu), "sys/fs/cgroup/cpu");
  EXPECT_EQ(layout->root(Controller::cpuacct), "sys/fs/cgroup/cpuacct");
  EXPECT_EQ(layout->unified, "");
  EXPECT_FALSE(layout->v2(Controller::cpu));
  EXPECT_EQ(layout->primary(), "sys/fs/cgroup/cpu");
  EXPECT_EQ(layout->hierarchies().size(), 6u);
}

TEST(Layout, CoMountedControllersShareADirectoryInWhateverOrder) {
  for (const char* dir : {"cpu,cpuacct", "cpuacct,cpu"}) {
    FakeHost fake;
    const std::string base = "sys/fs/cgroup/";
    fake.file(base + dir + "/cpu.shares", "1024\n").link(base + "cpu", dir).link(base + "cpuacct", dir);
    fake.file(base + "net_cls,net_prio/tasks", "").file(base + "memory/tasks", "");
    const auto layout = detect(fake);
    ASSERT_TRUE(layout);
    EXPECT_EQ(layout->root(Controller::cpu), base + dir);
    EXPECT_EQ(layout->root(Controller::cpuacct), base + dir);
    EXPECT_EQ(layout->root(Controller::cpuset), "");
    EXPECT_EQ(layout->hierarchies(), (std::vector<std::string>{base + dir, base + "memory"}));
  }
}

TEST(Layout, ALinkIsEnoughEvenAnAbsoluteOne) {
  FakeHost fake;
  fake.file("sys/fs/cgroup/elsewhere/cpu.shares", "2\n")
      .link("sys/fs/cgroup/cpu", "/sys/fs/cgroup/elsewhere");
  const auto layout = detect(fake);
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->root(Controller::cpu), "sys/fs/cgroup/cpu");
}

TEST(Layout, AControllersFileAtTheTopIsV2) {
  FakeHost fake;
  const auto layout = detect(fake.v2());
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->version, tree::CgroupVersion::v2);
  EXPECT_EQ(layout->unified, "sys/fs/cgroup");
  EXPECT_TRUE(layout->v2(Controller::blkio));
  EXPECT_EQ(layout->hierarchies(), (std::vector<std::string>{"sys/fs/cgroup"}));
}

TEST(Layout, OnAHybridHostWhatV1DoesNotHaveIsUnified) {
  FakeHost fake;
  fake.file("sys/fs/cgroup/cpu,cpuacct/tasks", "")
      .file("sys/fs/cgroup/unified/cgroup.controllers", "memory io\n");
  fake.dir("sys/fs/cgroup/memory");  // a mount point without a mount
  const auto layout = detect(fake);
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->version, tree::CgroupVersion::hybrid);
  EXPECT_FALSE(layout->v2(Controller::cpu));
  EXPECT_TRUE(layout->v2(Controller::memory));
  EXPECT_EQ(layout->root(Controller::memory), "sys/fs/cgroup/unified");
  EXPECT_TRUE(layout->v2(Controller::blkio));
  EXPECT_EQ(layout->root(Controller::cpuset), "") << "not mounted";
  EXPECT_TRUE(layout->v2(Controller::perf_event)) << "part of every cgroup of v2";
}

TEST(Layout, AnEmptyDirectoryIsAHierarchyOnlyForWantOfAnother) {
  FakeHost fake;
  fake.dir("sys/fs/cgroup/cpu").dir("sys/fs/cgroup/memory");
  const auto layout = detect(fake);
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->version, tree::CgroupVersion::v1);
  EXPECT_EQ(layout->root(Controller::memory), "sys/fs/cgroup/memory");
}

TEST(Layout, NoCgroupsAtAllIsAFailure) {
  FakeHost fake;
  EXPECT_EQ(detect(fake).error().code, ENOENT);
  fake.dir("sys/fs/cgroup");
  EXPECT_EQ(detect(fake).error().code, ENOENT);
}

TEST(Layout, TheDriverIsSeenByTheNamesItGives) {
  for (const bool systemd : {false, true}) {
    FakeHost fake;
    fake.v1();
    systemd ? fake.systemd().kubepods() : fake.kubepods();
    const auto layout = detect(fake);
    ASSERT_TRUE(layout);
    EXPECT_EQ(layout->driver, systemd ? tree::CgroupDriver::systemd : tree::CgroupDriver::cgroupfs);
    for (const auto qos : {KubeQos::guaranteed, KubeQos::burstable, KubeQos::besteffort})
      EXPECT_EQ(layout->qos_dir(qos), fake.qos_path(qos));
  }
}

TEST(Layout, WithoutKubepodsTheInitSystemDecidesForNow) {
  FakeHost plain, unit;
  EXPECT_EQ(detect(plain.v2())->driver, tree::CgroupDriver::cgroupfs);
  EXPECT_EQ(detect(unit.v2().cgroup("init.scope"))->driver, tree::CgroupDriver::systemd);
}

TEST(Layout, OfTwoKubepodsTheOneWithPodsCounts) {
  FakeHost fake;
  fake.v2().systemd().kubepods().cgroupfs().kubepods();
  EXPECT_EQ(detect(fake)->driver, tree::CgroupDriver::systemd);
  fake.pod(KubeQos::burstable, "1");
  EXPECT_EQ(detect(fake)->driver, tree::CgroupDriver::cgroupfs);
}

TEST(Layout, ANestedCgroupRootIsPlainDirectories) {
  FakeHost fake;
  fake.v1().cgroup_root("a/b").kubepods();
  const auto layout = detect(fake, "//a/./b/");
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->cgroup_root, "a/b");
  EXPECT_EQ(layout->qos_dir(KubeQos::besteffort), "a/b/kubepods/besteffort");
  EXPECT_EQ(detect(fake, "/a/../b").error().code, EINVAL);
}

TEST(Layout, ANestedCgroupRootMayBeSystemdsSlices) {
  FakeHost fake;
  fake.v2().cgroup("a.slice/a-b.slice/a-b-kubepods.slice/a-b-kubepods-burstable.slice");
  const auto layout = detect(fake, "/a/b");
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->driver, tree::CgroupDriver::systemd);
  EXPECT_EQ(layout->qos_dir(KubeQos::burstable),
            "a.slice/a-b.slice/a-b-kubepods.slice/a-b-kubepods-burstable.slice");
  EXPECT_EQ(tree::parse_pod_dir("a-b-kubepods-burstable-pod1_2.slice")->uid, "1-2");
}

TEST(DirNames, PodsOfBothDrivers) {
  const std::string uid = "1c2f3a4b-0000-1111-2222-333344445555";
  const std::string under = "1c2f3a4b_0000_1111_2222_333344445555";
  for (const auto& name :
       {"pod" + uid, "kubepods-pod" + under + ".slice", "kubepods-burstable-pod" + under + ".slice",
        "kubepods-besteffort-pod" + under + ".slice"}) {
    const auto pod = tree::parse_pod_dir(name);
    ASSERT_TRUE(pod) << name;
    EXPECT_EQ(pod->uid, uid);
  }
  for (const char* stranger :
       {"", "pod", "burstable", "besteffort", "kubepods-burstable.slice", "kubepods.slice", "system.slice",
        "podman.service", "pod1.slice", "kubepods-pod.slice", "pod/1", "xkubepods-pod1.slice", "init.scope",
        "system", "kubepods-system.slice", "kubepods-system-pod1.slice"})
    EXPECT_FALSE(tree::parse_pod_dir(stranger)) << stranger;
}

TEST(DirNames, OfPodsAndQosClassesInDirectoriesOfAnyName) {
  for (const char* name :
       {"pod1c2f3a4b-0000", "burstable", "besteffort", "kubepods-system-pod1c2f_0000.slice",
        "kubepods-system-burstable.slice", "kubepods-system-besteffort-pod1.slice"})
    EXPECT_TRUE(tree::is_of_pods(name)) << name;
  for (const char* name : {"", "pod", "system", "kubepods.slice", "kubepods-system.slice", "init.scope",
                           "kubepods-pod.slice", "cri-containerd-1c2f.scope", "container_1"})
    EXPECT_FALSE(tree::is_of_pods(name)) << name;
  using Names = std::array<std::string, 2>;
  EXPECT_EQ(tree::qos_dir_names("kubepods/system"), (Names{"burstable", "besteffort"}));
  EXPECT_EQ(tree::qos_dir_names("kubepods.slice/kubepods-system.slice"),
            (Names{"kubepods-system-burstable.slice", "kubepods-system-besteffort.slice"}));
}

TEST(DirNames, ContainersOfEveryRuntime) {
  const std::string id(64, 'a');
  for (const auto& name : {"cri-containerd-" + id + ".scope", "crio-" + id + ".scope",
                           "docker-" + id + ".scope", "pouch-" + id + ".scope", id, "crio-" + id})
    EXPECT_EQ(tree::parse_container_dir(name), id) << name;
  for (const char* stranger :
       {"", "crio-conmon-abc.scope", "crio-conmon-abc", "init.scope", "session-1.scope", "x.service",
        "docker-.scope", "system.slice", "a b", "cri-containerd-.scope"})
    EXPECT_FALSE(tree::parse_container_dir(stranger)) << stranger;
}

}  // namespace
}  // namespace evenkeel
