// Limits on disks; the worked examples of the reference, and where we do better.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <limits>
#include <map>

#include "qos/decide/intent.h"
#include "qos/io/policies.h"
#include "tests/support/alloc_guard.h"
#include "tests/support/scenes/one_policy.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel {
namespace {

using namespace literals;
using test::held;
using test::intended;
using test::intent;
using test::node;
using test::SnapshotBuilder;

constexpr DiskNumber kVda = 253U << 20U, kVdb = (253U << 20U) | 16U;

DiskMap machine() {
  DiskMap out;
  out.devices = {{"vda", {kVda}}, {"vdb", {kVdb}}};
  out.groups = {{"both", {kVda, kVdb}}};
  return out;
}
Block device(const char* name, const BlockIoConfig& io) { return {name, BlockType::device, io}; }
Block vdb(const BlockIoConfig& io) { return device("/dev/vdb", io); }

struct Disks {
  explicit Disks(const SnapshotBuilder& builder, const std::vector<Block>& of_be = {})
      : node(builder.build()) {
    map(machine());
    slo.qos.be.blkio = BlkioQos{!of_be.empty(), of_be};
    for (const auto& cgroup : node.cgroups)
      node.disk_readings.push_back({cgroup.id, ~KnobBits{} & ~knob_bit(Knob::io_bfq_weight), {}});
  }
  void map(const DiskMap& now) { node.disks = std::make_shared<const DiskMap>(now); }
  Disks& decide() {
    out.clear();
    test::decide_one(io::blkio_policy, node, slo, state, out);
    return *this;
  }
  [[nodiscard]] CgroupId be(DiskNumber disk) const { return {node.cgroup(node.besteffort)->id.value, disk}; }
  [[nodiscard]] CgroupId pod(DiskNumber disk) const {
    return {node.cgroup(node.pods[0].cgroup)->id.value, disk};
  }
  [[nodiscard]] std::size_t intents() const { return out.all().size(); }

