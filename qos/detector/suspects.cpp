#include "qos/detector/suspects.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "qos/detector/normal_model.h"

namespace evenkeel::detector {
namespace {

/// How long the victim waits for one suspect.
struct Blame {
  double now = 0;    ///< seconds per second
  double share = 0;  ///< of all its waiting
  double more = 0;   ///< of its additional waiting compared with normal times; of all, if no time was normal
};

Blame blame_of(const Case& victim, const WindowSeries& blame, const DetectorSettings& settings) {
  const double threshold = victim.model->threshold(settings);
  double now = 0, waits = 0, windows = 0, before = 0, waited = 0, well = 0;
  for (std::int64_t back = 0; back < std::int64_t{kWindows}; ++back) {
    const auto value = victim.series->at(victim.window - back);
    if (!value) continue;
    const double blamed = blame.at(victim.window - back).value_or(0);
    if (back < static_cast<std::int64_t>(settings.anomaly_samples)) {
      if (*value <= threshold) continue;
      now += blamed;
      waits += *value;
      ++windows;
    } else if (*value <= threshold) {
      before += blamed;
      waited += *value;
      ++well;
    }
  }
  if (windows == 0 || waits <= 0) return {};
  Blame out{.now = now / windows, .share = now / waits, .more = now / waits};
  if (well > 0) {
    // The threshold lies between the two.
    const double all = waits / windows - waited / well;
    out.more = std::clamp((out.now - before / well) / all, 0.0, 1.0);
  }
  return out;
}

/// A suspect that keeps it waiting as usual is not why it waits more, however large its part of the waiting.
Finding by_blame(const Verdict& verdict, const Blame& blame, const Case& victim,
                 const DetectorSettings& settings) {
  if (blame.more < settings.min_blame)
    return blame.share < settings.min_blame ? Finding::low_blame : Finding::unchanged_blame;
  return verdict.chance > allowed_p_value(victim, settings) ? Finding::by_chance : Finding::named;
}

Finding by_correlation(const Verdict& verdict, const Case& victim, double suspects,
                       const DetectorSettings& settings) {
  const Evidence& evidence = verdict.evidence;
  if (!(evidence.t != 0)) return Finding::no_contrast;
  if (evidence.t < 0 || evidence.contrast <= 1 || evidence.rank_correlation <= 0) return Finding::disagree;
  if (evidence.effect < settings.min_effect) return Finding::too_weak;
  if (evidence.chance * suspects > settings.max_p_value) return Finding::by_chance;
  return verdict.chance > allowed_p_value(victim, settings) ? Finding::by_chance : Finding::named;
}

Verdict verdict_on(const Case& victim, const Suspect& suspect, std::size_t suspects,
                   const DetectorSettings& settings) {
  Verdict out{.suspect = suspect.cgroup};
  if (suspect.activity == nullptr) return out;
  out.evidence = weigh(*victim.series, *suspect.activity, *victim.model, victim.window, settings);
  const auto count = static_cast<double>(suspects);
  out.chance = combined_p_value(victim.anomaly.chance, out.evidence.chance) * count;
  std::optional<Blame> blame;
  if (suspect.blame != nullptr) {
    blame = blame_of(victim, *suspect.blame, settings);
    out.blame = blame->now;
    out.blame_share = blame->more;
    out.chance = std::min(out.chance, victim.anomaly.chance);
  }
  const bool measured = blame.has_value() || out.evidence.windows >= kMinWindows;
  if (suspect.cleared)
    out.finding = Finding::cleared;
  else if (!measured || !victim.anomaly.anomalous)
    out.finding = Finding::unknown;
  else if (blame)
    out.finding = by_blame(out, *blame, victim, settings);
  else if (!out.evidence.busier && out.evidence.t != 0)
    out.finding = Finding::idle;
  else
    out.finding = by_correlation(out, victim, count, settings);
  return out;
}

enum class Closer : std::uint8_t { first, second, neither };

Closer by_ratio(double first, double second, double times) {
  if (first >= times * second) return Closer::first;
  return second >= times * first ? Closer::second : Closer::neither;
}

/// Which of two accused is the likelier cause. If waiting was measured, the one with more of it; else the one
/// that the victim's signal follows more closely; else the more active one.
Closer closer(const Verdict& a, const Verdict& b, const DetectorSettings& settings) {
  auto by = Closer::neither;
  if (a.blame && b.blame) by = by_ratio(*a.blame, *b.blame, settings.separating_effect_ratio);
  if (by != Closer::neither) return by;
  const double likelier = std::log(settings.separating_likelihood_ratio);
  if (a.evidence.fit - b.evidence.fit >= likelier) return Closer::first;
  if (b.evidence.fit - a.evidence.fit >= likelier) return Closer::second;
  return by_ratio(a.evidence.activity, b.evidence.activity, settings.separating_effect_ratio);
}

/// The most certain of the accused stays; each other one is told apart from it or shares the accusation.
void tell_apart(std::span<Verdict> accused, const DetectorSettings& settings) {
  for (std::size_t i = 1; i < accused.size(); ++i)
    if (closer(accused[i], accused[0], settings) == Closer::first) std::swap(accused[i], accused[0]);
  for (Verdict& other : accused.subspan(1)) {
    const bool apart = closer(accused[0], other, settings) == Closer::first;
    other.finding = apart ? Finding::explained : Finding::joint;
    other.with = accused[0].suspect;
    if (apart) continue;
    accused[0].finding = Finding::joint;
    if (!accused[0].with) accused[0].with = other.suspect;
  }
}

bool before(const Verdict& a, const Verdict& b) {
  if (a.accused() != b.accused()) return a.accused();
  if (a.blame.value_or(0) != b.blame.value_or(0)) return a.blame.value_or(0) > b.blame.value_or(0);
  if (a.evidence.fit * a.evidence.t != b.evidence.fit * b.evidence.t)
    return a.evidence.fit * a.evidence.t > b.evidence.fit * b.evidence.t;
  return a.suspect < b.suspect;
}

}  // namespace

const char* finding_name(Finding finding) {
  static constexpr std::array<const char*, kFindings> kNames = {
      "named",        "joint",     "explained",   "cleared",  "unknown",  "idle",
      "little-blame", "old-blame", "no-contrast", "disagree", "too-weak", "by-chance"};
  return kNames[static_cast<std::size_t>(finding)];
}

double allowed_p_value(const Case& victim, const DetectorSettings& settings) {
  // Looks that overlap count as one look.
  const double look = std::chrono::duration<double>(settings.interval(victim.model->signal())).count() *
                      static_cast<double>(settings.anomaly_samples);
  constexpr double kDay = 86'400;
  return settings.max_false_alarms_per_day * look / kDay /
         static_cast<double>(std::max<std::size_t>(victim.victims, 1));
}

std::size_t judge(const Case& victim, std::span<const Suspect> suspects, const DetectorSettings& settings,
                  std::span<Verdict> out) {
  const auto count = std::min(suspects.size(), out.size());
  for (std::size_t i = 0; i < count; ++i) out[i] = verdict_on(victim, suspects[i], suspects.size(), settings);
  const auto verdicts = out.first(count);
  std::sort(verdicts.begin(), verdicts.end(), before);
  const auto accused =
      std::find_if_not(verdicts.begin(), verdicts.end(), [](const Verdict& each) { return each.accused(); });
  if (accused != verdicts.begin())
    tell_apart(verdicts.first(static_cast<std::size_t>(accused - verdicts.begin())), settings);
  return count;
}

}  // namespace evenkeel::detector
