#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "qos/proof/proof.h"

namespace evenkeel::proof {
namespace {

/// Smaller differences are not worth a verdict: a tenth, and what no service notices, in seconds per span or
/// of the target.
constexpr double kWorthNaming = 1.1;
double unnoticed(Feeling feeling) {
  if (feeling == Feeling::reported) return 0.01;
  return feeling == Feeling::run_queue_wait ? 10e-6 : 1e-3;
}

/// What a logarithm varies by at least, although trials may show less: waits are counted in buckets from one
/// power of two to the next, in both terms of the ratio.
double least_variance(std::optional<Feeling> feeling) {
  constexpr double kBucket = std::numbers::ln2;
  return feeling == Feeling::run_queue_wait ? 2 * kBucket * kBucket / 12 : 0;
}

void begin_run(Evidence& one) {
  one.harms = one.helps = {};
  one.trials_of_run = 0;
  ++one.run;
}

void decide_verdict(double error_rate, Evidence& one) {
  if (one.harms.wealth() >= one.decisive(error_rate)) one.verdict = Verdict::harms;
  if (one.helps.wealth() >= one.decisive(error_rate)) {
    one.verdict = Verdict::helps;
    // Conditions change: should it harm later, the trials in which it helped do not speak against that.
    return begin_run(one);
  }
  if (one.trials_of_run < kTrialsPerRun) return;
  if (one.verdict == Verdict::unknown) one.verdict = Verdict::no_difference;
  begin_run(one);
}

/// Trials that were cut short have no sum of their last span, and of zeros there is no ratio.
void add_effect(std::span<const double> others, double drawn, Evidence& one) {
  const auto has_logarithm = [](double each) { return each > 0 && std::isfinite(each); };
  if (!has_logarithm(drawn) || !std::ranges::all_of(others, has_logarithm)) return;
  double logs = 0;
  for (const double each : others) logs += std::log(each);
  const double log_ratio = logs / static_cast<double>(others.size()) - std::log(drawn);
  one.log_sum += log_ratio;
  one.log_squares += log_ratio * log_ratio;
  ++one.logs;
}

}  // namespace

bool conclude(const Trial& trial, Evidence& one) {
  const auto spans = static_cast<std::size_t>(trial.spans), index = static_cast<std::size_t>(trial.withheld);
  std::array<double, kMostSpans> felt = trial.felt;
  const double drawn = trial.felt[index];
  std::swap(felt[index], felt[spans - 1]);
  const std::span<const double> others(felt.data(), spans - 1);

  one.feeling = trial.feeling;
  ++one.trials;
  ++one.trials_of_run;
  add_effect(others, drawn, one);
  const double floor = unnoticed(trial.feeling);
  const auto larger = [&](double value) { return value * kWorthNaming + floor; };
  const auto [least, most] = std::ranges::minmax(std::span(trial.felt.data(), spans));
  if (most > larger(least)) {  // else all are alike, whatever was withheld
    // The bets are on the drawn span: that it is the best, and that it is the worst.
    one.harms.add(std::ranges::count_if(others, [&](double each) { return each <= larger(drawn); }),
                  trial.spans);
    one.helps.add(std::ranges::count_if(others, [&](double each) { return larger(each) >= drawn; }),
                  trial.spans);
  }
  const Verdict before = one.verdict;
  decide_verdict(trial.error_rate, one);
  return one.verdict != before;
}

// The draw is independent of what is felt. Whether a trial is cut short, and where, depends on what is felt
// only, and the same in each span. So if the lever does nothing, its span has each place among the spans that
// are kept equally often, if it is one of them: the stated error rate holds. To drop the trials that trouble
// ends would keep the error rate, too, but not be fair to a lever that does something: just those trials
// would be missing in which services suffered most without it (or with it).
bool cut_short(Trial& trial) {
  // What is noticed that early was left behind by the span before.
  const bool left_behind = trial.span > 0 && trial.tick < trial.ticks / 5;
  const std::int64_t worst = trial.span - (left_behind ? 1 : 0);
  if (worst == 0 || trial.withheld > worst) return false;
  trial.felt[static_cast<std::size_t>(worst)] = std::numeric_limits<double>::infinity();
  trial.spans = worst + 1;
  return true;
}

double Evidence::decisive(double error_rate) const {
  constexpr double kSumOfInverseSquares = std::numbers::pi * std::numbers::pi / 6;
  const auto runs = static_cast<double>(run);
  return kSumOfInverseSquares * runs * runs / error_rate;
}

Verdict verdict(const ProofState& state, std::size_t lever) {
  const Verdict felt = state.evidence[lever].verdict, reported = state.reported[lever].verdict;
  for (const Verdict found : {Verdict::harms, Verdict::helps, Verdict::no_difference})
    if (felt == found || reported == found) return found;
  return Verdict::unknown;
}

const Evidence& deciding(const ProofState& state, std::size_t lever) {
  const Evidence& felt = state.evidence[lever];
  return felt.verdict == verdict(state, lever) ? felt : state.reported[lever];
}

// The trials may be looked at, and stopped, at any moment, so a plain interval would miss the ratio more
// often than it says. This is the confidence sequence of the t-test with a normal mixture over the effect, in
// standard deviations (Lai 1976; Wang & Ramdas, "Anytime-valid t-tests and confidence sequences for Gaussian
// means with unknown variance"): all mu for which
//
//   sqrt(c2 / (n + c2)) * ((n + c2) (v + d2) / ((n + c2) v + c2 d2))^(n/2) < 1 / alpha, d2 = (mean - mu)^2
//
// v is the mean square of the deviations. It is exact if the logarithms are independent and normal.
std::optional<Evidence::Effect> Evidence::effect() const {
  constexpr double kMisses = 0.05;
  constexpr double kPrecision = 0.1;  ///< c2: effects of about three standard deviations are expected
  if (logs < 2) return std::nullopt;
  const auto n = static_cast<double>(logs);
  const double mean = log_sum / n;
  const double variance = std::max(least_variance(feeling), log_squares / n - mean * mean);
  const double gain = std::pow((n + kPrecision) / (kPrecision * kMisses * kMisses), 1 / n) - 1;
  const double bounded = n - kPrecision * gain;
  if (bounded <= 0) return std::nullopt;
  const double half = std::sqrt(gain * (n + kPrecision) / bounded * variance);
  return Effect{std::exp(mean), std::exp(mean - half), std::exp(mean + half)};
}

std::string_view name(Verdict verdict) {
  constexpr std::array<std::string_view, 4> kNames = {"unknown", "helps", "no difference", "harms"};
  return kNames[static_cast<std::size_t>(verdict)];
}

}  // namespace evenkeel::proof
