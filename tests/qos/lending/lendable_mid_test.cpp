// The worked examples of the Koordinator reference for mid, by their numbers there; amounts in CPUs and GB.
#include <gtest/gtest.h>

#include "tests/support/scenes/lending.h"

namespace evenkeel {
namespace {

using test::cpus;
using test::gb;

test::LendingNode one_prod_pod() {
  return test::LendingNode()
      .capacity(100, 210)
      .allocatable(100, 200)
      .system(0, 0)
      .uses_in_all(20, 45)
      .pod("prod")
      .priority(PriorityClass::prod)
      .requests(20, 40)
      .uses(20, 40);
}

void expect_mid(const lending::Lendable& lend, double cpu, double memory) {
  EXPECT_EQ(lend.mid_cpu, cpus(cpu));
  EXPECT_EQ(lend.mid_memory, gb(memory));
}

test::LendingNode limited(std::int64_t cpu, std::int64_t memory) {
  auto node = one_prod_pod();
  node.strategy.mid_cpu_threshold_percent = Percent(cpu);
  node.strategy.mid_memory_threshold_percent = Percent(memory);
  return node;
}

TEST(LendableMid, LendsWhatProdWillNotNeed) {  // M1
  expect_mid(one_prod_pod().reclaimable(10, 15).lend(), 10, 15);
}

TEST(LendableMid, AddsPartOfTheUnrequestedUpToTheLimit) {  // M2
  auto node = limited(10, 20).reclaimable(15, 30);
  node.strategy.mid_unallocated_percent = Percent(10);
  expect_mid(node.lend(), 10, 42);
  node.strategy.mid_cpu_threshold_percent = Percent(100);
  node.strategy.mid_memory_threshold_percent = Percent(100);
  expect_mid(node.lend(), 23, 46);
}

TEST(LendableMid, NeverMoreThanTheNodeDoesNotUse) {  // M3
  expect_mid(one_prod_pod().reclaimable(20, 20).uses_in_all(90, 200).lend(), 10, 10);
  expect_mid(one_prod_pod().reclaimable(20, 20).uses_in_all(101, 211).lend(), 0, 0);
}

TEST(LendableMid, AStaticReserveNeedsNoMeasurement) {  // M4, M5
  auto node = one_prod_pod();
  node.usage = {};
  node.pods_known = false;
  node.strategy.mid_reclaim_mode = "static";
  node.strategy.mid_static_cpu_reserved_percent = Percent(10);
  node.strategy.mid_static_memory_reserved_percent = Percent(10);
  expect_mid(node.lend(), 10, 21);
  node.strategy.mid_static_cpu_reserved_percent = Percent(100);
  node.strategy.mid_static_memory_reserved_percent = Percent(100);
  node.strategy.mid_cpu_threshold_percent = Percent(10);
  node.strategy.mid_memory_threshold_percent = Percent(20);
  expect_mid(node.lend(), 10, 42);
}

TEST(LendableMid, AProdHostApplicationCountsAsTheSystem) {  // M6
  auto node = one_prod_pod().reclaimable(0, 0);
  node.strategy.mid_unallocated_percent = Percent(100);
  expect_mid(node.lend(), 80, 160);
  expect_mid(node.host_application(PriorityClass::prod, 5, 15).lend(), 75, 155);
  expect_mid(node.host_application(PriorityClass::mid, 5, 15).lend(), 75, 155);
}

TEST(LendableMid, MidPodsAreLentWhatIsUnallocated) {
  auto node = one_prod_pod().reclaimable(0, 0).pod("mid").priority(PriorityClass::mid).requests(30, 30);
  node.strategy.mid_unallocated_percent = Percent(50);
  expect_mid(node.lend(), 40, 80);
  expect_mid(node.pod("more").requests(70, 70).phase(PodPhase::pending).lend(), 5, 45);
  expect_mid(node.pod("most").requests(70, 200).lend(), 0, 0);
}

TEST(LendableMid, WithoutAPredictionNothingIsReclaimable) {
  expect_mid(one_prod_pod().lend(), 0, 0);
  auto half = one_prod_pod();
  half.prod_reclaimable = Usage{.memory = gb(5)};
  expect_mid(half.lend(), 0, 5);
}

}  // namespace
}  // namespace evenkeel
