#include "tests/support/scenes/detection_trial.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "qos/detector/suspects.h"
#include "tests/support/scenes/cpi2.h"

namespace evenkeel::test {
namespace {

/// As many as on a real node, all of which share the budget for false alarms.
constexpr std::size_t kVictims = 100;
constexpr Duration kAlarmLasts = std::chrono::minutes(5);

struct Accusation {
  bool anomalous = false;
  std::optional<std::size_t> who{}, with{};
};

class Ours {
 public:
  Ours(Signal signal, const detector::DetectorSettings& settings) : watch_(signal), settings_(settings) {
    for (std::size_t i = 0; i < kSuspects; ++i) {
      suspects_[i] = {.cgroup = {static_cast<std::uint32_t>(i + 1)}, .activity = &activity_[i]};
      if (signal == Signal::run_queue_wait) suspects_[i].blame = &blame_[i];
    }
  }
  Accusation observe(const SceneWindow& window, MonoTime now) {
    if (window.new_image) watch_.relearn();
    const auto at = detector::window_at(now, settings_.interval(watch_.model().signal()));
    watch_.observe(window.value, at, now, accused_, settings_);
    for (std::size_t i = 0; i < kSuspects; ++i) {
      activity_[i].put(at, window.activity[i]);
      blame_[i].put(at, window.blame[i]);
    }
    accused_ = false;
    const detector::Case victim = watch_.open_case(kVictims, settings_);
    if (!victim.anomaly.anomalous) return {};
    detector::judge(victim, suspects_, settings_, verdicts_);
    Accusation out{.anomalous = true};
    accused_ = verdicts_[0].accused();
    if (!accused_) return out;
    out.who = verdicts_[0].suspect.value - 1;
    if (verdicts_[0].finding == detector::Finding::joint) out.with = verdicts_[0].with.value - 1;
    return out;
  }

 private:
  detector::VictimWatch watch_;
  detector::DetectorSettings settings_;
  std::array<detector::WindowSeries, kSuspects> activity_{}, blame_{};
  std::array<detector::Suspect, kSuspects> suspects_{};
  std::array<detector::Verdict, kSuspects> verdicts_{};
  bool accused_ = false;
};

/// Counts one detector's results in one scene.
class Counter {
 public:
  explicit Counter(Tally& tally) : tally_(&tally) {}
  void take(const Accusation& said, const Scene& scene, MonoTime now) {
    const bool hurting = scene.working() && scene.harmful();
    if (said.anomalous && !hurting) ++tally_->anomalous;
    if (scene.working() && !working_) {
      ++tally_->episodes;
      named_ = false;
    }
    working_ = scene.working();
    // Just after it stopped, the last windows still show its effect.
    if (hurting) guilty_until_ = now + std::chrono::minutes(5);
    if (!said.who) return;
    const bool culprit = said.who == kCulprit || said.with == kCulprit;
    if (culprit && working_ && !named_) {
      named_ = true;
      ++tally_->named;
      if (said.with) ++tally_->together;
    }
    if ((culprit && now < guilty_until_) || now < alarm_until_) return;
    alarm_until_ = now + kAlarmLasts;
    ++tally_->false_alarms;
  }

 private:
  Tally* tally_;
  bool working_ = false, named_ = false;
  MonoTime guilty_until_{}, alarm_until_{};
};

void run_trial(Family family, double times, unsigned seed, const detector::DetectorSettings& settings,
               Tallies& out) {
  Scene scene(family, times, seed);
  Cpi2 cpi2(scene.windows_a_day());
  Ours ours(signal_of(family), settings);
  std::array<Counter, kDetectors> counters = {Counter(out[0]), Counter(out[1]), Counter(out[2])};
  MonoTime now{std::chrono::hours(1)};
  for (std::size_t i = 0; i < 2 * scene.windows_a_day(); ++i) {
    now += detector::DetectorSettings{}.interval(traits_of(signal_of(family)));
    const auto window = scene.next();
    cpi2.observe(window);
    const auto said = ours.observe(window, now);
    if (i < scene.windows_a_day()) continue;
    counters[0].take({cpi2.anomalous(), cpi2.antagonist(kCpi2Limit), {}}, scene, now);
    counters[1].take({cpi2.anomalous(), cpi2.antagonist(kCpi2LowLimit), {}}, scene, now);
    counters[2].take(said, scene, now);
  }
  for (auto& each : out) each.days += 1;
}

}  // namespace

Tally& Tally::operator+=(const Tally& other) {
  days += other.days;
  anomalous += other.anomalous;
  false_alarms += other.false_alarms;
  episodes += other.episodes;
  named += other.named;
  together += other.together;
  return *this;
}

Tallies run_trials(Family family, double times, std::span<const unsigned> seeds,
                   const detector::DetectorSettings& settings) {
  Tallies out;
  for (const unsigned seed : seeds) run_trial(family, times, seed, settings, out);
  return out;
}

Interval share_between(std::size_t some, std::size_t of) {
  if (of == 0) return {};
  constexpr double kZ = 1.96;
  const auto n = static_cast<double>(of);
  const double p = static_cast<double>(some) / n, square = kZ * kZ;
  const double middle = (p + square / (2 * n)) / (1 + square / n);
  const double half = kZ / (1 + square / n) * std::sqrt(p * (1 - p) / n + square / (4 * n * n));
  return {std::clamp(middle - half, 0.0, p), std::clamp(middle + half, p, 1.0)};
}

}  // namespace evenkeel::test
