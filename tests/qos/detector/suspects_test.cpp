// Who is accused and who is not, and the reason that is given for each.
#include "qos/detector/suspects.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>
#include <vector>

#include "tests/support/alloc_guard.h"

namespace evenkeel {
namespace {

constexpr detector::DetectorSettings kSettings{};
constexpr std::int64_t kFirst = 100'000;

/// A victim that was well for a day, then twenty more windows in which it is well and ten in which it is not;
/// suspects with the activity and the blame that a test gives them for these thirty.
class Trial {
 public:
  explicit Trial(Signal signal = Signal::cpi, double usual = 1.5) : watch_(signal), usual_(usual) {
    for (int i = 0; i < 1440; ++i) observe(1);
  }
  /// `times` usual in the last ten windows, or in all thirty.
  void suffer(double times, bool all_the_time = false) {
    for (int i = 0; i < 30; ++i) observe(all_the_time || i >= 20 ? times : 1);
  }
  void suspect(double before, double now, std::optional<double> blame_before = {}, double blame_now = 0) {
    Series& series = series_.emplace_back();
    for (std::int64_t i = 0; i < 30; ++i) {
      const double noise = std::exp(0.1 * gauss_(random_));
      series.activity.put(window_ - 29 + i, (i < 20 ? before : now) * noise);
      if (blame_before) series.blame.put(window_ - 29 + i, i < 20 ? *blame_before : blame_now);
    }
    series.blamed = blame_before.has_value();
  }
  /// The same activity as the suspect before it, exactly or nearly so.
  void twin(double times, double noise = 0) {
    const Series copy = series_.back();
    Series& series = series_.emplace_back();
    for (std::int64_t i = window_ - 29; i <= window_; ++i)
      series.activity.put(i, *copy.activity.at(i) * times * std::exp(noise * gauss_(random_)));
  }
  void clear_last() { series_.back().cleared = true; }
  std::vector<detector::Verdict> judged(const detector::DetectorSettings& settings = kSettings) {
    std::vector<detector::Suspect> suspects;
    for (const auto& each : series_)
      suspects.push_back({.cgroup = {static_cast<std::uint32_t>(suspects.size() + 1)},
                          .activity = &each.activity,
                          .blame = each.blamed ? &each.blame : nullptr,
                          .cleared = each.cleared});
    std::vector<detector::Verdict> out(suspects.size());
    EXPECT_EQ(detector::judge(watch_.open_case(20, settings), suspects, settings, out), suspects.size());
    return out;
  }

