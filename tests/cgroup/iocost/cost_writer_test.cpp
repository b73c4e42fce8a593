// The I/O cost model's lines: written, kept, given back, left to others.
#include "cgroup/iocost/cost_writer.h"

#include <gtest/gtest.h>

#include "cgroup/base/disk_text.h"
#include "cgroup/executor/file_writer.h"
#include "tests/support/alloc_guard.h"
#include "tests/support/fakes/fake_host.h"

namespace evenkeel::test {
namespace {

constexpr DiskNumber kSdb = (8U << 20U) | 16U;
constexpr const char* kQos = "sys/fs/cgroup/io.cost.qos";
constexpr const char* kModel = "sys/fs/cgroup/io.cost.model";
constexpr const char* kAsKernel =
    "8:0 enable=0 ctrl=auto rpct=0.00 rlat=250000 wpct=0.00 wlat=250000 min=1.00 max=10000.00\n";

TEST(CostText, OrdersAreTheReferences) {
  EXPECT_EQ(cost_qos_line({.disk = kSdb}), "8:16 enable=1 ctrl=user rpct=95 rlat=3000 wpct=95 wlat=3000");
  EXPECT_EQ(cost_model_line({.disk = kSdb}), "8:16 ctrl=auto");
  EXPECT_EQ(cost_model_line({.disk = kSdb, .own_model = true, .model = {1, 2, 3, 4, 0, 6}}),
            "8:16 ctrl=user rbps=1 rseqiops=2 rrandiops=3 wbps=4 wrandiops=6")
      << "better than there: what is not said is the kernel's own, not 0";
}

TEST(CostText, WhatTheKernelChoseItselfIsNotWrittenBack) {
  EXPECT_EQ(restorable_cost_line("io.cost.qos", 8U << 20U, kAsKernel), "8:0 enable=0 ctrl=auto");
  EXPECT_EQ(restorable_cost_line("io.cost.qos", kSdb, kAsKernel), "8:16 enable=0 ctrl=auto");
  EXPECT_EQ(restorable_cost_line("io.cost.qos", kSdb, "8:16 enable=1 ctrl=user rpct=90.00 rlat=1\n"),
            "8:16 enable=1 ctrl=user rpct=90.00 rlat=1");
  EXPECT_EQ(restorable_cost_line("io.cost.model", kSdb, ""), "8:16 ctrl=auto");
}

TEST(CostText, LinesAreTheSameAsFarAsBothSay) {
  const auto order = cost_qos_line({.disk = kSdb});
  EXPECT_TRUE(same_cost(order, "8:16 enable=1 ctrl=user rpct=95.00 rlat=3000 wpct=95.00 wlat=3000 min=1.00"));
  EXPECT_FALSE(same_cost(order, "8:16 enable=1 ctrl=user rpct=90.00 rlat=3000 wpct=95.00 wlat=3000"));
  EXPECT_FALSE(same_cost(order, "8:0 enable=1 ctrl=user rpct=95.00"));
  EXPECT_FALSE(same_cost(order, "8:16 enable=1 ctrl=auto"));
}

class CostLines : public ::testing::Test {
 protected:
  void want(const decide::DiskCost& cost) {
    plan.clear();
    plan.want(cost, because("the test wants it"));
  }
  executor::Report pass(int seconds = 1) {
    now += std::chrono::seconds(seconds);
    executor::Report report;
    writer.apply(plan, now, report);
    return report;
  }
  struct Node : FakeHost {
    Node() { v2().file(kQos, kAsKernel).file(kModel, ""); }
  };
  Node host_{};
  Host root_ = std::move(*Host::open(host_.root()));
  tree::CgroupTree tree_{root_, *tree::detect_layout(root_, "")};
  executor::FileWriter files_{root_};
  executor::Journal journal = executor::Journal::in_memory();
  iocost::IoCostWriter writer{tree_, files_, journal, false};
  decide::CostPlan plan{};
  MonoTime now{std::chrono::hours(1)};
};

TEST_F(CostLines, AreWrittenOnceAndGivenBack) {
  want({.disk = kSdb, .read_latency_us = 5000, .own_model = true, .model = {7, 0, 0, 0, 0, 0}});
  const auto report = pass();
  ASSERT_EQ(report.writes.size(), 2U);
  EXPECT_EQ(report.writes[0].path, kModel) << "before it is switched on";
  EXPECT_EQ(report.writes[1].old_text, "8:16 enable=0 ctrl=auto");
  EXPECT_EQ(host_.read(kQos),
            kAsKernel + std::string("8:16 enable=1 ctrl=user rpct=95 rlat=5000 wpct=95 wlat=3000\n"));
  EXPECT_EQ(host_.read(kModel), "8:16 ctrl=user rbps=7\n");
  EXPECT_EQ(journal.size(), 2U);
  EXPECT_TRUE(pass().writes.empty());
  EXPECT_TRUE(pass(20).writes.empty());
  EXPECT_EQ(writer.counters().managed, 2U);
  plan.clear();
  EXPECT_EQ(pass().writes.size(), 2U);
  EXPECT_EQ(host_.read(kQos), kAsKernel);
  EXPECT_EQ(host_.read(kModel), "");
  EXPECT_EQ(journal.size(), 0U);
}

TEST_F(CostLines, ASteadyTickAllocatesNothing) {
  want({.disk = kSdb});
  pass();
  executor::Report report;
  const AllocGuard guard;
  writer.apply(plan, now + std::chrono::seconds(1), report);
  EXPECT_EQ(guard.allocations(), 0U);
}

TEST_F(CostLines, NothingIsRestoredOverAForeignLine) {
  want({.disk = kSdb});
  pass();
  const std::string theirs = "8:16 enable=1 ctrl=user rpct=50.00 rlat=1 wpct=50.00 wlat=1\n";
  host_.file(kQos, theirs);
  const auto report = pass(11);
  ASSERT_EQ(report.foreign.size(), 1U);
  EXPECT_FALSE(report.foreign[0].yielded) << "contested for a minute";
  EXPECT_TRUE(pass(11).foreign.empty());
  executor::Report last;
  writer.restore_all(now, last);
  ASSERT_EQ(last.foreign.size(), 1U);
  EXPECT_TRUE(last.foreign[0].yielded);
  EXPECT_EQ(host_.read(kQos), theirs);
  EXPECT_EQ(journal.size(), 0U);
}

TEST_F(CostLines, TheForeignLineThatWasWrittenOverIsRestored) {
  want({.disk = kSdb});
  pass();
  const std::string theirs = "8:16 enable=1 ctrl=user rpct=50.00 rlat=1 wpct=50.00 wlat=1\n";
  host_.file(kQos, theirs);
  pass(10);
  ASSERT_EQ(pass(60).writes.size(), 1U);
  plan.clear();
  EXPECT_TRUE(pass().writes.at(0).restored);
  EXPECT_EQ(host_.read(kQos), theirs);
}

TEST_F(CostLines, AForeignLineThatIsTheIntendedOneIsNotOursToUndo) {
  want({.disk = kSdb});
  pass();
  const std::string theirs = "8:16 enable=1 ctrl=user rpct=50.00 rlat=3000 wpct=95.00 wlat=3000\n";
  host_.file(kQos, theirs);
  want({.disk = kSdb, .read_percent = 50});
  const auto report = pass();
  EXPECT_TRUE(report.writes.empty() && report.foreign.empty());
  EXPECT_EQ(writer.counters().foreign, 1U);
  EXPECT_EQ(journal.size(), 0U);
  plan.clear();
  EXPECT_TRUE(pass().writes.empty());
  EXPECT_EQ(host_.read(kQos), theirs);
}

TEST_F(CostLines, ACrashIsUndoneFromTheJournal) {
  host_.file(kQos, "8:16 enable=1 ctrl=user rpct=50.00 rlat=1 wpct=50.00 wlat=1\n");
  want({.disk = kSdb});
  pass();
  const auto report = executor::restore_from_journal(files_, journal);
  EXPECT_EQ(report.writes.size(), 1U);
  EXPECT_EQ(host_.read(kQos), "8:16 enable=1 ctrl=user rpct=50.00 rlat=1 wpct=50.00 wlat=1\n");
  EXPECT_EQ(journal.size(), 0U);
}

TEST_F(CostLines, AKernelWithoutThemSaysSoOnce) {
  host_.remove(kQos).remove(kModel);
  want({.disk = kSdb});
  EXPECT_EQ(pass().refusals.size(), 2U);
  for (int i = 0; i < 50; ++i) EXPECT_TRUE(pass(10).refusals.empty());
  EXPECT_EQ(journal.size(), 0U);
}

TEST_F(CostLines, ADryRunOnlySays) {
  iocost::IoCostWriter dry(tree_, files_, journal, true);
  want({.disk = kSdb});
  executor::Report report;
  dry.apply(plan, now, report);
  dry.apply(plan, now + std::chrono::seconds(30), report);
  EXPECT_EQ(report.writes.size(), 1U);
  EXPECT_EQ(host_.read(kQos), kAsKernel);
}

/// A killed agent has set a line, and the kernel refused to restore it when this one started.
class LeftCostLines : public CostLines {
 protected:
  LeftCostLines() {
    const executor::JournalEntry entry{
        "sys/fs/cgroup", 0, Knob::io_cost_qos, disk_entry_name("io.cost.qos", kSdb), kOriginal, {}};
    EXPECT_TRUE(journal.record_write(entry, kOurs));
    EXPECT_TRUE(journal.record_write(entry, kOriginal)) << "the refused restore";
    host_.file(kQos, std::string(kAsKernel) + kOurs + "\n");
  }
  static constexpr const char* kOriginal = "8:16 enable=0 ctrl=auto";
  static constexpr const char* kOurs = "8:16 enable=1 ctrl=user rpct=95 rlat=3000 wpct=95 wlat=3000";
};

TEST_F(LeftCostLines, ATickRestoresThem) {
  EXPECT_EQ(pass().writes.size(), 1U);
  EXPECT_EQ(journal.size(), 0U);
  std::vector<executor::Managed> managed;
  writer.add_managed(managed);
  EXPECT_TRUE(managed.empty());
}

TEST_F(LeftCostLines, APlanDoesNotTakeThemForTheOriginal) {
  want({.disk = kSdb, .read_latency_us = 5000});
  pass();
  std::vector<executor::Managed> managed;
  writer.add_managed(managed);
  ASSERT_EQ(managed.size(), 1U);
  EXPECT_EQ(managed[0].original, kOriginal);
}

}  // namespace
}  // namespace evenkeel::test
