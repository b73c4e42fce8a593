// What is restored when the owner changed its value while the agent's was in force (a resize in place).
#include <gtest/gtest.h>

#include "cgroup/executor/executor.h"
#include "tests/support/scenes/executor_node.h"

namespace evenkeel::test {
namespace {

struct Resized : ::testing::TestWithParam<bool>, ExecutorNode {
  Resized() : ExecutorNode(GetParam()) {}
  [[nodiscard]] const char* file() const { return GetParam() ? "cpu.max" : "cpu.cfs_quota_us"; }
  [[nodiscard]] std::string stored(std::int64_t quota) const {
    return std::to_string(quota) + (GetParam() ? " 100000" : "");
  }
  void owner_writes(std::int64_t quota) { ASSERT_EQ(kernel.other(kPod, file(), stored(quota)), 0); }
  executor::Report tick_with(std::int64_t quota, std::optional<std::int64_t> owners) {
    plan.clear();
    want(kPod, Knob::cpu_quota, quota);
    plan.back().owners = owners;
    return tick();
  }
  std::string restored() {
    executor.restore_all(now);
    EXPECT_EQ(journal.size(), 0U);
    return kernel.text(kPod, file());
  }
};

TEST_P(Resized, ANewValueThatEqualsOursIsTheOneToRestore) {
  kernel.at(kPod).quota_us = 200000;
  tick_with(600000, 200000);
  owner_writes(600000);
  tick_with(600000, 200000);
  tick_with(700000, 600000);
  EXPECT_EQ(kernel.text(kPod, file()), stored(700000));
  EXPECT_EQ(restored(), stored(600000));
}

TEST_P(Resized, ANewValueThatWeHaveWrittenOverIsTheOneToRestore) {
  kernel.at(kPod).quota_us = 200000;
  tick_with(400000, 200000);
  owner_writes(400000);
  tick_with(300000, 200000);
  tick_with(300000, 400000);
  ASSERT_EQ(journal.entries().size(), 1U);
  EXPECT_EQ(journal.entries()[0].original, stored(400000)) << "also after a crash";
  EXPECT_EQ(restored(), stored(400000));
}

TEST_P(Resized, APodListThatIsOlderThanTheFileChangesNothing) {
  kernel.at(kPod).quota_us = 800000;
  tick_with(900000, 200000);
  EXPECT_EQ(journal.entries().at(0).original, stored(800000));
  tick_with(900000, 200000);
  EXPECT_EQ(restored(), stored(800000));
}

TEST_P(Resized, WhatIsNotKnownChangesNothing) {
  kernel.at(kPod).quota_us = 200000;
  tick_with(400000, 200000);
  tick_with(400000, std::nullopt);
  tick_with(400000, 200000);
  EXPECT_EQ(restored(), stored(200000));
}

TEST_P(Resized, AForeignValueIsNotReplacedByTheList) {
  kernel.at(kPod).quota_us = 200000;
  tick_with(400000, 200000);
  owner_writes(70000);
  tick_with(400000, 200000);
  tick_with(400000, 300000);
  EXPECT_EQ(restored(), stored(70000)) << "another process's value is in the file";
}

INSTANTIATE_TEST_SUITE_P(Hosts, Resized, ::testing::Bool(),
                         [](const auto& host) { return host.param ? "v2" : "v1"; });

}  // namespace
}  // namespace evenkeel::test
