// Which way of counting the collector chooses on a machine with hardware counters.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>

#include "collectors/sampler.h"
#include "tests/support/live/counting_node.h"
#include "tests/support/live/without_rights.h"

namespace evenkeel::test {
namespace {

using namespace std::chrono_literals;

class LiveCounterChoice : public testing::Test {
 protected:
  void SetUp() override {
    if (!node_.why_not().empty()) GTEST_SKIP() << node_.why_not();
    const auto events = counters::encode_counter_events();
    ASSERT_TRUE(events);
    const auto probe = counters::probe_counters(*events, node_.cgroups().host());
    if (probe.events.empty()) GTEST_SKIP() << probe.error;
    if (const auto why = node_.begin(CounterBackend::per_cpu, probe.events); !why.empty())
      GTEST_SKIP() << why;
    node_.stop();
    // No container gets a turn: a kernel may require the same capability for that.
    for (auto& cgroup : node_.node().cgroups) cgroup.cpu_use = MilliCpu(0);
    begin();
  }
  /// Probes again what can be counted.
  void begin() {
    const auto all = collectors::node_collectors();
    const auto spec = std::ranges::find(all, "counters", &collectors::CollectorSpec::name);
    ASSERT_NE(spec, all.end());
    collector_ = (*spec)->make(node_.cgroups().host());
    collector_->follow(node_.tree());
    tick(CounterChoice::automatic);
  }
  /// One tick, that long after the last.
  const CounterStatus& tick(CounterChoice choice, Duration after = 1s) {
    NodeSlo slo;
    slo.evenkeel.interference.enable = true;
    slo.evenkeel.interference.counter_backend = choice;
    node_.node().slo = std::make_shared<const NodeSlo>(slo);
    node_.node().at += after;
    node_.node().since_previous = after;
    collectors::Tick tick = node_.lent();
    collector_->collect(tick);
    return node_.node().counters;
  }

  CountingNode node_{{"aa"}};
  std::unique_ptr<collectors::Collector> collector_{};
};

TEST_F(LiveCounterChoice, IsPerCpuIfThatWorks) {
  EXPECT_EQ(node_.node().counters.backend, CounterBackend::per_cpu);
  EXPECT_EQ(tick(CounterChoice::rotating).backend, CounterBackend::rotating);
  EXPECT_EQ(tick(CounterChoice::per_cpu).backend, CounterBackend::per_cpu);
}

TEST_F(LiveCounterChoice, IsRotationWithAReasonIfProgramsAreRefused) {
  tick(CounterChoice::rotating);
  {
    const WithoutRights poor{CAP_BPF, CAP_SYS_ADMIN};
    const auto& status = tick(CounterChoice::automatic);
    EXPECT_EQ(status.backend, CounterBackend::rotating);
    EXPECT_TRUE(
        status.why.starts_with("no counters by CPU: EPERM: the kernel wants CAP_BPF and CAP_PERFMON for it"))
        << status.why;
  }
  EXPECT_EQ(tick(CounterChoice::automatic).backend, CounterBackend::rotating)
      << "it is not tried every second";
  const auto& status = tick(CounterChoice::automatic, 11min);
  EXPECT_EQ(status.backend, CounterBackend::per_cpu);
  EXPECT_EQ(status.why.find("no counters by CPU"), std::string::npos);
}

/// Restores the setting at the end.
class NmiWatchdog {
 public:
  NmiWatchdog() { std::getline(std::ifstream(kFile), before_); }
  ~NmiWatchdog() { set(before_); }
  NmiWatchdog(const NmiWatchdog&) = delete;
  NmiWatchdog& operator=(const NmiWatchdog&) = delete;
  static bool set(const std::string& value) {
    std::ofstream(kFile) << value << std::flush;
    std::string now;
    std::getline(std::ifstream(kFile), now);
    return now == value;
  }

 private:
  static constexpr const char* kFile = "/proc/sys/kernel/nmi_watchdog";
  std::string before_{};
};

TEST_F(LiveCounterChoice, AnEventThatFoundNoCounterIsRetried) {
  if (std::getenv("EVENKEEL_IN_VM") == nullptr) GTEST_SKIP() << "the watchdog is switched in a guest only";
  const NmiWatchdog watchdog;
  if (!NmiWatchdog::set("1")) GTEST_SKIP() << "no NMI watchdog on this machine";
  const auto held_back = [&] {
    return node_.node().counters.why.find("the NMI watchdog holds one") != std::string::npos;
  };
  // A late opener may still get a counter when the kernel happens to multiplex.
  for (int i = 0; i < 30 && !held_back(); ++i) begin();
  if (!held_back()) GTEST_SKIP() << "there are counters for the watchdog and for us";
  const auto held = node_.node().counters;
  EXPECT_EQ(held.backend, CounterBackend::per_cpu);
  ASSERT_TRUE(NmiWatchdog::set("0"));
  EXPECT_EQ(tick(CounterChoice::automatic).why, held.why) << "it is not tried every second";
  const auto& status = tick(CounterChoice::automatic, 11min);
  EXPECT_EQ(status.backend, CounterBackend::per_cpu);
  EXPECT_EQ(status.why.find("NMI watchdog"), std::string::npos) << status.why;
  EXPECT_GE(status.descriptors, held.descriptors);
}

TEST_F(LiveCounterChoice, PerCpuAsConfiguredHasNoFallback) {
  tick(CounterChoice::rotating);
  const WithoutRights poor{CAP_BPF, CAP_SYS_ADMIN};
  const auto& status = tick(CounterChoice::per_cpu);
  EXPECT_EQ(status.backend, CounterBackend::none);
  EXPECT_EQ(status.why, "no counters by CPU: EPERM: the kernel wants CAP_BPF and CAP_PERFMON for it");
  tick(CounterChoice::per_cpu);
  EXPECT_EQ(node_.node().counters.why, status.why);
}

}  // namespace
}  // namespace evenkeel::test
