// Tests the brake on the real kernel: batch work starts beside a service, the kernel reports that the service
// waits, best effort's quota is cut, and it is restored after the lease, when the agent stops and after kill
// -9.
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <thread>

#include "cgroup/reclaim/pressure_trigger.h"
#include "tests/support/agents/stepped_agent.h"
#include "tests/support/live/agent_args.h"
#include "tests/support/live/burst.h"
#include "tests/support/live/guest_kernel.h"
#include "tests/support/live/live_agent.h"
#include "tests/support/process.h"
#include "tests/support/soon.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {

constexpr const char* kService = "kubepods/burstable/podeeeeeeee-0000-0000-0000-000000000001";
constexpr const char* kBatch = "kubepods/besteffort/podeeeeeeee-0000-0000-0000-000000000002";
constexpr std::chrono::seconds kPatience{60};

class LiveBrake : public testing::Test {
 protected:
  void SetUp() override {
    if (!cgroups_.why_not().empty()) GTEST_SKIP() << cgroups_.why_not();
    if (cgroups_.layout().unified.empty()) GTEST_SKIP() << "no unified hierarchy, so no pressure of a cgroup";
    if (const auto window = reclaim::shortest_window(cgroups_.host(), std::chrono::milliseconds(50)); !window)
      GTEST_SKIP() << "the kernel gives no trigger: " << errno_name(window.error().code);
    cgroups_.make(kService);
    cgroups_.make(kBatch);
    original_ = quota();
    service_ = std::make_unique<Burst>(cgroups_, kService, 3);
    batch_ = std::make_unique<Burst>(cgroups_, kBatch, 6);
    service_->begin();
  }
  void start(const std::string& lease, const std::string& more = "") {
    std::ofstream(dir_.path + "/nodeslo.yaml")
        << "extensions: {evenkeel: {brake: {enable: true, maxDutyPercent: 100, lease: " << lease << more
        << "}}}\n"
        << std::flush;
    agent_ = std::make_unique<LiveAgent>(live_args(cgroups_, dir_, "1s", kPodsByCgroup));
    ASSERT_TRUE(agent_->logged("started", kPatience)) << agent_->log();
  }
  [[nodiscard]] std::string quota() const { return text_of_file(cgroups_.quota_file("kubepods/besteffort")); }
  LiveCgroups cgroups_{};
  StateDir dir_{};
  std::string original_{};
  std::unique_ptr<Burst> service_{}, batch_{};
  std::unique_ptr<LiveAgent> agent_{};
};

/// PSI triggers have windows of 2 s; the run queue is sampled over 25 ms.
TEST_F(LiveBrake, TheRunQueueAlarmsLongBeforePressure) {
  start("500ms");
  std::this_thread::sleep_for(std::chrono::milliseconds(2500));  // two ticks: the BPF program is loaded
  if (const auto log = agent_->log(); log.find("brake-uses-pressure-only") != std::string::npos)
    GTEST_SKIP() << no_programs(log.substr(log.find("brake-uses-pressure-only")));
  EXPECT_EQ(quota(), original_) << "no task waits";
  const auto from = std::chrono::steady_clock::now();
  batch_->begin();
  ASSERT_TRUE(soon([&] { return quota() != original_; }, kPatience)) << agent_->log();
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - from;
  batch_->end();
  ASSERT_TRUE(agent_->logged("braked", kPatience));
  std::printf("from the burst to the write: %.1f ms\n", took.count());
  EXPECT_NE(agent_->log().find("source=run-queue"), std::string::npos) << agent_->log();
  EXPECT_LT(took.count(), 1500) << "below the window of pressure, however busy this machine is";
  EXPECT_TRUE(soon([&] { return quota() == original_; }, kPatience)) << agent_->log();
}

/// A service whose own tasks always wait for each other.
TEST_F(LiveBrake, AServiceThatWaitsForItselfDoesNotBrake) {
  Burst more(cgroups_, kService, 6);
  start("500ms");
  more.begin();
  EXPECT_FALSE(agent_->logged("braked", std::chrono::seconds(5))) << agent_->log();
  EXPECT_EQ(quota(), original_);
}

TEST_F(LiveBrake, BrakesByPressureAloneWhenConfigured) {
  start("500ms", ", runQueue: false");
  batch_->begin();
  ASSERT_TRUE(soon([&] { return quota() != original_; }, kPatience))
      << agent_->log() << text_of_file(cgroups_.unified_file(kService, "cpu.pressure"));
  batch_->end();
  ASSERT_TRUE(agent_->logged("braked", kPatience));
  EXPECT_NE(agent_->log().find("source=pressure"), std::string::npos) << agent_->log();
  EXPECT_EQ(agent_->log().find("source=run-queue"), std::string::npos) << agent_->log();
}

TEST_F(LiveBrake, CutsBestEffortWhenTheServiceWaitsAndReleasesAfterTheLease) {
  start("500ms");
  batch_->begin();
  ASSERT_TRUE(soon([&] { return quota() != original_; }, kPatience)) << agent_->log();
  batch_->end();
  EXPECT_TRUE(soon([&] { return quota() == original_; }, kPatience)) << agent_->log();
  EXPECT_TRUE(agent_->logged("braked", kPatience));
  EXPECT_NE(agent_->log().find("by=brake"), std::string::npos) << agent_->log();
  agent_->stop();
  EXPECT_EQ(agent_->exit_status(), 0) << agent_->log();
  EXPECT_EQ(quota(), original_);
}

TEST_F(LiveBrake, RestoresTheOriginalWhenItStops) {
  start("30s");
  batch_->begin();
  ASSERT_TRUE(soon([&] { return quota() != original_; }, kPatience)) << agent_->log();
  agent_->stop();
  EXPECT_EQ(agent_->exit_status(), 0) << agent_->log();
  EXPECT_EQ(quota(), original_);
}

TEST_F(LiveBrake, AfterKillMinusNineRestoreUndoesIt) {
  start("30s");
  batch_->begin();
  ASSERT_TRUE(soon([&] { return quota() != original_; }, kPatience)) << agent_->log();
  agent_->kill();
  EXPECT_NE(quota(), original_);
  EXPECT_EQ(run_evenkeel({"restore", "--state-dir", dir_.path + "/state"}).exit_status, 0);
  EXPECT_EQ(quota(), original_);
}

}  // namespace
}  // namespace evenkeel::test
