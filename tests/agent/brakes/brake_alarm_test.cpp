// An alarm's way through the agent: what it reads at that moment, the write, the end of the lease, the
// figures.
#include <gtest/gtest.h>

#include <fstream>
#include <memory>

#include "agent/agent.h"
#include "agent/api/metrics.h"
#include "tests/support/fakes/fake_host.h"
#include "tests/support/metrics_page.h"

namespace evenkeel::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

MonoTime at(Duration since) { return MonoTime{} + since; }

/// Four CPUs, cgroup v2, a service and a batch pod; two ticks old, best effort has done nothing yet.
class BrakeAlarm : public testing::Test {
 protected:
  void SetUp() override {
    host_.machine({.cpus = 4}).v2().kubepods();
    service_ = host_.pod(KubeQos::burstable, "11-22", {"c1"});
    batch_ = host_.pod(KubeQos::besteffort, "33-44", {"c2"});
    slo_ = host_.root() + "/nodeslo.yaml";
    std::ofstream(slo_) << "extensions: {evenkeel: {brake: {enable: true}}}\n" << std::flush;
    ran(best_effort(), 0);
    stat(service_ + "/c1", 0, 0);
    stat(service_, 0, 0);
  }
  void start(bool dry_run = false) {
    AgentOptions options{.host_root = host_.root(), .state_dir = host_.root() + "/state", .dry_run = dry_run};
    options.inputs.nodeslo = slo_;
    auto created = Agent::create(options, log_, clock_, nullptr);
    ASSERT_TRUE(created.agent) << created.error;
    agent_ = std::move(created.agent);
    agent_->tick(at(seconds(1)));
    agent_->tick(at(seconds(2)));
  }
  [[nodiscard]] std::string best_effort() const { return host_.qos_path(KubeQos::besteffort); }
  void stat(const std::string& cgroup, int usage_ms, int throttled_ms) {
    host_.write(Controller::cpu, cgroup, "cpu.stat",
                "usage_usec " + std::to_string(usage_ms * 1000) +
                    "\nuser_usec 0\nsystem_usec 0\nnr_periods 10\nnr_throttled 1\nthrottled_usec " +
                    std::to_string(throttled_ms * 1000) + '\n');
  }
  /// A container of the service whose tasks are in a subgroup, which has a quota.
  void crun_container(const std::string& quota_of_container) {
    scope_ = service_ + "/crio-c3.scope";
    subgroup_ = scope_ + "/container";
    for (const auto& cgroup : {scope_, subgroup_}) {
      host_.cgroup(cgroup);
      stat(cgroup, 0, 0);
    }
    host_.write(Controller::cpu, scope_, "cpu.max", quota_of_container);
    host_.write(Controller::cpu, subgroup_, "cpu.max", "50000 100000\n");
  }
  void ran(const std::string& cgroup, int usage_ms) { stat(cgroup, usage_ms, 0); }
  const tick::TickResult& alarm(Duration since, Contended what = Contended::cpu) {
    return agent_->alarm({.what = what,
                          .victim = agent_->view().tree().find_path(service_)->id,
                          .at = at(since),
                          .waited = milliseconds(10)});
  }
  [[nodiscard]] std::string quota() const { return host_.read(Controller::cpu, best_effort(), "cpu.max"); }
  [[nodiscard]] std::string metric(const std::string& name) const {
    return metric_text(api::metrics_text(agent_->view()), name).value_or("<missing>");
  }
  FakeHost host_{};
  std::string service_{}, batch_{}, slo_{}, scope_{}, subgroup_{};
  runtime::SteppedClock clock_{};
  runtime::Log log_{2, runtime::LogFormat::text, runtime::LogLevel::error, nullptr};
  std::unique_ptr<Agent> agent_{};
};

TEST_F(BrakeAlarm, IsAWriteAtOnceAndItsEndAnother) {
  start();
  const auto original = quota();
  EXPECT_EQ(agent_->due(), std::nullopt);
  ran(best_effort(), 80);
  const auto& result = alarm(milliseconds(2200));
  ASSERT_EQ(result.report.writes.size(), 1U);
  EXPECT_EQ(quota(), "40000 100000\n");
  EXPECT_EQ(decide::policy_name(result.report.writes[0].by), "brake");
  EXPECT_EQ(agent_->due(), at(milliseconds(4200)));
  agent_->tick(at(seconds(3)));
  EXPECT_EQ(quota(), "40000 100000\n");
  agent_->react(at(milliseconds(4200)));
  EXPECT_EQ(quota(), original);
  EXPECT_EQ(metric("evenkeel_brakes_total{resource=\"cpu\"}"), "1");
  EXPECT_EQ(metric("evenkeel_braked_seconds_total{resource=\"cpu\"}"), "2");
  EXPECT_EQ(metric("evenkeel_alarms_total{resource=\"cpu\",source=\"pressure\"}"), "1");
  EXPECT_EQ(metric("evenkeel_brake_reaction_seconds_count"), "1");
  EXPECT_EQ(metric("evenkeel_brake_on{resource=\"cpu\"}"), "0");
}

TEST_F(BrakeAlarm, CostsNoDecisionWhereBestEffortIsNotTheCause) {
  start();
  agent_->react(at(milliseconds(2100)));  // what the set-up has written is old news now
  const auto before = agent_->view().tick.counters().early_ticks;
  alarm(milliseconds(2200));
  EXPECT_EQ(agent_->view().tick.counters().early_ticks, before);
  EXPECT_EQ(agent_->due(), std::nullopt);
  EXPECT_EQ(metric("evenkeel_alarms_total{resource=\"cpu\",source=\"pressure\"}"), "1");
  EXPECT_EQ(metric("evenkeel_brakes_total{resource=\"cpu\"}"), "0");
}

