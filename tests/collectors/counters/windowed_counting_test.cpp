// Turns and windows for either way of counting: when each container is counted, the result of a window, and
// what is reported.
#include "collectors/counters/windowed_counting.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/support/scenes/sampler_node.h"

namespace evenkeel::test {
namespace {

using namespace literals;
using namespace std::chrono_literals;

counters::CounterEvents kinds(std::size_t size) {
  counters::CounterEvents all;
  for (std::size_t i = 0; i < size; ++i) all.push_back({static_cast<counters::CounterKind>(i), 0, i});
  return all;
}

/// Counts the values that the test sets.
class ToldCounting final : public counters::WindowedCounting {
 public:
  explicit ToldCounting(std::size_t size)
      : counters::WindowedCounting(CounterBackend::per_cpu, kinds(size)) {}
  counters::GroupReading counted{.enabled_ns = 100, .running_ns = 100, .counts = {300, 100, 0, 0, 0}};
  std::size_t most = 100;
  int refusal = 0;
  bool lost = false, able = true, all_anew = false;
  std::map<std::size_t, std::string> open{};  ///< by place
  [[nodiscard]] std::size_t counted_events() const { return counters::WindowedCounting::events().size(); }

 private:
  bool prepare(collectors::Tick& /*tick*/, const InterferenceSettings& /*settings*/) override {
    if (all_anew) end_all();
    all_anew = false;
    return able;
  }
  std::size_t max_windows(const collectors::Tick& /*tick*/, const InterferenceSettings& /*settings*/,
                          std::string& why) override {
    if (most == 0) why = "no room";
    return most;
  }
  Result<> begin(std::size_t place, const counters::Countable& who,
                 const collectors::Tick& /*tick*/) override {
    if (refusal != 0) return fail(refusal, Op::other);
    EXPECT_TRUE(open.emplace(place, who.dir).second) << "a place for one";
    return {};
  }
  bool read(std::size_t place, counters::ScaledCounts& into) override {
    EXPECT_TRUE(open.contains(place));
    into.add(counted);
    return !lost;
  }
  void end(std::size_t place) override { EXPECT_EQ(open.erase(place), 1U); }
  [[nodiscard]] std::size_t descriptors() const override { return 2 * open.size(); }
};

class CountingInTurnsTest : public testing::Test {
 protected:
  void SetUp() override {
    sampled_.fake.machine().v2().kubepods();
    for (const char* pod : {"11-22", "33-44"})
      sampled_.fake.pod(KubeQos::burstable, pod, {std::string(64, 'a'), std::string(64, 'b')});
    sampled_.start();
    settings_.counter_window = 2s;
    settings_.counter_period = 6s;
  }
  /// Advances by a second. Returns how many results there are.
  std::size_t tick(ToldCounting& counting, MilliCpu use = 500_mcpu) {
    auto& node = sampled_.node;
    node.at += 1s;
    node.since_previous = 1s;
    node.cpu_counts.clear();
    for (auto& cgroup : node.cgroups) cgroup.cpu_use = use;
    collectors::Tick tick{sampled_.tree().host(), buffer_, node};
    goes_on_ = counting.collect(tick, settings_);
    return node.cpu_counts.size();
  }
  [[nodiscard]] const CounterStatus& status() const { return sampled_.node.counters; }

