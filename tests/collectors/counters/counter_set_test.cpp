// Which events are counted while another process uses counters, the reason reported for the others, and their
// return.
#include <gtest/gtest.h>

#include "collectors/counters/cpu_counting.h"
#include "collectors/counters/windowed_counting.h"
#include "tests/support/fakes/fake_host.h"

namespace evenkeel::test {
namespace {

using namespace std::chrono_literals;

constexpr const char* kOthers = "no counter is free (too few, or other users of the counters have them)";

class CounterSetTest : public testing::Test {
 protected:
  static counters::CounterEvents all() {
    counters::CounterEvents events;
    for (std::size_t i = 0; i < counters::kCountedKinds; ++i)
      events.push_back({static_cast<counters::CounterKind>(i), 0, i});
    return events;
  }
  void too_many(Duration at) { set_.too_many(set_.now().size(), MonoTime{} + at, host_); }
  bool wants_all(Duration at) { return set_.should_retry_all(MonoTime{} + at); }
  [[nodiscard]] static std::string left_out(const char* names) { return names + std::string(": ") + kOthers; }

  FakeHost fake_{};
  Host host_ = *Host::open(fake_.root());
  counters::CounterSet set_{all()};
};

TEST_F(CounterSetTest, EventsAreDroppedOneByOneAndReported) {
  EXPECT_EQ(set_.why(), "");
  too_many(1s);
  EXPECT_EQ(set_.now().size(), 4U);
  EXPECT_EQ(set_.why(), left_out("stalled-cycles-backend"));
  for (int i = 0; i < 5; ++i) too_many(2s);
  EXPECT_EQ(set_.now().size(), counters::kCountedAlways) << "cycles and instructions are the last to go";
  EXPECT_EQ(set_.why(), left_out("ref-cycles, LLC-LOAD-MISSES, stalled-cycles-backend"));
}

TEST_F(CounterSetTest, AWindowWithMoreEventsThanNowIsIgnored) {
  for (int i = 0; i < 3; ++i) set_.too_many(counters::kCountedKinds, MonoTime{}, host_);
  EXPECT_EQ(set_.now().size(), 4U) << "three windows that were open at the same time";
}

TEST_F(CounterSetTest, AllEventsAreRetriedAfterTenMinutes) {
  too_many(0s);
  too_many(30s);
  EXPECT_FALSE(wants_all(10min));
  EXPECT_TRUE(wants_all(10min + 30s));
  EXPECT_EQ(set_.now().size(), counters::kCountedKinds);
  EXPECT_EQ(set_.now()[4].kind, counters::CounterKind::stalled_cycles);
  EXPECT_NE(set_.why(), "") << "not known yet";
  EXPECT_FALSE(wants_all(30min)) << "once is enough";
  set_.fits(3);
  EXPECT_NE(set_.why(), "") << "a window of before";
  set_.fits(counters::kCountedKinds);
  EXPECT_EQ(set_.why(), "");
  EXPECT_FALSE(wants_all(60min)) << "there is nothing to try";
}

TEST_F(CounterSetTest, AFailedRetryRestoresThePreviousSetSilently) {
  too_many(0s);
  too_many(0s);
  const auto why = set_.why();
  for (int tries = 1; tries < 4; ++tries) {
    ASSERT_TRUE(wants_all(tries * 10min)) << tries;
    too_many(tries * 10min);
    EXPECT_EQ(set_.now().size(), 3U) << "not one after the other again";
    EXPECT_EQ(set_.why(), why);
  }
}

TEST_F(CounterSetTest, TheWatchdogIsNamedOnlyIfItIsOn) {
  fake_.file("proc/sys/kernel/nmi_watchdog", "0\n");
  EXPECT_EQ(counters::counters_in_use_reason(host_), kOthers);
  fake_.file("proc/sys/kernel/nmi_watchdog", "1\n");
  EXPECT_EQ(counters::counters_in_use_reason(host_),
            "no counter is free (the NMI watchdog holds one: kernel.nmi_watchdog)");
  too_many(0s);
  EXPECT_EQ(set_.why(),
            "stalled-cycles-backend: no counter is free (the NMI watchdog holds one: kernel.nmi_watchdog)");
}

/// The machine can count three events together, and no cache misses.
int three_of_them(const counters::CounterEvents& events) {
  if (events.back().kind == counters::CounterKind::cache_misses) return EOPNOTSUPP;
  return events.size() > 3 ? EBUSY : 0;
}

TEST_F(CounterSetTest, AProbeGivesAReasonForEachMissingEvent) {
  fake_.file("proc/sys/kernel/nmi_watchdog", "0\n");
  const auto probe = counters::probe_counters(all(), host_, three_of_them);
  EXPECT_EQ(probe.events.size(), 3U);
  EXPECT_EQ(probe.error,
            "LLC-LOAD-MISSES: EOPNOTSUPP: the machine has no counters (usual in a virtual machine); "
            "stalled-cycles-backend: " +
                std::string(kOthers));
  EXPECT_TRUE(probe.busy);
}

TEST_F(CounterSetTest, AProbeOfAMachineWithoutCountersIsNotBusy) {
  const auto probe =
      counters::probe_counters(all(), host_, [](const counters::CounterEvents&) { return ENOENT; });
  EXPECT_TRUE(probe.events.empty());
  EXPECT_EQ(probe.error.substr(0, 8), "cycles: ");
  EXPECT_FALSE(probe.busy);
  const auto refused =
      counters::probe_counters(all(), host_, [](const counters::CounterEvents&) { return EACCES; });
  EXPECT_NE(refused.error.find("kernel.perf_event_paranoid"), std::string::npos);
}

}  // namespace
}  // namespace evenkeel::test
