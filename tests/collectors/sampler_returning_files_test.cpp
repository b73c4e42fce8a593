// Files of a cgroup that come later than the cgroup, or are gone for a while: one pod on a fake host.
#include <gtest/gtest.h>

#include "cgroup/kernel/knob_files.h"
#include "tests/support/alloc_guard.h"
#include "tests/support/scenes/sampler_node.h"

namespace evenkeel {
namespace {

using test::SampledNode;

struct FilesThatCome : testing::Test {
  void lay_out(bool v2) {
    sampled.fake.machine({.cpus = 4});
    v2 ? sampled.fake.v2() : sampled.fake.v1();
    sampled.fake.kubepods();
    pod = sampled.fake.pod(KubeQos::besteffort, "aa-bb", {"c1"});
  }
  void tick(int times) {
    for (int i = 0; i < times; ++i) sampled.tick();
  }
  SampledNode sampled{};
  std::string pod{};
};

TEST_F(FilesThatCome, AHierarchyThatComesAMomentLaterIsPickedUpAtOnce) {
  lay_out(false);
  const auto late = sampled.fake.dir_of(Controller::cpuset, pod);
  sampled.fake.remove(late);
  sampled.start();
  sampled.tick();
  EXPECT_FALSE(sampled.at(pod).applied.cpus);
  sampled.fake.file(late + "/cpuset.cpus", "0-1\n");
  sampled.tick();
  ASSERT_TRUE(sampled.at(pod).applied.cpus);
  EXPECT_EQ(sampled.at(pod).applied.cpus->text(), "0-1");
}

TEST_F(FilesThatCome, AFileThatIsGoneForAWhileIsFoundAgainWithinAMinute) {
  lay_out(true);
  sampled.start();
  tick(20);
  const auto cpus = sampled.fake.dir_of(Controller::cpuset, pod) + "/cpuset.cpus";
  sampled.fake.remove(cpus);
  tick(10);
  EXPECT_FALSE(sampled.at(pod).applied.cpus);
  {
    const test::AllocGuard guard;
    for (int i = 0; i < 70; ++i)
      sampled.sampler().collect(sampled.node, sampled.node.at + std::chrono::seconds(1));
    EXPECT_EQ(guard.allocations(), 0U) << "looking for it costs no memory";
  }
  sampled.fake.file(cpus, "0-1\n");
  tick(60);
  ASSERT_TRUE(sampled.at(pod).applied.cpus);
  EXPECT_EQ(sampled.at(pod).applied.cpus->text(), "0-1");
}

TEST_F(FilesThatCome, AMissingFileIsNotTakenFromAnotherCgroupAtTheSamePath) {
  lay_out(true);
  sampled.start();
  tick(20);
  sampled.fake.remove(sampled.fake.dir_of(Controller::cpuset, pod) + "/cpuset.cpus");
  tick(10);
  sampled.fake.remove_cgroup(pod);
  sampled.fake.dir("sys/fs/cgroup/kubepods/besteffort/keep-the-inode-busy");
  sampled.fake.pod(KubeQos::besteffort, "aa-bb", {"c1"});
  tick(70);
  EXPECT_FALSE(sampled.at(pod).applied.cpus) << "the tree does not know the new one yet";
  sampled.rescan();
  sampled.tick();
  EXPECT_TRUE(sampled.at(pod).applied.cpus);
}

TEST_F(FilesThatCome, ACgroupWithoutADirectorySaysNothingOfTheKernel) {
  lay_out(false);
  NodeSlo slo;
  slo.host_applications = {{.name = "first", .relative_dir = "first"}};
  sampled.slo = std::make_shared<const NodeSlo>(std::move(slo));
  sampled.fake.dir(sampled.fake.dir_of(Controller::cpu, "first"));
  for (const auto& cgroup : {std::string("kubepods"), pod})
    sampled.fake.write(Controller::memory, cgroup, "memory.priority", "3\n");
  sampled.start();
  sampled.tree().follow({"first"});
  sampled.rescan();
  ASSERT_EQ(sampled.tree().all().front()->path, "first");
  sampled.tick();
  EXPECT_EQ(sampled.at(pod).applied.plain.get(Knob::memory_priority), 3);
}

TEST_F(FilesThatCome, ASettingThatTheKernelLacksIsLookedForOnceForAllCgroups) {
  lay_out(false);
  sampled.start();
  tick(2);
  const auto priority = "/" + std::string(kernel::file_name(Knob::memory_priority, sampled.tree().layout()));
  sampled.fake.file(sampled.fake.dir_of(Controller::memory, pod) + priority, "3\n");
  tick(5);
  EXPECT_FALSE(sampled.at(pod).applied.plain.get(Knob::memory_priority)) << "the pod was asked by itself";
  for (const auto* cgroup : sampled.tree().all())
    sampled.fake.file(sampled.fake.dir_of(Controller::memory, cgroup->path) + priority, "3\n");
  sampled.rescan();
  tick(10);
  EXPECT_EQ(sampled.at(pod).applied.plain.get(Knob::memory_priority), 3);
}

}  // namespace
}  // namespace evenkeel
