// Counting what a container does, by real perf events: hardware's where the machine has counters, and on any
// x86 the time stamp counter, which the kernel counts per cgroup just like cycles.
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "collectors/counter_group.h"
#include "collectors/cpu_counting.h"
#include "collectors/roster.h"
#include "collectors/sampler.h"
#include "tests/support/alloc_guard.h"
#include "tests/support/live_cgroups.h"
#include "tests/support/live_pod.h"

namespace evenkeel::test {
namespace {

using namespace literals;
using namespace std::chrono_literals;

/// The stand-in: ticks of the time stamp counter for cycles, nanoseconds of CPU time for instructions. Their
/// ratio is the counter's frequency in GHz, as a thread of our own counts it, too.
CounterEvents stand_in() {
  std::uint32_t type = 0;
  std::ifstream("/sys/bus/event_source/devices/msr/type") >> type;
  if (type == 0) return {};
  return {{Counted::cycles, type, 0}, {Counted::instructions, 1 /* software */, 0 /* cpu-clock */}};
}

class LiveCounters : public testing::Test {
 protected:
  void SetUp() override {
    if (!live_.why_not().empty()) GTEST_SKIP() << live_.why_not();
    for (const auto& path : {kBusy, kIdle}) live_.make(path);
    tree_.emplace(live_.host(), live_.layout());
    tree_->scan();
    build_roster(*tree_, nullptr, std::make_shared<const NodeSlo>(), node_);
    busy_ = id_of(kBusy);
    for (int cpu = 0; cpu < static_cast<int>(std::thread::hardware_concurrency()); ++cpu)
      node_.topology.cpus.push_back({.id = static_cast<CpuId>(cpu)});
    settings_.counter_window = settings_.counter_period = 300ms;
  }
  /// One tick of 100 ms.
  void tick(CpuCounting& counting) {
    std::this_thread::sleep_for(100ms);
    const auto now = MonoTime(std::chrono::steady_clock::now().time_since_epoch());
    node_.since_previous = now - node_.at;
    node_.at = now;
    node_.cpu_counts.clear();
    for (auto& cgroup : node_.cgroups) cgroup.cpu_use = cgroup.id == busy_ ? 1000_mcpu : 0_mcpu;
    Tick tick{live_.host(), buffer_, node_};
    counting.collect(tick, settings_);
  }
  [[nodiscard]] CgroupId id_of(const std::string& path) const {
    const auto* found = tree_->find_path(live_.top() + '/' + path);
    return found == nullptr ? CgroupId{} : found->id;
  }
  std::optional<CpuCounts> counted_within(CpuCounting& counting, int ticks) {
    for (int i = 0; i < ticks; ++i) {
      tick(counting);
      if (!node_.cpu_counts.empty()) return node_.cpu_counts.front();
    }
    return std::nullopt;
  }

  const std::string kBusy = "kubepods/burstable/podaa-bb/" + std::string(64, 'b');
  const std::string kIdle = "kubepods/burstable/podaa-bb/" + std::string(64, 'c');
  LiveCgroups live_{};
  std::optional<CgroupTree> tree_{};
  CgroupId busy_{};
  NodeSnapshot node_{};
  InterferenceSettings settings_{};
  std::array<char, 4096> buffer_{};
};

TEST_F(LiveCounters, AStandInIsCountedPerContainer) {
  const auto events = stand_in();
  if (events.empty()) GTEST_SKIP() << "no msr events on this machine";
  const auto own = CounterGroup::open_self(events);
  if (!own) GTEST_SKIP() << "perf events: " << errno_name(own.error().code);
  const LiveProcess spinner(live_, kBusy, Manner::spins);
  const auto counting = make_rotating_counting(events);
  counting->follow(*tree_);
  const auto counts = counted_within(*counting, 20);
  ASSERT_TRUE(counts) << node_.counters.why;
  EXPECT_EQ(counts->cgroup, busy_);
  EXPECT_EQ(counts->counted_share, 1);
  ASSERT_TRUE(counts->cpu_use);
  EXPECT_NEAR(static_cast<double>(counts->cpu_use->count()), 1000, 10);
  const auto until = std::chrono::steady_clock::now() + 50ms;
  while (std::chrono::steady_clock::now() < until) {
  }
  const auto reading = own->read();
  ASSERT_TRUE(reading);
  const double frequency = static_cast<double>(reading->counts[0]) / static_cast<double>(reading->counts[1]);
  EXPECT_GT(frequency, 0.1);
  EXPECT_NEAR(counts->cpi(), frequency, frequency * 0.05);
}

TEST_F(LiveCounters, NothingIsHeldBetweenWindowsOrAfterACgroupIsGone) {
  const auto events = stand_in();
  if (events.empty()) GTEST_SKIP() << "no msr events on this machine";
  const auto counting = make_rotating_counting(events);
  counting->follow(*tree_);
  settings_.counter_period = 10s;
  {
    const LiveProcess spinner(live_, kBusy, Manner::spins);
    tick(*counting);
    ASSERT_EQ(node_.counters.descriptors, 2 * node_.topology.cpus.size()) << node_.counters.why;
  }
  live_.remove(kBusy);
  ASSERT_TRUE(tree_->scan());
  build_roster(*tree_, nullptr, std::make_shared<const NodeSlo>(), node_);
  counting->follow(*tree_);
  tick(*counting);
  EXPECT_EQ(node_.counters.descriptors, 0U);
}

TEST_F(LiveCounters, ASteadyTickAllocatesNothing) {
  const auto events = stand_in();
  if (events.empty()) GTEST_SKIP() << "no msr events on this machine";
  const LiveProcess spinner(live_, kBusy, Manner::spins);
  const auto counting = make_rotating_counting(events);
  counting->follow(*tree_);
  ASSERT_TRUE(counted_within(*counting, 20)) << node_.counters.why;  // room is made
  ASSERT_TRUE(counted_within(*counting, 20));
  const AllocGuard guard;
  for (int i = 0; i < 12; ++i) tick(*counting);
  EXPECT_EQ(guard.allocations(), 0U);
}

// What a machine with counters says of a loop of a handful of instructions, whatever its make.
TEST_F(LiveCounters, CyclesPerInstructionOfALoop) {
  const auto events = encode_counter_events();
  ASSERT_TRUE(events);
  auto probe = probe_counters(*events);
  if (probe.events.empty()) GTEST_SKIP() << probe.why;
  const LiveProcess spinner(live_, kBusy, Manner::spins);
  const auto counting = make_rotating_counting(probe.events);
  counting->follow(*tree_);
  const auto counts = counted_within(*counting, 20);
  ASSERT_TRUE(counts) << node_.counters.why;
  RecordProperty("cpi", std::to_string(counts->cpi()));
  EXPECT_GT(counts->cpi(), 0.1);
  EXPECT_LT(counts->cpi(), 20);
}

// Without counters there is one clear reason, not a number.
TEST_F(LiveCounters, WhatCannotBeCountedIsSaidInWords) {
  const auto events = encode_counter_events();
  ASSERT_TRUE(events);
  ASSERT_EQ(events->size(), kCountedKinds);
  const auto probe = probe_counters(*events);
  if (probe.events.size() == kCountedKinds) GTEST_SKIP() << "this machine counts everything";
  EXPECT_FALSE(probe.why.empty());
}

}  // namespace
}  // namespace evenkeel::test