TEST_F(BrakeAlarm, CountsWhatBestEffortDidRightBeforeTheLastTick) {
  start();
  ran(best_effort(), 80);
  agent_->tick(at(seconds(3)));
  alarm(milliseconds(3001));
  EXPECT_EQ(quota(), "40000 100000\n");
}

TEST_F(BrakeAlarm, IsTheServicesOwnQuotasDoing) {
  host_.write(Controller::cpu, service_ + "/c1", "cpu.max", "50000 100000\n");
  start();
  const auto original = quota();
  ran(best_effort(), 80);
  stat(service_ + "/c1", 100, 60);
  alarm(milliseconds(2200));
  EXPECT_EQ(quota(), original);
  // Of the 80 ms that it has stalled since, 60 are its quota's.
  host_.file(host_.dir_of(Controller::cpu, service_) + "/cpu.pressure",
             "some avg10=0.00 avg60=0.00 avg300=0.00 total=80000\n");
  alarm(milliseconds(2300));
  EXPECT_EQ(quota(), "40000 100000\n");
}

TEST_F(BrakeAlarm, IsTheDoingOfAQuotaInASubgroup) {
  crun_container("max 100000\n");
  start();
  const auto original = quota();
  ran(best_effort(), 80);
  stat(subgroup_, 100, 60);
  alarm(milliseconds(2200));
  EXPECT_EQ(quota(), original);
}

TEST_F(BrakeAlarm, CountsTheSameQuotaOfAContainerAndItsSubgroupOnce) {
  crun_container("50000 100000\n");
  start();
  ran(best_effort(), 80);
  stat(scope_, 100, 50);
  stat(subgroup_, 100, 60);
  host_.file(host_.dir_of(Controller::cpu, service_) + "/cpu.pressure",
             "some avg10=0.00 avg60=0.00 avg300=0.00 total=80000\n");
  alarm(milliseconds(2200));
  EXPECT_EQ(quota(), "40000 100000\n") << "60 of the 80 ms are its quota's, not 110";
}

TEST_F(BrakeAlarm, OfTheRunQueueNeedsNothingElse) {
  start();
  const auto& result = agent_->alarm({.source = AlarmSource::run_queue,
                                      .victim = agent_->view().tree().find_path(service_)->id,
                                      .at = at(milliseconds(2200)),
                                      .waited = milliseconds(10),
                                      .raised = at(milliseconds(2199))});
  ASSERT_EQ(result.report.writes.size(), 1U) << "best effort has not run, by what a tick saw";
  EXPECT_EQ(quota(), "40000 100000\n");
  EXPECT_EQ(metric("evenkeel_alarms_total{resource=\"cpu\",source=\"run-queue\"}"), "1");
  EXPECT_EQ(metric("evenkeel_alarms_total{resource=\"cpu\",source=\"pressure\"}"), "0");
  EXPECT_EQ(metric("evenkeel_run_queue_alarms{why=\"\"}"), "0") << "no kernel, no task waits";
}

TEST_F(BrakeAlarm, OfADryRunIsOnlyTold) {
  start(true);
  const auto original = quota();
  ran(best_effort(), 80);
  const auto& result = alarm(milliseconds(2200));
  ASSERT_EQ(result.report.writes.size(), 1U);
  EXPECT_EQ(result.report.writes[0].new_text, "40000 100000");
  EXPECT_EQ(quota(), original);
}

TEST_F(BrakeAlarm, StopsTheGrowthOfBestEffortsMemoryWhenAServiceWaitsForThat) {
  host_.file("proc/meminfo", "MemTotal: 16777216 kB\nMemFree: 1048576 kB\nMemAvailable: 8388608 kB\n");
  host_.write(Controller::memory, best_effort(), "memory.current", "1073741824\n");
  host_.write(Controller::memory, best_effort(), "memory.stat",
              "anon 0\nactive_anon 0\ninactive_anon 0\nactive_file 0\ninactive_file 0\nunevictable 0\n");
  start();
  const auto original = host_.read(Controller::memory, best_effort(), "memory.high");
  host_.write(Controller::memory, best_effort(), "memory.current", "2147483648\n");
  alarm(milliseconds(2200), Contended::memory);
  // 2 % above the 2 GiB of this moment, not of the tick before.
  EXPECT_EQ(host_.read(Controller::memory, best_effort(), "memory.high"), "2190475264\n");
  agent_->react(at(milliseconds(4200)));
  EXPECT_EQ(host_.read(Controller::memory, best_effort(), "memory.high"), original);
  EXPECT_EQ(metric("evenkeel_brakes_total{resource=\"memory\"}"), "1");
}

TEST_F(BrakeAlarm, ThatComesBeforeTheFirstTickIsForgotten) {
  AgentOptions options{.host_root = host_.root(), .state_dir = host_.root() + "/state"};
  options.inputs.nodeslo = slo_;
  agent_ = Agent::create(options, log_, clock_, nullptr).agent;
  agent_->alarm({.what = Contended::cpu, .at = at(milliseconds(1))});
  agent_->tick(at(seconds(1)));
  EXPECT_EQ(agent_->due(), std::nullopt);
  EXPECT_TRUE(agent_->view().node().alarms.empty());
}

}  // namespace
}  // namespace evenkeel::test
