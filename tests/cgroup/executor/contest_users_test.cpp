// Every writer keeps to the same rules when another process writes its value: the same story is played on
// each of them, on a model of its kernel interface.
#include <gtest/gtest.h>

#include "cgroup/executor/contest.h"
#include "cgroup/executor/file_writer.h"
#include "cgroup/iocost/cost_writer.h"
#include "cgroup/sched/sched_feature_writer.h"
#include "tests/support/fakes/fake_host.h"
#include "tests/support/scenes/executor_node.h"
#include "tests/support/scenes/network_sharing.h"
#include "tests/support/scenes/resctrl_node.h"

namespace evenkeel::test {
namespace {

using executor::Contest;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

// Each of these has: `pass`, one round of the writer so much later; `overwrite`, by which another process
// puts back the value from before the agent; `ours`, whether the kernel holds the agent's value.

struct CgroupFile : ExecutorNode {
  CgroupFile() : ExecutorNode(false) { want(kBe, Knob::cpu_quota, std::int64_t{150000}); }
  executor::Report pass(Duration later) {
    now += later - seconds(1);
    return tick();
  }
  void overwrite() { ASSERT_EQ(kernel.other(kBe, "cpu.cfs_quota_us", "-1"), 0); }
  bool ours() { return kernel.text(kBe, "cpu.cfs_quota_us") == "150000"; }
};

struct IoCostLine {
  static constexpr const char* kQos = "sys/fs/cgroup/io.cost.qos";
  struct Node : FakeHost {
    Node() { v2().file(kQos, "").file("sys/fs/cgroup/io.cost.model", ""); }
  };
  IoCostLine() { plan.want({.disk = (8U << 20U) | 16U}, because("the test wants it")); }
  executor::Report pass(Duration later) {
    now += later;
    executor::Report report;
    writer.apply(plan, now, report);
    return report;
  }
  void overwrite() { host.file(kQos, ""); }
  bool ours() { return host.read(kQos).starts_with("8:16 enable=1 ctrl=user"); }

  Node host{};
  Host root = std::move(*Host::open(host.root()));
  tree::CgroupTree tree{root, *tree::detect_layout(root, "")};
  executor::FileWriter files{root};
  executor::Journal journal = executor::Journal::in_memory();
  iocost::IoCostWriter writer{tree, files, journal, false};
  decide::CostPlan plan{};
  MonoTime now{hours(1)};
};

struct SchedFeature {
  static constexpr const char* kFile = "sys/kernel/debug/sched/features";
  struct Node : FakeHost {
    Node() { file(kFile, "A B \n"); }
  };
  executor::Report pass(Duration later) {
    now += later;
    executor::Report report;
    writer.apply({1, &wanted}, now, report);
    return report;
  }
  void overwrite() { host.file(kFile, "A B \n"); }
  bool ours() { return host.read(kFile) == "A NO_B \n"; }

  Node host{};
  std::map<std::string, bool> wanted{{"B", false}};
  Host root = std::move(*Host::open(host.root()));
  executor::Journal journal = executor::Journal::in_memory();
  sched::SchedFeatureWriter writer{root, journal, false};
  MonoTime now{hours(1)};
};

struct NetworkQueue : NetworkSharing {
  void TestBody() override {}
  executor::Report pass(Duration later) {
    return tick(static_cast<int>(std::chrono::duration_cast<seconds>(later).count()));
  }
  void overwrite() {
    port.roots.clear();
    port.classes.clear();
  }
  bool ours() { return port.roots.contains(7) && !port.classes.empty(); }
};

struct ResctrlSchemata {
  ResctrlSchemata() {
    node.plan(kBatch, kLittle, {"a"});
    before = node.kernel.make_dir(kOther) ? node.kernel.schemata("other") : "";
  }
  executor::Report pass(Duration later) {
    return node.tick(static_cast<int>(std::chrono::duration_cast<seconds>(later).count()));
  }
  void overwrite() {
    ASSERT_TRUE(node.kernel.write("sys/fs/resctrl/evenkeel-be/schemata", "MB:0=100;1=100\nL3:0=7ff;1=7ff\n"));
    ASSERT_EQ(node.kernel.schemata(kBatch), before) << "as in a group that was never written to";
  }
  bool ours() { return node.kernel.schemata(kBatch) == kLittleHeld; }

  static constexpr const char* kOther = "sys/fs/resctrl/other";
  ResctrlNode node;
  std::string before{};
};

struct ResctrlDirectory {
  ResctrlDirectory() { node.plan(kBatch, kLittle, {"a"}); }
  executor::Report pass(Duration later) {
    return node.tick(static_cast<int>(std::chrono::duration_cast<seconds>(later).count()));
  }
  void overwrite() { ASSERT_TRUE(node.kernel.remove_dir("sys/fs/resctrl/evenkeel-be")); }
  bool ours() { return node.kernel.has(kBatch); }
  ResctrlNode node;
};

template <class Writer>
struct EveryWriter : testing::Test {
  /// Another process writes, and the writer finds it. Whether it yields.
  bool contest(int round) {
    writer.overwrite();
    const auto report = writer.pass(seconds(10));
    EXPECT_EQ(report.foreign.size(), 1U) << round;
    if (report.foreign.empty()) return false;
    EXPECT_EQ(report.foreign[0].round, round);
    EXPECT_FALSE(writer.ours());
    return report.foreign[0].yielded;
  }
  void three_rounds() {
    writer.pass(seconds(1));
    ASSERT_TRUE(writer.ours());
    for (int round = 0; round < Contest::kMaxRounds; ++round) {
      ASSERT_FALSE(contest(round)) << round;
      ASSERT_TRUE(writer.pass(seconds(50)).foreign.empty()) << "reported once";
      ASSERT_FALSE(writer.ours()) << "left alone for a minute";
      writer.pass(seconds(10));
      ASSERT_TRUE(writer.ours()) << round;
    }
  }
  Writer writer{};
};

using Writers =
    testing::Types<CgroupFile, IoCostLine, SchedFeature, NetworkQueue, ResctrlSchemata, ResctrlDirectory>;
TYPED_TEST_SUITE(EveryWriter, Writers);

TYPED_TEST(EveryWriter, LeavesAForeignValueForAMinuteAndWritesOverItThreeTimes) {
  this->three_rounds();
  EXPECT_TRUE(this->contest(3)) << "the fourth is yielded";
  for (int i = 0; i < 59; ++i) {
    const auto report = this->writer.pass(minutes(1));
    ASSERT_TRUE(report.writes.empty() && report.foreign.empty()) << i;
  }
}

TYPED_TEST(EveryWriter, WritesAYieldedValueAgainAfterAQuietHour) {
  this->three_rounds();
  ASSERT_TRUE(this->contest(3));
  this->writer.pass(minutes(59));
  ASSERT_FALSE(this->writer.ours());
  this->writer.pass(minutes(1));
  ASSERT_TRUE(this->writer.ours());
  ASSERT_TRUE(this->contest(4)) << "nothing is forgotten yet";
  this->writer.pass(minutes(119));
  ASSERT_FALSE(this->writer.ours()) << "and the wait is twice as long";
  this->writer.pass(minutes(1));
  EXPECT_TRUE(this->writer.ours());
}

TYPED_TEST(EveryWriter, ForgetsTheRoundsAfterAnHourWithoutForeignWrites) {
  this->three_rounds();
  for (int i = 0; i < 61; ++i) this->writer.pass(minutes(1));
  EXPECT_FALSE(this->contest(0));
}

}  // namespace
}  // namespace evenkeel::test