  SampledNode sampled_{};
  InterferenceSettings settings_{};
  std::array<char, 256> buffer_{};
  bool goes_on_ = true;
};

TEST_F(CountingInTurnsTest, EachContainerHasOneWindowPerPeriod) {
  ToldCounting counting(2);
  counting.follow(sampled_.tree());
  std::map<CgroupId, int> results;
  for (int second = 0; second < 60; ++second) {
    tick(counting);
    for (const auto& counts : sampled_.node.cpu_counts) {
      ++results[counts.cgroup];
      EXPECT_EQ(counts.window, 2s);
      EXPECT_EQ(counts.cpi(), 3);
      EXPECT_EQ(counts.cpu_use, 500_mcpu);
    }
    EXPECT_LE(counting.open.size(), 3U) << "evenly spread";
    EXPECT_EQ(status().descriptors, 2 * counting.open.size());
  }
  EXPECT_EQ(results.size(), 4U);
  for (const auto& [cgroup, count] : results) EXPECT_NEAR(count, 10, 1);
  EXPECT_EQ(status().backend, CounterBackend::per_cpu);
  EXPECT_NEAR(static_cast<double>(status().windows), 40, 4);
  EXPECT_EQ(status().dropped, 0U);
  EXPECT_EQ(status().why, "");
}

TEST_F(CountingInTurnsTest, AnIdleContainerHasNoTurn) {
  ToldCounting counting(2);
  counting.follow(sampled_.tree());
  for (int second = 0; second < 10; ++second) EXPECT_EQ(tick(counting, 0_mcpu), 0U);
  EXPECT_EQ(status().windows, 0U);
}

TEST_F(CountingInTurnsTest, AWindowCountedTooLittleIsDroppedAndEventsAreRemoved) {
  ToldCounting counting(4);
  counting.counted.running_ns = 49;
  counting.follow(sampled_.tree());
  for (int second = 0; second < 30; ++second) EXPECT_EQ(tick(counting), 0U);
  EXPECT_EQ(counting.counted_events(), 2U) << "cycles and instructions are the last to go";
  EXPECT_EQ(status().dropped, status().windows);
  EXPECT_EQ(
      status().why,
      "ref-cycles, LLC-LOAD-MISSES: no counter is free (too few, or other users of the counters have them)");
  counting.counted.running_ns = 50;
  std::size_t results = 0;
  for (int second = 0; second < 12; ++second) results += tick(counting);
  EXPECT_GT(results, 4U);
}

TEST_F(CountingInTurnsTest, DroppedEventsAreRetriedAfterTenMinutes) {
  ToldCounting counting(4);
  counting.counted.running_ns = 49;
  counting.follow(sampled_.tree());
  for (int second = 0; second < 30; ++second) tick(counting);
  const auto why = status().why;
  counting.counted.running_ns = 100;
  for (int second = 0; second < 560; ++second) tick(counting);
  EXPECT_EQ(counting.counted_events(), 2U);
  EXPECT_EQ(status().why, why);
  for (int second = 0; second < 40; ++second) tick(counting);
  EXPECT_EQ(counting.counted_events(), 4U);
  EXPECT_EQ(status().why, "") << "and they fit";
}

TEST_F(CountingInTurnsTest, ALostPartDropsOnlyThatResult) {
  ToldCounting counting(4);
  counting.lost = true;
  counting.follow(sampled_.tree());
  for (int second = 0; second < 12; ++second) EXPECT_EQ(tick(counting), 0U);
  EXPECT_GT(status().dropped, 4U);
  EXPECT_EQ(counting.counted_events(), 4U) << "no other user of the counters";
}

TEST_F(CountingInTurnsTest, AContainerThatDidNotRunDropsNoEvent) {
  ToldCounting counting(2);
  counting.counted = {};
  counting.follow(sampled_.tree());
  for (int second = 0; second < 12; ++second) EXPECT_EQ(tick(counting), 0U);
  EXPECT_GT(status().windows, 4U);
  EXPECT_EQ(status().dropped, 0U);
}

TEST_F(CountingInTurnsTest, WindowsEndWithTheirCgroupOrAllTogether) {
  ToldCounting counting(2);
  settings_.counter_window = settings_.counter_period = 60s;
  counting.follow(sampled_.tree());
  for (int second = 0; second < 60; ++second) tick(counting);
  const auto open = counting.open.size();
  ASSERT_GE(open, 3U);
  sampled_.fake.remove("sys/fs/cgroup/" + sampled_.fake.qos_path(KubeQos::burstable) + "/pod33-44");
  sampled_.rescan();
  counting.follow(sampled_.tree());
  EXPECT_LT(counting.open.size(), open);
  counting.all_anew = true;
  counting.most = 0;
  tick(counting);
  EXPECT_EQ(counting.open.size(), 0U);
  EXPECT_EQ(status().why, "no room");
}

TEST_F(CountingInTurnsTest, ARefusalIsReportedUntilItWorksButNotARemovedCgroup) {
  ToldCounting counting(2);
  counting.refusal = ENOENT;
  counting.follow(sampled_.tree());
  tick(counting);
  EXPECT_EQ(status().why, "");
  counting.refusal = EMFILE;
  for (int second = 0; second < 3; ++second) tick(counting);
  EXPECT_EQ(status().why.substr(0, 8), "EMFILE: ");
  const auto first = status().why;
  for (int second = 0; second < 8; ++second) {
    counting.refusal = second % 2 == 0 ? 0 : EMFILE;
    tick(counting);
    EXPECT_EQ(status().why, first) << "one reason, not one for each container, nor now and then";
  }
  counting.refusal = 0;
  for (int second = 0; second < 12; ++second) tick(counting);
  EXPECT_EQ(status().why, "");
  counting.able = false;
  tick(counting);
  EXPECT_FALSE(goes_on_);
}

}  // namespace
}  // namespace evenkeel::test
