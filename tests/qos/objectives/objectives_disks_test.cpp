// A service that misses its objective and waits for disks: best effort's limits on disks shrink before its
// CPU.
#include <gtest/gtest.h>

#include <memory>

#include "qos/registry.h"
#include "tests/support/scenes/intents.h"
#include "tests/support/scenes/one_policy.h"
#include "tests/support/scenes/snapshot_builder.h"

namespace evenkeel {
namespace {

using namespace evenkeel::literals;
using std::chrono::seconds;

constexpr DiskNumber kVda = 253U << 20U;

/// A host application with a target of 100, beside best effort that may read 100 MiB a second.
class ObjectivesOfDisks : public testing::Test {
 protected:
  ObjectivesOfDisks() {
    slo_.qos.be.blkio = BlkioQos{true, {Block{"/dev/vda", BlockType::device, {.read_bps = 100_MiB}}}};
    Objective one;
    one.name = one.host_application = "app-0";
    one.file = "/run/app-0";
    one.target = 100;
    slo_.evenkeel.objectives = {one};
    auto builder = test::node().cpus(16).uses(10'000_mcpu).besteffort().uses(8000_mcpu).unlimited();
    node_ = builder.host_app(QosClass::ls, HostAppBase::cgroup_root).uses(2000_mcpu).build();
    node_.at = MonoTime(seconds(1000));
    node_.objectives.resize(1);
    DiskMap disks;
    disks.devices = {{"vda", {kVda}}};
    node_.disks = std::make_shared<const DiskMap>(disks);
    auto& service = node_.cgroups[static_cast<std::size_t>(node_.host_applications[0].cgroup)];
    service.pressure.io = Pressure{.some = {.avg10_percent = 9}};
  }
  /// So many seconds in which the service reports this. Returns the limit of best effort.
  std::int64_t seconds_of(int count, std::optional<double> figure) {
    for (int i = 0; i < count; ++i) {
      node_.at += seconds(1);
      node_.since_previous = seconds(1);
      if (figure) node_.objectives[0] = {figure, node_.at};
      out_.clear();
      test::decide_one(objectives::objectives_policy, node_, slo_, state_, out_);
      test::decide_one(io::blkio_policy, node_, slo_, state_, out_);
    }
    return test::intended(out_, disk(), Knob::io_read_bps);
  }
  [[nodiscard]] CgroupId disk() const { return {node_.cgroup(node_.besteffort)->id.value, kVda}; }
  [[nodiscard]] const decide::ServiceObjectives& fact() const {
    return state_.shared.of<decide::ServiceObjectives>();
  }

  NodeSlo slo_{};
  NodeSnapshot node_{};
  decide::PolicyState state_{};
  decide::Intents out_{};
};

TEST_F(ObjectivesOfDisks, ShrinkBeforeTheCpuIsCut) {
  EXPECT_EQ(seconds_of(1, 50), (100_MiB).count());
  EXPECT_EQ(seconds_of(1, 110), (80_MiB).count());
  const std::string why = test::intent(out_, disk(), Knob::io_read_bps)->why.text();
  EXPECT_EQ(
      why,
      "best effort has 80 % of its limit of 100 MiB a second on this disk: a service missed its target and "
      "waited for disks");
  EXPECT_FALSE(fact().besteffort_cpu) << "its CPU is not cut";
  EXPECT_EQ(seconds_of(9, 110), (10_MiB).count()) << "a tenth is left";
  EXPECT_FALSE(fact().besteffort_cpu);
  EXPECT_EQ(seconds_of(1, 110), (10_MiB).count());
  EXPECT_TRUE(fact().besteffort_cpu) << "it did not help within ten seconds";
}

TEST_F(ObjectivesOfDisks, GrowBackInStepsWithRoomToSpare) {
  seconds_of(1, 50);
  EXPECT_EQ(seconds_of(1, 110), (80_MiB).count());
  EXPECT_EQ(seconds_of(1, 90), (80_MiB).count()) << "little to spare";
  EXPECT_EQ(seconds_of(2, 50), (80_MiB).count());
  EXPECT_EQ(seconds_of(1, 50), (85_MiB).count());
  EXPECT_EQ(seconds_of(7, 50), (100_MiB).count());
}

TEST_F(ObjectivesOfDisks, ArePausedAtALittleFarBeyondTheTarget) {
  seconds_of(1, 50);
  EXPECT_EQ(seconds_of(1, 200), (10_MiB).count());
}

TEST_F(ObjectivesOfDisks, AreAsConfiguredWhileTheFigureIsUnknown) {
  seconds_of(1, 50);
  EXPECT_EQ(seconds_of(1, 110), (80_MiB).count());
  EXPECT_EQ(seconds_of(11, {}), (100_MiB).count());
}

TEST_F(ObjectivesOfDisks, StayWhereTheServiceWaitsForSomethingElse) {
  auto& service = node_.cgroups[static_cast<std::size_t>(node_.host_applications[0].cgroup)];
  service.pressure.cpu = Pressure{.some = {.avg10_percent = 20}};
  seconds_of(1, 50);
  EXPECT_EQ(seconds_of(1, 110), (100_MiB).count());
  EXPECT_TRUE(fact().besteffort_cpu);
}

TEST_F(ObjectivesOfDisks, WithoutAnyTheCpuIsCutAtOnce) {
  slo_.qos.be.blkio->enable = false;
  seconds_of(1, 50);
  seconds_of(1, 110);
  EXPECT_TRUE(fact().besteffort_cpu);
  EXPECT_EQ(fact().besteffort_disks, 100_pct);
}

TEST_F(ObjectivesOfDisks, OfAPodsAnnotationStay) {
  const Block own{"/dev/vda", BlockType::device, {.read_bps = 50_MiB}};
  auto builder = test::node().cpus(16).uses(10'000_mcpu).besteffort().uses(8000_mcpu).unlimited();
  const auto disks = node_.disks;
  node_ = builder.host_app(QosClass::ls, HostAppBase::cgroup_root)
              .uses(2000_mcpu)
              .pod("p")
              .blocks({own}, {})
              .build();
  node_.disks = disks;
  node_.at = MonoTime(seconds(1000));
  state_.shared.of<decide::ServiceObjectives>() = {.in_force = true, .besteffort_disks = 50_pct};
  test::decide_one(io::blkio_policy, node_, slo_, state_, out_);
  const CgroupId of_pod{node_.cgroup(node_.pods[0].cgroup)->id.value, kVda};
  EXPECT_EQ(test::intended(out_, of_pod, Knob::io_read_bps), (50_MiB).count());
  EXPECT_EQ(test::intended(out_, disk(), Knob::io_read_bps), (50_MiB).count()) << "half of 100";
}

}  // namespace
}  // namespace evenkeel