 private:
  struct Series {
    detector::WindowSeries activity{}, blame{};
    bool blamed = false, cleared = false;
  };
  void observe(double times) {
    ++window_;
    const MonoTime now{kSettings.interval(watch_.model().signal()) * window_};
    watch_.observe(usual_ * times * std::exp(0.1 * gauss_(random_)), window_, now, false, kSettings);
  }
  detector::VictimWatch watch_;
  double usual_;
  std::mt19937 random_{1};
  std::normal_distribution<> gauss_{};
  std::int64_t window_ = kFirst;
  std::vector<Series> series_{};
};

detector::Finding finding_of(const std::vector<detector::Verdict>& verdicts, std::uint32_t suspect) {
  for (const auto& each : verdicts)
    if (each.suspect.value == suspect) return each.finding;
  ADD_FAILURE() << suspect;
  return detector::Finding::unknown;
}

TEST(Suspects, WhoBeganWhenItBeganIsNamed) {
  Trial trial;
  trial.suffer(1.5);
  trial.suspect(1, 1);
  trial.suspect(0.02, 3);
  const auto verdicts = trial.judged();
  EXPECT_EQ(verdicts[0].suspect.value, 2U);
  EXPECT_EQ(verdicts[0].finding, detector::Finding::named);
  EXPECT_TRUE(verdicts[0].accused());
  EXPECT_NEAR(verdicts[0].evidence.effect, 1.5, 0.15);
  EXPECT_GT(verdicts[0].confidence(), 0.9999);
  EXPECT_FALSE(verdicts[1].accused());
}

TEST(Suspects, AHealthyVictimAccusesNoPod) {
  Trial trial;
  trial.suffer(1);
  trial.suspect(0.02, 3);
  EXPECT_EQ(trial.judged()[0].finding, detector::Finding::unknown);
}

TEST(Suspects, TheReasonsForNotAccusing) {
  Trial trial;
  trial.suffer(1.5);
  trial.suspect(0.02, 3);  // 1: guilty
  trial.suspect(3, 0.02);  // 2: stopped when it began
  trial.suspect(0, 0);     // 3: does nothing at all
  trial.suspect(0.02, 3);  // 4: was cleared
  trial.clear_last();
  const auto verdicts = trial.judged();
  EXPECT_EQ(finding_of(verdicts, 1), detector::Finding::named);
  EXPECT_EQ(finding_of(verdicts, 2), detector::Finding::idle);
  EXPECT_EQ(finding_of(verdicts, 3), detector::Finding::no_contrast);
  EXPECT_EQ(finding_of(verdicts, 4), detector::Finding::cleared);
}

TEST(Suspects, SlowForTheWholeWindowAccusesNoPod) {
  Trial trial;
  trial.suffer(2, true);
  for (int i = 0; i < 8; ++i) trial.suspect(2, 2);
  for (const auto& each : trial.judged())
    EXPECT_FALSE(each.accused()) << detector::finding_name(each.finding);
}

TEST(Suspects, TwoThatMoveAsOneAreAccusedTogether) {
  Trial trial;
  trial.suffer(1.6);
  trial.suspect(0.02, 2);
  trial.twin(1, 0.01);
  const auto verdicts = trial.judged();
  for (const auto& each : verdicts) {
    EXPECT_EQ(each.finding, detector::Finding::joint);
    EXPECT_NE(each.with, each.suspect);
    EXPECT_TRUE(each.with);
  }
}

TEST(Suspects, OfTwoThatMoveAsOneTheLargerIsNamed) {
  Trial trial;
  trial.suffer(1.6);
  trial.suspect(0.02, 1);
  trial.twin(3);
  const auto verdicts = trial.judged();
  EXPECT_EQ(verdicts[0].suspect.value, 2U);
  EXPECT_EQ(verdicts[0].finding, detector::Finding::named);
  EXPECT_EQ(verdicts[1].finding, detector::Finding::explained);
  EXPECT_EQ(verdicts[1].with.value, 2U);
}

// --- blame -------------------------------------------------------------------------------------------------

TEST(Suspects, BlameIsTheFirstEvidence) {
  Trial trial(Signal::run_queue_wait, 0.05);
  trial.suffer(4);
  trial.suspect(2, 2, 0.01, 0.14);     // 1: the same load as ever; the victim waits for it now
  trial.suspect(0.02, 3, 0.01, 0.02);  // 2: began just then; the victim does not wait for it
  const auto verdicts = trial.judged();
  EXPECT_EQ(verdicts[0].suspect.value, 1U);
  EXPECT_EQ(verdicts[0].finding, detector::Finding::named);
  EXPECT_NEAR(*verdicts[0].blame, 0.14, 1e-6);
  EXPECT_NEAR(*verdicts[0].blame_share, 0.13 / 0.15, 0.06);
  EXPECT_EQ(finding_of(verdicts, 2), detector::Finding::low_blame);
}

TEST(Suspects, BlameNeedsNoContrast) {
  Trial trial(Signal::run_queue_wait, 0.05);
  trial.suffer(4, true);
  trial.suspect(2, 2, 0.14, 0.14);
  const auto verdicts = trial.judged();
  EXPECT_EQ(verdicts[0].finding, detector::Finding::named);
  EXPECT_NEAR(*verdicts[0].blame_share, 0.7, 0.06) << "of all: the victim never was well";
}

TEST(Suspects, BlameThatWasAlwaysThereIsNoReason) {
  Trial trial(Signal::run_queue_wait, 0.05);
  trial.suffer(2);
  trial.suspect(2, 2, 0.04, 0.05);
  EXPECT_EQ(trial.judged()[0].finding, detector::Finding::unchanged_blame);
}

// A task outside the pods appeared; the neighbour is met more often, for the service is late with everything.
TEST(Suspects, AThirdOfAllWaitingIsNotAThirdOfWhatIsNew) {
  Trial trial(Signal::run_queue_wait, 0.2);
  trial.suffer(4.5);
  trial.suspect(0.5, 0.5, 0.19, 0.33);
  EXPECT_EQ(trial.judged()[0].finding, detector::Finding::unchanged_blame);
}

TEST(Suspects, WhoIsNewIsNamedBesideANeighbourWhoAlwaysHasMore) {
  Trial trial(Signal::run_queue_wait, 0.5);
  trial.suffer(1.4);
  trial.suspect(0.5, 0.5, 0.45, 0.45);
  trial.suspect(0, 1, 0, 0.19);
  const auto verdicts = trial.judged();
  EXPECT_EQ(finding_of(verdicts, 1), detector::Finding::unchanged_blame);
  EXPECT_EQ(finding_of(verdicts, 2), detector::Finding::named);
}

TEST(Suspects, TheVictimsOwnWaitingAccusesNoPod) {
  Trial trial(Signal::run_queue_wait, 0.05);
  trial.suffer(6);
  trial.suspect(0.02, 3, 0.001, 0.02);
  EXPECT_EQ(trial.judged()[0].finding, detector::Finding::low_blame);
}

TEST(Suspects, OfTwoBothBlamedTheOneWithMoreIsNamed) {
  Trial trial(Signal::run_queue_wait, 0.05);
  trial.suffer(6);
  trial.suspect(0.02, 1, 0.001, 0.09);
  trial.suspect(0.02, 3, 0.001, 0.20);
  const auto verdicts = trial.judged();
  EXPECT_EQ(verdicts[0].suspect.value, 2U);
  EXPECT_EQ(verdicts[0].finding, detector::Finding::named);
  EXPECT_EQ(verdicts[1].finding, detector::Finding::explained);
}

// --- chances -----------------------------------------------------------------------------------------------

TEST(Suspects, TheMoreAreWatchedTheSurerItHasToBe) {
  const detector::VictimWatch watch;
  // A tenth a day, five minutes a look: 288 looks a day.
  EXPECT_NEAR(detector::allowed_p_value(watch.open_case(1, kSettings), kSettings), 0.1 / 288, 1e-9);
  EXPECT_NEAR(detector::allowed_p_value(watch.open_case(100, kSettings), kSettings), 0.1 / 28'800, 1e-12);
}

TEST(Suspects, ASuspectAmongManyIsHarderToAccuse) {
  const auto chance_among = [](int others) {
    Trial trial;
    trial.suffer(1.3);
    trial.suspect(0.02, 3);
    for (int i = 0; i < others; ++i) trial.suspect(0, 0);
    return trial.judged()[0].chance;
  };
  EXPECT_NEAR(chance_among(9) / chance_among(0), 10, 1e-6);
}

TEST(Suspects, EveryFindingHasAName) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < detector::kFindings; ++i)
    names.insert(detector::finding_name(static_cast<detector::Finding>(i)));
  EXPECT_EQ(names.size(), detector::kFindings);
}

TEST(Suspects, WithoutRoomThereAreFewerVerdicts) {
  const detector::VictimWatch watch;
  const std::array<detector::Suspect, 3> suspects{};
  std::array<detector::Verdict, 2> out{};
  EXPECT_EQ(detector::judge(watch.open_case(1, kSettings), suspects, kSettings, out), 2U);
  EXPECT_EQ(detector::judge(watch.open_case(1, kSettings), {}, kSettings, out), 0U);
}

TEST(VictimWatch, WindowsThatLedToAnAccusationAreNotLearned) {
  detector::VictimWatch watch;
  std::int64_t minute = 6000;
  const auto observe = [&](double value, bool accused) {
    ++minute;
    watch.observe(value, minute, MonoTime(std::chrono::minutes(minute)), accused, kSettings);
  };
  for (int i = 0; i < 200; ++i) observe(1, false);
  const auto before = watch.model().normal();
  for (int i = 0; i < 200; ++i) observe(2, true);
  EXPECT_EQ(watch.model().normal(), before);
  EXPECT_TRUE(watch.anomaly(kSettings).anomalous);
  watch.relearn();
  EXPECT_FALSE(watch.anomaly(kSettings).known);
  EXPECT_TRUE(watch.series().empty());
}

TEST(VictimWatch, AMinuteCostsNoMemory) {
  detector::VictimWatch watch;
  std::array<detector::WindowSeries, 4> activity{};
  std::array<detector::Suspect, 4> suspects{};
  for (std::size_t i = 0; i < 4; ++i) suspects[i] = {.cgroup = {1}, .activity = &activity[i]};
  std::array<detector::Verdict, 4> out{};
  MonoTime now{std::chrono::hours(100)};
  const test::AllocGuard guard;
  bool accused = false;
  for (int i = 0; i < 300; ++i) {
    now += std::chrono::minutes(1);
    const auto window = detector::window_at(now, std::chrono::minutes(1));
    watch.observe(i < 280 ? 1 : 2, window, now, accused, kSettings);
    for (auto& each : activity) each.put(window, i < 280 ? 0 : i % 3);
    detector::judge(watch.open_case(1, kSettings), suspects, kSettings, out);
    accused = out[0].accused();
  }
  EXPECT_TRUE(accused);
  EXPECT_EQ(guard.allocations(), 0U);
}

}  // namespace
}  // namespace evenkeel
