// The rules for a value that another process writes, too, by themselves: when something was read, what it
// was, and what is then done.
#include "cgroup/executor/contest.h"

#include <gtest/gtest.h>

#include <vector>

namespace evenkeel::test {
namespace {

using executor::Contest;
using executor::ForeignCounts;
using executor::Sighting;
using Step = Contest::Step;
using Value = Sighting::Value;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Sighting kOurs{.value = Value::ours};
constexpr Sighting kOursAgain{.value = Value::ours, .written = true};
constexpr Sighting kBefore{.value = Value::before_us};
constexpr Sighting kBeforeAgain{.value = Value::before_us, .written = true};
constexpr Sighting kOther{.value = Value::other};
constexpr Sighting kIntended{.value = Value::as_intended};
constexpr Sighting kOwner{.value = Value::before_us, .owner_is_back = true};
constexpr Sighting kReset{.value = Value::reset, .owner_is_back = true};
constexpr Sighting kAtRestore{.value = Value::other, .restoring = true};

/// One look. A step `write` is carried out, as every writer does that still wants the value.
struct Look {
  Duration at{};  ///< since the agent's first write
  Sighting seen{};
  Step step{};
  int rounds = 0;  ///< before the step is carried out: what a report says
};

void expect_steps(const std::vector<Look>& looks) {
  const MonoTime start{hours(100)};
  Contest contest;
  ForeignCounts counts;
  contest.written(start);
  for (std::size_t i = 0; i < looks.size(); ++i) {
    const auto& look = looks[i];
    EXPECT_EQ(contest.look(look.seen, start + look.at, counts), look.step) << "look " << i;
    EXPECT_EQ(contest.rounds(), look.rounds) << "look " << i;
    if (look.step == Step::write) contest.written(start + look.at);
  }
}

/// Three foreign values, each written over after its minute, from `at` on; each takes two minutes.
std::vector<Look> three_rounds(Duration at, const Sighting& seen) {
  std::vector<Look> looks;
  for (int round = 0; round < Contest::kMaxRounds; ++round) {
    looks.push_back({at + minutes(2 * round), seen, Step::report, round});
    looks.push_back({at + minutes(2 * round + 1), seen, Step::write, round});
  }
  return looks;
}

std::vector<Look> operator+(std::vector<Look> looks, const std::vector<Look>& more) {
  looks.insert(looks.end(), more.begin(), more.end());
  return looks;
}

TEST(Contest, AForeignValueStandsForAMinute) {
  expect_steps({{seconds(1), kOurs, Step::keep, 0},
                {seconds(2), kOther, Step::report, 0},
                {seconds(3), kOther, Step::wait, 0},
                {seconds(61), kOther, Step::wait, 0},
                {seconds(62), kOther, Step::write, 0},
                {seconds(63), kOurs, Step::keep, 1}});
}

TEST(Contest, AWriteThatFailsIsNoRound) {
  Contest contest;
  ForeignCounts counts;
  const MonoTime start{hours(1)};
  EXPECT_EQ(contest.look(kOther, start, counts), Step::report);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(contest.look(kOther, start + minutes(1 + i), counts), Step::write);
  EXPECT_EQ(contest.rounds(), 0);
  EXPECT_EQ(counts.foreign, 1U) << "one foreign value, found once";
}

TEST(Contest, AResetIsWrittenOverAtOnceAndForEver) {
  std::vector<Look> looks;
  for (int minute = 1; minute <= 3 * 24 * 60; ++minute) {
    looks.push_back({minutes(minute), kReset, Step::put_back, 0});
    looks.push_back({minutes(minute) + seconds(1), kOurs, Step::keep, 0});
  }
  expect_steps(looks);
}

TEST(Contest, AnUnknownProcessThatResetsEverySecondIsAnotherWriter) {
  for (const bool by_systemd : {false, true}) {
    Contest contest;
    ForeignCounts counts;
    Sighting reset = kReset;
    reset.by_systemd = by_systemd;
    reset.owner_is_back = false;
    MonoTime now{hours(1)};
    int put_back = 0;
    for (int second = 0; second < 10 * 60 && !contest.yielded(); ++second, now += seconds(1)) {
      const auto step = contest.look(reset, now, counts);
      put_back += step == Step::put_back ? 1 : 0;
      if (step == Step::put_back || step == Step::write) contest.written(now);
    }
    EXPECT_EQ(contest.yielded(), !by_systemd) << "after three rounds";
    EXPECT_EQ(put_back, by_systemd ? 600 : 4 * Contest::kMostResets);
    EXPECT_EQ(counts.foreign, by_systemd ? 0U : 4U);
  }
}

TEST(Contest, AResetEndsTheMinuteOfAForeignValue) {
  expect_steps({{seconds(1), kOther, Step::report, 0},
                {seconds(2), kReset, Step::put_back, 0},
                {seconds(3), kOurs, Step::keep, 0},
                {seconds(4), kOther, Step::report, 0}});
}

TEST(Contest, AResetIsCountedOnceUntilItIsWrittenOver) {
  Contest contest;
  ForeignCounts counts;
  const MonoTime start{hours(1)};
  for (int i = 0; i < 3; ++i) EXPECT_EQ(contest.look(kReset, start + seconds(i), counts), Step::put_back);
  EXPECT_EQ(counts.resets, 1U) << "the kernel refuses the write";
  contest.written(start + seconds(3));
  EXPECT_EQ(contest.look(kReset, start + seconds(4), counts), Step::put_back);
  EXPECT_EQ(counts.resets, 2U);
  EXPECT_EQ(counts.foreign, 0U);
  EXPECT_EQ(contest.look({.value = Value::reset, .restoring = true}, start + seconds(5), counts),
            Step::release);
}

TEST(Contest, AForeignValueThatGoesAwayByItselfIsNoRound) {
  expect_steps({{seconds(1), kOther, Step::report, 0},
                {seconds(2), kOurs, Step::keep, 0},
                {seconds(90), kOther, Step::report, 0},
                {seconds(91), kOther, Step::wait, 0}});
}

TEST(Contest, TheFourthForeignValueIsYielded) {
  expect_steps(three_rounds(minutes(1), kOther) + std::vector<Look>{{minutes(7), kOther, Step::yield, 3},
                                                                    {minutes(8), kOther, Step::wait, 3},
                                                                    {hours(1000), kOther, Step::wait, 3}});
}

TEST(Contest, TheValueFromBeforeTheAgentIsWrittenAgainAfterAQuietHour) {
  expect_steps(three_rounds(minutes(0), kBefore) +
               std::vector<Look>{{minutes(10), kBefore, Step::yield, 3},
                                 {minutes(69), kBefore, Step::wait, 3},
                                 {minutes(70), kBefore, Step::write, 3},
                                 {minutes(71), kOurs, Step::keep, 4},
                                 {minutes(72), kBefore, Step::yield, 4},
                                 {minutes(72 + 119), kBefore, Step::wait, 4},
                                 {minutes(72 + 120), kBefore, Step::write, 4}});
}

TEST(Contest, EveryTouchBeginsTheQuietHourAnew) {
  expect_steps(three_rounds(minutes(0), kBefore) +
               std::vector<Look>{{minutes(10), kBefore, Step::yield, 3},
                                 {minutes(60), kBeforeAgain, Step::wait, 3},
                                 {minutes(119), kBefore, Step::wait, 3},
                                 {minutes(119), kOther, Step::wait, 3},
                                 {hours(99), kOther, Step::wait, 3},
                                 {hours(99) + minutes(59), kBefore, Step::wait, 3},
                                 {hours(100), kOurs, Step::wait, 3},
                                 {hours(101), kBefore, Step::write, 3}});
}

TEST(Contest, TheWaitDoublesUpToADay) {
  Contest contest;
  ForeignCounts counts;
  MonoTime now{hours(1)};
  for (const int expected : {1, 2, 4, 8, 16, 24, 24}) {
    ASSERT_EQ(contest.look(kOwner, now, counts), Step::yield);
    ASSERT_EQ(contest.look(kBefore, now + hours(expected) - seconds(1), counts), Step::wait) << expected;
    ASSERT_EQ(contest.look(kBefore, now + hours(expected), counts), Step::write) << expected;
    now += hours(expected);
    contest.written(now);
  }
}

TEST(Contest, AnHourWithoutForeignWritesForgetsTheRoundsAndTheLongWaits) {
  expect_steps(three_rounds(minutes(0), kBefore) +
               std::vector<Look>{{minutes(10), kBefore, Step::yield, 3},
                                 {minutes(70), kBefore, Step::write, 3},
                                 {minutes(131), kOursAgain, Step::keep, 4},
                                 {minutes(132), kOurs, Step::keep, 0},
                                 {minutes(133), kOwner, Step::yield, 0},
                                 {minutes(133 + 60), kBefore, Step::write, 0}});
}

TEST(Contest, TheOwnerOfAPodHasItsValueAtOnce) {
  expect_steps({{seconds(1), kOwner, Step::yield, 0},
                {minutes(60), kOwner, Step::wait, 0},
                {minutes(60) + seconds(1), kOwner, Step::write, 0}});
  expect_steps({{seconds(1), kOther, Step::report, 0}, {seconds(2), kOwner, Step::yield, 0}});
}

TEST(Contest, TheIntendedValueIsNotContested) {
  expect_steps({{seconds(1), kIntended, Step::release, 0}});
  expect_steps({{seconds(1), kOther, Step::report, 0}, {seconds(2), kIntended, Step::release, 0}});
}

TEST(Contest, NothingIsRestoredOverAForeignValue) {
  expect_steps({{seconds(1), kAtRestore, Step::yield, 0}});
  expect_steps({{seconds(1), kOther, Step::report, 0}, {minutes(2), kAtRestore, Step::yield, 0}});
}

TEST(Contest, EachForeignValueIsCountedOnce) {
  Contest contest;
  ForeignCounts counts;
  MonoTime now{hours(1)};
  for (int round = 0; round <= Contest::kMaxRounds; ++round) {
    for (int second = 0; second <= 60; ++second) {
      contest.look(kBefore, now, counts);
      now += seconds(1);
    }
    if (!contest.yielded()) contest.written(now);
  }
  EXPECT_EQ(counts.foreign, 4U);
  EXPECT_EQ(counts.yielded, 1U);
}

TEST(Contest, AReportSaysHowOftenTheAgentHasWrittenOverIt) {
  Contest contest;
  ForeignCounts counts;
  const MonoTime now{hours(1)};
  auto step = contest.look(kOther, now, counts);
  auto report = contest.describe(step, {.path = "f", .ours = "1", .theirs = "2"});
  EXPECT_EQ(report.path + report.ours + report.theirs, "f12");
  EXPECT_EQ(report.round, 0);
  EXPECT_FALSE(report.yielded);
  contest.written(now);
  step = contest.look(kAtRestore, now, counts);
  report = contest.describe(step, {});
  EXPECT_EQ(report.round, 1);
  EXPECT_TRUE(report.yielded);
}

}  // namespace
}  // namespace evenkeel::test
