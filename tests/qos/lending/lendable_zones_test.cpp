// The worked examples of the Koordinator reference for NUMA zones, by their numbers there.
#include <gtest/gtest.h>

#include "tests/support/scenes/lending.h"

namespace evenkeel {
namespace {

using test::cpus;
using test::gb;
using test::LendingNode;

std::vector<lending::Zone> two_zones() { return {{cpus(50), gb(62)}, {cpus(50), gb(58)}}; }

void expect_zones(const LendingNode& node, double cpu0, double memory0, double cpu1, double memory1) {
  const auto lend = node.lend_zones(two_zones());
  ASSERT_EQ(lend.zones.size(), 2U);
  EXPECT_EQ(lend.zones[0].batch_cpu, cpus(cpu0));
  EXPECT_EQ(lend.zones[0].batch_memory, gb(memory0));
  EXPECT_EQ(lend.zones[1].batch_cpu, cpus(cpu1));
  EXPECT_EQ(lend.zones[1].batch_memory, gb(memory1));
  EXPECT_EQ(lend.unknown_reason, "");
}

LendingNode with_bound_pod(QosClass qos) {
  return LendingNode()
      .capacity(100, 120)
      .system(7, 12)
      .thresholds(65, 65)
      .pod("bound")
      .qos(qos)
      .requests(10, 10)
      .on_numa({0})
      .pod("a")
      .qos(QosClass::ls)
      .requests(10, 10)
      .uses(6, 6)
      .pod("c")
      .requests(20, 40)
      .uses(22, 22);
}

LendingNode bound_and_measured() {
  auto node = with_bound_pod(QosClass::lsr);
  node.usage.pods.push_back({"bound", PriorityClass::prod, {cpus(5), gb(5)}});
  return node;
}

TEST(LendableZones, ABoundPodTakesFromItsZoneTheRestFromAll) {  // 11
  expect_zones(bound_and_measured(), 10, 15.3, 15, 17.7);
}

TEST(LendableZones, DanglingPodsTakeFromAllZones) {  // 12, 12b
  auto node = with_bound_pod(QosClass::lse).policies("usage", "request");
  expect_zones(node.gone(PriorityClass::prod, 2, 2), 4, 5.3, 14, 12.7);
  expect_zones(node.gone(PriorityClass::prod, 4, 4), 2, 5.3, 12, 12.7);
}

TEST(LendableZones, ZonesThatDoNotExistAreIgnored) {
  auto node = bound_and_measured();
  node.pods[0].numa_nodes = {0, 0, 7, -1};
  expect_zones(node, 10, 15.3, 15, 17.7);
  node.pods[0].numa_nodes = {7};  // none is left: all
  expect_zones(node, 12.5, 17.8, 12.5, 15.2);
}

TEST(LendableZones, ReservationsAndLimitsArePerZone) {
  auto node = bound_and_measured().reserves(20, 30);
  expect_zones(node, 3.5, 6.3, 8.5, 8.7);
  node.strategy.batch_cpu_threshold_percent = Percent(10);
  node.strategy.batch_memory_threshold_percent = Percent(10);
  expect_zones(node, 3.5, 6.2, 5, 5.8);
}

TEST(LendableZones, SharesAreRoundedUpSoThatZonesDoNotLendMoreThanTheNode) {
  auto node = LendingNode().capacity(3, 3).system(0, 0).thresholds(100, 100);
  node.usage.system = {MilliCpu(1000), Bytes(1000)};
  const lending::Zone zone{MilliCpu(1000), Bytes(1000)};
  const auto lend = node.lend_zones({zone, zone, zone});
  for (const auto& each : lend.zones) {
    EXPECT_EQ(each.batch_cpu, MilliCpu(666));  // 1000 - 333.3…
    EXPECT_EQ(each.batch_memory, Bytes(666));
  }
}

TEST(LendableZones, CpusAreNormalizedAsThoseOfTheNode) {
  auto node = bound_and_measured();
  node.object.cpu_normalization_ratio = 1.5;
  expect_zones(node, 15, 15.3, 22.5, 17.7);
  node.object.cpu_normalization_ratio = 1.00033;
  expect_zones(node, 10.004, 15.3, 15.005, 17.7);
  node.object.cpu_normalization_ratio = 0.5;
  expect_zones(node, 10, 15.3, 15, 17.7);
}

TEST(LendableZones, AllZonesOrNone) {
  const auto lend = bound_and_measured().lend_zones({{cpus(50), gb(62)}, {cpus(50), std::nullopt}});
  EXPECT_TRUE(lend.zones.empty());
  EXPECT_NE(lend.unknown_reason, "");
}

TEST(LendableZones, AnUnknownSystemIsUnknownInEveryZone) {
  auto node = bound_and_measured();
  node.usage.system.cpu.reset();
  const auto lend = node.lend_zones(two_zones());
  ASSERT_EQ(lend.zones.size(), 2U);
  for (const auto& zone : lend.zones) {
    EXPECT_EQ(zone.batch_cpu, std::nullopt);
    EXPECT_TRUE(zone.batch_memory);
  }
  EXPECT_EQ(lend.unknown_reason, "batch-cpu: the system's use is unknown");
}

}  // namespace
}  // namespace evenkeel
