// The worked examples of the Koordinator reference for batch, by their numbers there; amounts in CPUs and GB.
#include <gtest/gtest.h>

#include "tests/support/scenes/lending.h"

namespace evenkeel {
namespace {

using test::cpus;
using test::gb;
using test::worked_example;

void expect_batch(const lending::Lendable& lend, double cpu, double memory) {
  EXPECT_EQ(lend.batch_cpu, cpus(cpu));
  EXPECT_EQ(lend.batch_memory, gb(memory));
}

TEST(LendableBatch, LendsWhatMarginSystemAndServicesLeave) {  // 1
  expect_batch(worked_example().lend(), 25, 33);
}

TEST(LendableBatch, AReservationCountsWhereTheSystemUsesLess) {  // 2, 3, 4
  auto twenty = worked_example();
  twenty.object.reserved_cpu = cpus(20);  // reservedCPUs "0-19"
  expect_batch(twenty.lend(), 12, 33);
  auto two = worked_example();
  two.object.reserved_cpu = cpus(2);  // reservedCPUs "0-1"
  expect_batch(two.lend(), 25, 33);
  expect_batch(worked_example().allocatable(90, 100).reserves(2, 5).lend(), 22, 25);
}

test::LendingNode by_request() { return worked_example().thresholds(70, 80).policies("usage", "request"); }

TEST(LendableBatch, ByRequestTheSystemsUseDoesNotMatter) {  // 5, 6a, 6b, 6c
  expect_batch(by_request().lend(), 30, 36);
  expect_batch(by_request().reserves(0, 5).lend(), 30, 31);
  expect_batch(by_request().allocatable(90, 100).lend(), 27, 16);
  expect_batch(by_request().reserves(0, 10).lend(), 30, 26);
  auto unknown = by_request();
  unknown.usage.system = {};
  EXPECT_EQ(unknown.lend().batch_memory, gb(36));
  EXPECT_EQ(unknown.lend().batch_cpu, std::nullopt) << "CPU goes by use";
}

TEST(LendableBatch, ByTheLargerOfUseAndRequest) {  // 7
  EXPECT_EQ(worked_example().thresholds(70, 65).policies("maxUsageRequest", "usage").lend().batch_cpu,
            cpus(21));
}

TEST(LendableBatch, ThresholdsAboveAHundredLendMoreThanThereIs) {  // 8a, 8b, 8c
  auto most = worked_example().thresholds(150, 120).policies("maxUsageRequest", "maxUsageRequest");
  expect_batch(most.lend(), 101, 72);
  most.strategy.batch_cpu_threshold_percent = Percent(100);
  expect_batch(most.lend(), 100, 72);
  auto usage = worked_example().thresholds(150, 120).policies("usage", "request");
  expect_batch(usage.lend(), 110, 84);
  usage.strategy.batch_cpu_threshold_percent = Percent(100);
  usage.strategy.batch_memory_threshold_percent = Percent(50);
  expect_batch(usage.lend(), 100, 60);
}

TEST(LendableBatch, ThePolicyRequestIsForMemoryOnly) {
  expect_batch(worked_example().policies("request", "usage").lend(), 25, 33);
}

/// The third pod of example 9: it requests 10 CPUs and uses 5.
test::LendingNode with_lse(QosClass qos) {
  return test::LendingNode()
      .capacity(100, 120)
      .system(7, 12)
      .thresholds(65, 65)
      .pod("own")
      .qos(qos)
      .requests(10, 10)
      .uses(5, 5)
      .pod("a")
      .qos(QosClass::ls)
      .requests(10, 10)
      .uses(6, 6)
      .pod("c")
      .requests(20, 40)
      .uses(22, 22);
}

TEST(LendableBatch, CpusOfAnLsePodAreItsOwn) {  // 9
  expect_batch(with_lse(QosClass::lse).lend(), 20, 33);
  expect_batch(with_lse(QosClass::lsr).lend(), 25, 33);
}

TEST(LendableBatch, HostApplicationsAboveBatchCountAsTheSystem) {  // 10a, 10b
  for (const auto above : {PriorityClass::prod, PriorityClass::mid})
    expect_batch(worked_example().system(4, 6).host_application(above, 3, 6).lend(), 25, 33);
  for (const auto below : {PriorityClass::batch, PriorityClass::free, PriorityClass::none})
    expect_batch(worked_example().system(4, 6).host_application(below, 3, 6).lend(), 28, 39);
}

TEST(LendableBatch, DanglingPodsCountByTheirUse) {  // 12, 12b
  auto node = with_lse(QosClass::lse).policies("usage", "request");
  node.usage.pods.erase(node.usage.pods.begin());  // the LSE pod is not measured yet
  expect_batch(node.gone(PriorityClass::prod, 2, 2).lend(), 18, 18);
  expect_batch(node.gone(PriorityClass::prod, 4, 4).lend(), 14, 18);
  expect_batch(node.gone(PriorityClass::batch, 9, 9).gone(PriorityClass::free, 9, 9).lend(), 14, 18);
  expect_batch(node.gone(PriorityClass::none, 1, 1).lend(), 13, 18);
}

TEST(LendableBatch, APodThatHasEndedButWasMeasuredIsDangling) {
  auto node = worked_example().pod("done").requests(9, 9).uses(3, 3).phase(PodPhase::succeeded);
  expect_batch(node.lend(), 22, 30);
  expect_batch(worked_example().pod("new").requests(9, 9).phase(PodPhase::pending).lend(), 16, 24);
  expect_batch(worked_example().pod("lost").requests(9, 9).phase(PodPhase::unknown).lend(), 25, 33);
}

TEST(LendableBatch, APodWithoutAMeasurementCountsWithItsRequestByEveryPolicy) {
  for (const auto* policy : {"usage", "maxUsageRequest"}) {
    const auto before = worked_example().policies(policy, policy).lend();
    const auto after = worked_example().policies(policy, policy).pod("new").requests(2, 3).lend();
    EXPECT_EQ(*before.batch_cpu - *after.batch_cpu, cpus(2)) << policy;
    EXPECT_EQ(*before.batch_memory - *after.batch_memory, gb(3)) << policy;
  }
}

TEST(LendableBatch, PodsBelowMidTakeNothing) {
  for (const auto below : {PriorityClass::batch, PriorityClass::free})
    expect_batch(worked_example().pod("x").priority(below).requests(9, 9).uses(9, 9).lend(), 25, 33);
  expect_batch(worked_example().pod("x").priority(PriorityClass::mid).requests(9, 9).uses(9, 9).lend(), 16,
               24);
}

TEST(LendableBatch, NothingIsNotLessThanNothing) {
  expect_batch(worked_example().pod("huge").requests(90, 90).uses(90, 90).lend(), 0, 0);
}

}  // namespace
}  // namespace evenkeel
