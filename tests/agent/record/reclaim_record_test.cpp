// Reclaim that goes on, or fails again and again, in the audit log: one line, not one for each tick.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "agent/record/recorder.h"
#include "cgroup/base/host.h"
#include "cgroup/tree/tree.h"
#include "tests/support/fakes/fake_host.h"

namespace evenkeel::test {
namespace {

using std::chrono::seconds;

class ReclaimRecordTest : public testing::Test {
 protected:
  ReclaimRecordTest() { tree_.scan(); }
  /// The next second, in which reclaim from best effort is ordered and has ended in this way.
  void second(ReclaimEnd end) {
    now_ += seconds(1);
    const CgroupId target = tree_.find_path(fake_.qos_path(KubeQos::besteffort))->id;
    const Bytes amount(1 << 20);
    record_.record({{.target = target, .cause = ReclaimCause::push_back, .wanted = amount}},
                   {{.target = target, .cause = ReclaimCause::push_back, .requested = amount, .end = end}},
                   now_);
  }
  [[nodiscard]] auto lines(const char* kind) const {
    const std::string member = std::string("\"kind\":\"") + kind + '"';
    return std::ranges::count_if(recorder_.audit().remembered(),
                                 [&](const auto& one) { return one.line.find(member) != std::string::npos; });
  }

 private:
  FakeHost fake_{};
  Host host_ = *Host::open(fake_.machine().v2().kubepods().root());
  tree::CgroupTree tree_{host_, *tree::detect_layout(host_, "")};
  record::PodNames names_{tree_};
  runtime::Log log_{STDERR_FILENO, runtime::LogFormat::text, runtime::LogLevel::error, nullptr};
  record::Recorder recorder_{*record::Audit::open("", nullptr), log_, names_, false};
  record::ReclaimRecord record_{tree_, recorder_};
  MonoTime now_{seconds(100)};
};

TEST_F(ReclaimRecordTest, WhatEndsEachTickForTheSameReasonIsOneLineAMinute) {
  for (int i = 0; i < 60; ++i) second(ReclaimEnd::nothing_left);
  EXPECT_EQ(lines("reclaim"), 1);
  EXPECT_EQ(lines("reclaim-stopped"), 1);
  for (int i = 0; i < 5; ++i) second(ReclaimEnd::nothing_left);
  EXPECT_EQ(lines("reclaim-stopped"), 2);
}

TEST_F(ReclaimRecordTest, AnotherReasonIsALine) {
  second(ReclaimEnd::nothing_left);
  second(ReclaimEnd::done);
  second(ReclaimEnd::nothing_left);
  EXPECT_EQ(lines("reclaim-stopped"), 1);
  second(ReclaimEnd::pressure);
  EXPECT_EQ(lines("reclaim-stopped"), 2);
}

}  // namespace
}  // namespace evenkeel::test
