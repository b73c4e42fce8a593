// The roster: the cgroup tree joined with the listed pods and the configured host applications.
#include "collectors/per_cgroup/roster.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/scenes/sampler_node.h"

namespace evenkeel {
namespace {

using namespace literals;
using test::SampledNode;

const std::string kSandbox(64, 'a'), kApp(64, 'b'), kOther(64, 'c');

Pod listed_pod(std::string uid, KubeQos qos, std::vector<std::string> containers) {
  Pod pod{.uid = std::move(uid),
          .namespace_ = "default",
          .name = "web",
          .kube_qos = qos,
          .phase = PodPhase::running};
  for (auto& id : containers) pod.containers.push_back(Container{.name = "c", .id = std::move(id)});
  return pod;
}

struct Roster : testing::TestWithParam<bool> {
  void SetUp() override {
    sampled.fake.machine().v1();
    if (GetParam()) sampled.fake.systemd();
    sampled.fake.kubepods();
  }
  void list(std::vector<Pod> pods) {
    sampled.pods = std::make_shared<const std::vector<Pod>>(std::move(pods));
  }
  [[nodiscard]] const NodeSnapshot& node() const { return sampled.node; }
  [[nodiscard]] const PodSample* pod(std::string_view uid) const {
    const auto found = std::find_if(node().pods.begin(), node().pods.end(),
                                    [&](const PodSample& sample) { return sample.spec->uid == uid; });
    return found == node().pods.end() ? nullptr : &*found;
  }
  [[nodiscard]] const ContainerSample& container(const PodSample& of, int number) const {
    return node().containers.at(static_cast<std::size_t>(of.first_container + number));
  }
  SampledNode sampled{};
};

TEST_P(Roster, ParentsComeFirstAndTheQosDirectoriesAreFound) {
  sampled.fake.pod(KubeQos::besteffort, "11-22", {kApp});
  sampled.fake.pod(KubeQos::guaranteed, "33-44", {kApp});
  sampled.start();
  const auto& cgroups = node().cgroups;
  ASSERT_EQ(cgroups.size(), 7u);  // kubepods, two QoS directories, two pods, two containers
  for (std::size_t i = 0; i < cgroups.size(); ++i) {
    EXPECT_LT(cgroups[i].parent, static_cast<CgroupIndex>(i));
    EXPECT_EQ(cgroups[i].parent == kNoCgroup, cgroups[i].kind == CgroupKind::kubepods);
    const auto* parent = node().cgroup(cgroups[i].parent);
    EXPECT_EQ(cgroups[i].kind == CgroupKind::container, parent && parent->kind == CgroupKind::pod);
  }
  EXPECT_EQ(node().cgroup(node().kubepods)->path, sampled.fake.kubepods_path());
  EXPECT_EQ(node().cgroup(node().burstable)->path, sampled.fake.qos_path(KubeQos::burstable));
  EXPECT_EQ(node().cgroup(node().besteffort)->path, sampled.fake.qos_path(KubeQos::besteffort));
}

TEST_P(Roster, ListedPodsAndContainersFindTheirDirectories) {
  const auto path = sampled.fake.pod(KubeQos::burstable, "11-22", {kSandbox, kApp});
  list({listed_pod("11-22", KubeQos::burstable, {kApp, kOther, ""})});
  sampled.start();
  EXPECT_TRUE(node().pods_known);
  ASSERT_EQ(node().pods.size(), 1u);
  const auto& web = *pod("11-22");
  EXPECT_EQ(web.spec, sampled.pods->data());  // not a copy
  EXPECT_EQ(node().cgroup(web.cgroup)->path, path);
  ASSERT_EQ(web.container_count, 4);
  EXPECT_EQ(container(web, 0).spec, &web.spec->containers[0]);
  EXPECT_EQ(node().cgroup(container(web, 0).cgroup)->parent, web.cgroup);
  EXPECT_EQ(container(web, 1).cgroup, kNoCgroup);  // not started yet
  EXPECT_EQ(container(web, 2).cgroup, kNoCgroup);  // has no id yet
  EXPECT_EQ(container(web, 3).spec, nullptr);      // the sandbox
  EXPECT_NE(node().cgroup(container(web, 3).cgroup), node().cgroup(container(web, 0).cgroup));
}

TEST_P(Roster, AListedPodWithoutDirectoryIsInTheSnapshot) {
  auto done = listed_pod("99-99", KubeQos::besteffort, {kApp});
  done.phase = PodPhase::succeeded;
  list({done});
  sampled.start();
  ASSERT_NE(pod("99-99"), nullptr);
  EXPECT_EQ(pod("99-99")->cgroup, kNoCgroup);
  EXPECT_EQ(container(*pod("99-99"), 0).cgroup, kNoCgroup);
}

TEST_P(Roster, AnUnlistedDirectoryGetsASpecFromItsPath) {
  sampled.fake.pod(KubeQos::besteffort, "11-22", {kApp});
  list({listed_pod("33-44", KubeQos::burstable, {})});
  sampled.start();
  ASSERT_EQ(node().pods.size(), 2u);
  const auto& stray = *pod("11-22");
  EXPECT_TRUE(stray.spec->from_cgroup_only);
  EXPECT_EQ(stray.spec->kube_qos, KubeQos::besteffort);
  EXPECT_EQ(stray.spec->phase, PodPhase::running);
  ASSERT_EQ(stray.container_count, 1);
  EXPECT_EQ(container(stray, 0).spec->id, kApp);
  EXPECT_FALSE(container(stray, 0).spec->limits.cpu);
  EXPECT_NE(container(stray, 0).cgroup, kNoCgroup);
  EXPECT_FALSE(pod("33-44")->spec->from_cgroup_only);
}

TEST_P(Roster, WithoutAPodListPodsComeFromTheTree) {
  sampled.fake.pod(KubeQos::guaranteed, "11-22", {kSandbox, kApp});
  sampled.start();
  EXPECT_FALSE(node().pods_known);
  ASSERT_EQ(node().pods.size(), 1u);
  EXPECT_EQ(node().pods[0].spec->kube_qos, KubeQos::guaranteed);
  EXPECT_TRUE(node().cgroups[static_cast<std::size_t>(node().pods[0].cgroup)].hands_off)
      << "its owner may have forbidden it";
  EXPECT_EQ(node().pods[0].spec->uid, "11-22");
  EXPECT_EQ(node().pods[0].spec->containers.size(), 2u);
}

TEST_P(Roster, ExcludingAPodCoversItAndItsContainersOnly) {
  sampled.fake.pod(KubeQos::burstable, "11-22", {kApp});
  sampled.fake.pod(KubeQos::burstable, "33-44", {kApp});
  auto shy = listed_pod("11-22", KubeQos::burstable, {kApp});
  shy.hands_off = true;
  list({shy, listed_pod("33-44", KubeQos::burstable, {kApp})});
  sampled.start();
  for (const auto& sample : node().cgroups) {
    const bool below = sample.path.find("11-22") != std::string_view::npos ||
                       sample.path.find("11_22") != std::string_view::npos;
    EXPECT_EQ(sample.hands_off, below) << sample.path;
  }
  list({listed_pod("11-22", KubeQos::burstable, {kApp})});
  sampled.rescan();
  for (const auto& sample : node().cgroups) EXPECT_FALSE(sample.hands_off) << sample.path;
}

TEST_P(Roster, ExcludingTheNodeCoversEverything) {
  sampled.fake.pod(KubeQos::burstable, "11-22", {kApp});
  NodeSlo slo;
  slo.evenkeel.hands_off = true;
  sampled.slo = std::make_shared<const NodeSlo>(slo);
  sampled.start();
  for (const auto& sample : node().cgroups) EXPECT_TRUE(sample.hands_off) << sample.path;
}

TEST_P(Roster, HostApplicationsAreFoundByTheirPath) {
  NodeSlo slo;
  slo.host_applications = {{.name = "nginx", .relative_dir = "host-latency-sensitive/nginx"},
                           {.name = "gone", .relative_dir = "nowhere"},
                           {.name = "odd", .relative_dir = "../escape"}};
  sampled.slo = std::make_shared<const NodeSlo>(slo);
  sampled.fake.cgroup("host-latency-sensitive/nginx");
  sampled.start();
  std::vector<std::string> paths;
  for (const auto& app : sampled.slo->host_applications)
    paths.push_back(per_cgroup::host_application_path(app, sampled.tree().layout()));
  EXPECT_EQ(paths[2], "");
  sampled.tree().follow({paths[0], paths[1]});
  sampled.rescan();
  ASSERT_EQ(node().host_applications.size(), 3u);
  const auto& nginx = node().host_applications[0];
  EXPECT_EQ(nginx.spec->name, "nginx");
  ASSERT_NE(nginx.cgroup, kNoCgroup);
  EXPECT_EQ(node().cgroup(nginx.cgroup)->kind, CgroupKind::host_application);
  EXPECT_EQ(node().host_applications[1].cgroup, kNoCgroup);
  EXPECT_EQ(node().host_applications[2].cgroup, kNoCgroup);
  sampled.tick();
  EXPECT_TRUE(node().cgroup(nginx.cgroup)->memory.current);
}

TEST_P(Roster, BasesOfHostApplicationsAreThoseOfTheLayout) {
  sampled.start();
  const auto& layout = sampled.tree().layout();
  const auto path = [&](HostAppBase base, const char* dir) {
    return per_cgroup::host_application_path({.base = base, .relative_dir = dir}, layout);
  };
  EXPECT_EQ(path(HostAppBase::cgroup_root, "/a//b/"), "a/b");
  EXPECT_EQ(path(HostAppBase::cgroup_root, ""), "");
  EXPECT_EQ(path(HostAppBase::cgroup_root, "a/../../b"), "");
  EXPECT_EQ(path(HostAppBase::kubepods, "x"), sampled.fake.kubepods_path() + "/x");
  EXPECT_EQ(path(HostAppBase::kubepods_burstable, "x"), sampled.fake.qos_path(KubeQos::burstable) + "/x");
  EXPECT_EQ(path(HostAppBase::kubepods_besteffort, "x"), sampled.fake.qos_path(KubeQos::besteffort) + "/x");
}

INSTANTIATE_TEST_SUITE_P(Drivers, Roster, testing::Bool(),
                         [](const auto& param) { return param.param ? "systemd" : "cgroupfs"; });

}  // namespace
}  // namespace evenkeel