  NodeSnapshot node;
  NodeSlo slo{};
  decide::PolicyState state{};
  decide::Intents out{};
};

TEST(Blkio, Example1OneLimitOfBestEffort) {
  Disks disks(node(), {vdb({.read_iops = 2000})});
  disks.decide();
  EXPECT_EQ(intended(disks.out, disks.be(kVdb), Knob::io_read_iops), 2000);
  EXPECT_EQ(disks.intents(), 1U) << "better than there: no weight of 100 is written where none is asked for";
}

TEST(Blkio, Example3DisabledIsNothingWished) {
  Disks disks(node(), {vdb({.read_iops = 2000})});
  disks.slo.qos.be.blkio->enable = false;
  EXPECT_EQ(disks.decide().intents(), 0U) << "and what was ours goes back";
}

TEST(Blkio, Example4AnotherDisksLimitIsItsOwners) {
  Disks disks(node(), {vdb({.read_iops = 3000})});
  disks.node.disk_readings[0].values = {{kVda, Knob::io_read_iops, 500}, {kVdb, Knob::io_read_iops, 2000}};
  disks.decide();
  EXPECT_EQ(intended(disks.out, disks.be(kVdb), Knob::io_read_iops), 3000);
  EXPECT_EQ(intended(disks.out, disks.be(kVda), Knob::io_read_iops), -1) << "there it is taken off";
}

TEST(Blkio, Example7ANameThatLeadsNowhereCostsThatBlockAlone) {
  Disks disks(node(), {vdb({.read_iops = 2000}), device("/dev/nope", {.read_iops = 1}),
                       device("/dev/disk/by-id/nope", {.read_iops = 1})});
  disks.decide();
  EXPECT_EQ(intended(disks.out, disks.be(kVdb), Knob::io_read_iops), 2000)
      << "there nothing is written at all";
  EXPECT_EQ(io::unresolved_blocks(disks.state.of<io::BlkioState>()), 2U);
  const auto nope = disks.state.of<io::BlkioState>().blocks[1];
  EXPECT_TRUE(io::should_report(nope, disks.node.at));
  EXPECT_NE(std::string(io::unresolved_reason(nope)).find("no disk"), std::string::npos);
  EXPECT_NE(std::string(io::unresolved_reason(disks.state.of<io::BlkioState>().blocks[2]))
                .find("the host's /dev/disk is mounted"),
            std::string::npos);
}

TEST(Blkio, Example8AVolumeOfAPod) {
  const Block block{"data", BlockType::pod_volume, {.read_bps = 1_MiB}};
  Disks disks(node().pod("p").blocks({block}, {{"data", true}}));
  disks.decide();
  EXPECT_EQ(disks.intents(), 0U) << "not mounted yet";
  EXPECT_FALSE(io::should_report(disks.state.of<io::BlkioState>().blocks.at(0),
                                 disks.node.at + std::chrono::seconds(5)));
  EXPECT_TRUE(io::should_report(disks.state.of<io::BlkioState>().blocks.at(0),
                                disks.node.at + std::chrono::seconds(30)));
  auto mounted = machine();
  mounted.volumes = {{disks.node.pods[0].spec->uid, "pvc-1", {kVdb}}};
  disks.map(mounted);
  disks.decide();
  EXPECT_EQ(intended(disks.out, disks.pod(kVdb), Knob::io_read_bps), 1048576);
  EXPECT_NE(intent(disks.out, disks.pod(kVdb), Knob::io_read_bps)->why.text().find("1 MiB"),
            std::string::npos);
  EXPECT_EQ(io::unresolved_blocks(disks.state.of<io::BlkioState>()), 0U);
}

TEST(Blkio, Example9ThrottlingNeedsNoWeights) {
  Disks disks(node(), {vdb({.read_iops = 2000, .io_weight_percent = 50})});
  for (auto& reading : disks.node.disk_readings) reading.known = knob_bit(Knob::io_read_iops);
  disks.decide();
  EXPECT_EQ(intended(disks.out, disks.be(kVdb), Knob::io_read_iops), 2000);
  EXPECT_EQ(disks.intents(), 1U);
}

TEST(Blkio, TheWeightIsTheSchedulersWhereItHasItsOwn) {
  Disks disks(node(), {vdb({.io_weight_percent = 50})});
  disks.decide();
  EXPECT_EQ(intended(disks.out, disks.be(kVdb), Knob::io_weight), 50);
  auto bfq = machine();
  bfq.bfq = {kVdb};
  disks.map(bfq);
  for (auto& reading : disks.node.disk_readings) reading.known = ~KnobBits{};
  disks.decide();
  EXPECT_EQ(intended(disks.out, disks.be(kVdb), Knob::io_bfq_weight), 50);
  EXPECT_EQ(disks.intents(), 1U);
}

/// A pod of each class on v2, of which that of class LSR is Guaranteed and so lies in kubepods itself.
SnapshotBuilder of_each_class() {
  return node().v2().pod("web").ls().pod("db").lsr().kube(KubeQos::guaranteed).pod("batch").be();
}

/// The latency targets that are asked for, by cgroup.
std::map<CgroupIndex, std::int64_t> targets(Disks& disks) {
  std::vector<decide::Intent> plan;
  decide::arbitrate(disks.node, disks.slo, disks.decide().out, plan);
  std::map<CgroupIndex, std::int64_t> out;
  for (const auto& intent : plan)
    for (std::size_t i = 0; i < disks.node.cgroups.size(); ++i)
      if (intent.knob == Knob::io_latency && !intent.hold &&
          intent.target == CgroupId{disks.node.cgroups[i].id.value, kVdb})
        out[static_cast<CgroupIndex>(i)] = std::get<std::int64_t>(intent.value);
  return out;
}
using Targets = std::map<CgroupIndex, std::int64_t>;

TEST(Blkio, ALatencyTargetIsOfServicesAndOfAllAboveThem) {
  Disks disks(of_each_class());
  const auto burstable = disks.node.burstable, web = disks.node.pods[0].cgroup,
             db = disks.node.pods[1].cgroup;
  disks.slo.qos.ls.blkio = BlkioQos{true, {vdb({.latency_target_us = 5000})}};
  EXPECT_EQ(targets(disks), (Targets{{burstable, 5000}, {web, 5000}})) << "io.latency acts between siblings";
  disks.slo.qos.lsr.blkio = BlkioQos{true, {vdb({.latency_target_us = 2000}), device("/dev/nope", {})}};
  disks.slo.qos.be.blkio = BlkioQos{true, {vdb({.latency_target_us = 1})}};
  EXPECT_EQ(targets(disks), (Targets{{burstable, 5000}, {web, 5000}, {db, 2000}})) << "none for best effort";
  disks.slo.qos.ls.blkio->enable = false;
  EXPECT_EQ(targets(disks), (Targets{{db, 2000}}));
}

TEST(Blkio, APodsOwnLatencyTargetCountsAndTheShortestOfTheDirectory) {
  Disks disks(of_each_class().pod("shop").ls().blocks({vdb({.latency_target_us = 900})}));
  disks.slo.qos.ls.blkio = BlkioQos{true, {vdb({.latency_target_us = 5000})}};
  const auto& pods = disks.node.pods;
  const Targets wanted{{disks.node.burstable, 900}, {pods[0].cgroup, 5000}, {pods[3].cgroup, 900}};
  EXPECT_EQ(targets(disks), wanted);
  disks.node.disks.reset();
  EXPECT_TRUE(targets(disks).empty());
  EXPECT_TRUE(held(disks.out, disks.pod(kVdb), Knob::io_latency)) << "where the name leads is not known";
}

TEST(Blkio, WithoutTheFileNoLatencyTargetIsAskedFor) {
  Disks disks(of_each_class());
  disks.slo.qos.ls.blkio = BlkioQos{true, {vdb({.latency_target_us = 5000})}};
  for (auto& reading : disks.node.disk_readings) reading.known &= ~knob_bit(Knob::io_latency);
  EXPECT_TRUE(targets(disks).empty());
}

TEST(Blkio, AGroupsLimitIsEachDisksAndZeroIsNone) {
  Disks disks(node(), {{"both",
                        BlockType::volume_group,
                        {.read_iops = 0, .write_iops = 7, .read_bps = Bytes(0), .write_bps = 9_MiB}}});
  disks.decide();
  for (const auto disk : {kVda, kVdb}) {
    EXPECT_EQ(intended(disks.out, disks.be(disk), Knob::io_write_iops), 7);
    EXPECT_EQ(intended(disks.out, disks.be(disk), Knob::io_write_bps), (9_MiB).count());
  }
  EXPECT_EQ(disks.intents(), 4U);
}

TEST(Blkio, OnV1EachContainerHasTheLimitForItself) {
  Disks disks(node().pod("p").be().container("c"), {vdb({.read_iops = 5})});
  EXPECT_EQ(disks.decide().intents(), 3U) << "the directory, the pod, the container";
  disks.node.v2_io = true;
  EXPECT_EQ(disks.decide().intents(), 1U) << "on v2 the directory's holds for all below";
}

TEST(Blkio, AnUnknownMapHoldsWhatItLedTo) {
  Disks disks(node(), {vdb({.read_iops = 2000})});
  disks.node.disks.reset();
  EXPECT_EQ(disks.decide().intents(), 0U);
  EXPECT_EQ(io::unresolved_blocks(disks.state.of<io::BlkioState>()), 0U)
      << "not looked yet is not unresolved";
  disks.map(machine());
  disks.decide();
  disks.map({});
  disks.decide();
  EXPECT_TRUE(held(disks.out, disks.be(kVdb), Knob::io_read_iops));
  EXPECT_EQ(intended(disks.out, disks.be(kVdb), Knob::io_read_iops), -1);
}

TEST(Blkio, HandsOffAndPodsThatEndedAreLeftAlone) {
  const auto block = vdb({.read_iops = 1});
  EXPECT_EQ(Disks(node().pod("p").blocks({block}).hands_off()).decide().intents(), 0U);
  EXPECT_EQ(Disks(node().pod("p").blocks({block}).phase(PodPhase::succeeded)).decide().intents(), 0U);
  EXPECT_EQ(Disks(node().pod("p").blocks({block}).without_cgroup()).decide().intents(), 0U);
}

/// CPU time of a steady tick with so many pods of 64 blocks, as many as a pod may have: the shortest of five.
std::clock_t tick_with(int pods) {
  std::vector<Block> blocks;
  for (int i = 0; i < 64; ++i) blocks.push_back(device("/dev/nope", {.read_iops = 1}));
  for (int i = 0; i < 64; ++i) blocks[static_cast<std::size_t>(i)].name += std::to_string(i);
  auto builder = node().v2();
  for (int i = 0; i < pods; ++i) builder.pod("p" + std::to_string(i)).blocks(blocks);
  Disks disks(builder);
  disks.decide();
  auto best = std::numeric_limits<std::clock_t>::max();
  for (int round = 0; round < 5; ++round) {
    const auto before = std::clock();
    disks.decide();
    best = std::min(best, std::clock() - before);
  }
  return best;
}

TEST(Blkio, TheTimeGrowsWithTheBlocksOfPodsAndNoFaster) {
  const auto few = tick_with(25), many = tick_with(100);
  std::printf("blocks of 25 pods: %ld us, of 100 pods: %ld us\n", few, many);
  EXPECT_LT(many, 8 * std::max<std::clock_t>(few, 100)) << "four times the pods: something is quadratic";
}

TEST(Blkio, ASteadyTickAllocatesNothing) {
  const auto block = vdb({.read_iops = 1, .write_bps = 1_MiB});
  Disks disks(node().pod("p").blocks({block}), {block, device("/dev/nope", {.read_iops = 1})});
  disks.decide();
  disks.decide();
  const test::AllocGuard guard;
  disks.decide();
  EXPECT_EQ(guard.allocations(), 0U);
}

}  // namespace
}  // namespace evenkeel
