#include "qos/detector/normal_model.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace evenkeel::detector {
namespace {

/// Of a normal distribution: the median deviation in standard deviations, and the inverse of the density at
/// the median, and at the median deviation in units of it. The last two make a step as wide as the error of
/// the best estimate would be.
constexpr double kMedianDeviation = 0.6745, kMedianStep = 2.5066, kDeviationStep = 2.33;
constexpr double kMostAutocorrelation = 0.98;
/// Beyond this many spreads a sample is not of normal times: its similarity to its neighbour says nothing
/// about those.
constexpr double kUsual = 2.5;
/// After a restart of the model, the known autocorrelation counts like this many pairs.
constexpr double kNeighboursKept = 300;
/// A shift is what most of the last samples agree on.
constexpr Duration kShiftMemory = std::chrono::minutes(15);
constexpr double kMostlyShifted = 0.6;
/// With autocorrelation, several outliers in a row are hardly rarer than one. At a correlation of 0.9 this
/// takes the outliers from 2 to 2.9 spreads and makes three of five as rare as they are without correlation.
constexpr double kNeighbours = 0.5;
/// Lets the spread of samples that are all the same still grow again.
constexpr double kTinySpread = 1e-3;

double median(std::span<float> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2.0;
}

double minutes_of(Duration time) { return std::chrono::duration<double, std::ratio<60>>(time).count(); }

/// -0.5, 0 or 0.5.
double half_sign(double value) { return value > 0 ? 0.5 : value < 0 ? -0.5 : 0; }

}  // namespace

Normal normal_from_mean(double mean, double deviation, double weight, MonoTime now,
                        const SignalTraits& signal) {
  const double level = level_of(mean, signal);
  return {.level = level,
          .spread = level_of(mean + deviation, signal) - level,
          .autocorrelation = 0,
          .weight = weight,
          .as_of = now};
}

double deviation_of(const Normal& normal, const SignalTraits& signal) {
  return value_of(normal.level + normal.spread, signal) - value_of(normal.level, signal);
}

Normal faded(Normal normal, MonoTime now, Duration half_life) {
  const double half_lives = std::max(minutes_of(now - normal.as_of) / minutes_of(half_life), 0.0);
  normal.weight *= std::exp2(-half_lives);
  normal.as_of = std::max(normal.as_of, now);
  return normal;
}

void NormalModel::relearn() {
  known_ = has_previous_ = provisional_ = false;
  kept_ = 0;
  shift_ = 0;
  shifted_since_.reset();
  normal_ = {};
}

bool NormalModel::load(const Normal& normal) {
  const bool finite = std::isfinite(normal.level) && std::isfinite(normal.spread) &&
                      std::isfinite(normal.autocorrelation) && std::isfinite(normal.weight);
  if (!finite || normal.spread < 0 || normal.weight <= 0) return false;
  relearn();
  normal_ = normal;
  normal_.spread = std::max(normal.spread, kTinySpread);
  normal_.autocorrelation = product_ = std::clamp(normal.autocorrelation, 0.0, kMostAutocorrelation);
  square_ = 1;
  pair_weight_ = normal.weight;
  known_ = true;
  return true;
}

bool NormalModel::load_without_autocorrelation(const Normal& normal) {
  if (!load(normal)) return false;
  pair_weight_ = std::min<double>(pair_weight_, kFirst);
  return true;
}

std::optional<Normal> NormalModel::normal() const { return known_ ? std::optional(normal_) : std::nullopt; }

void NormalModel::learn(double value, MonoTime now, const DetectorSettings& settings) {
  if (!std::isfinite(value)) return;
  const double level = level_of(value, *signal_);
  if ((known_ || kept_ > 0) && now <= normal_.as_of) return;
  keep(level);
  if (!known_) {
    normal_.as_of = now;
    if (kept_ >= kFirst) begin(now);
    return;
  }
  if (is_persistently_shifted(level, now, settings) && kept_ >= kFirst) return begin(now);
  if (provisional_ && kept_ >= kFirst && differs_from_loaded(settings)) return begin(now);
  normal_.weight = faded(normal_, now, settings.half_life).weight + 1;
  update_autocorrelation(level, now, settings.interval(*signal_));
  step(level, settings);
  normal_.as_of = now;
}

void NormalModel::keep(double level) { last_[kept_++ % kFirst] = static_cast<float>(level); }

void NormalModel::begin(MonoTime now) {
  auto sorted = last_;
  normal_.level = median(sorted);
  for (float& each : sorted) each = std::abs(each - static_cast<float>(normal_.level));
  normal_.spread = std::max(median(sorted) / kMedianDeviation, kTinySpread);
  normal_.weight = kFirst;
  normal_.as_of = now;
  known_ = true;
  provisional_ = false;
  shift_ = 0;
  shifted_since_.reset();
  initialize_autocorrelation();
}

void NormalModel::initialize_autocorrelation() {
  const auto place = [&](std::size_t i) {
    return (last_[(kept_ + i) % kFirst] - normal_.level) / normal_.spread;
  };
  pair_weight_ = std::min(pair_weight_, kNeighboursKept);
  if (pair_weight_ < kFirst) {
    product_ = square_ = pair_weight_ = 0;
    for (std::size_t i = 1; i < kFirst; ++i) pair(place(i - 1), place(i), kFirst);
    pair_weight_ = std::max<double>(pair_weight_, kFirst);
  }
  previous_ = place(kFirst - 1);
  has_previous_ = true;
  compute_autocorrelation();
}

void NormalModel::update_autocorrelation(double level, MonoTime now, Duration interval) {
  const double place = (level - normal_.level) / normal_.spread;
  if (has_previous_ && now - normal_.as_of <= interval * 3 / 2)
    pair(previous_, place, std::max(normal_.weight, kNeighboursKept));
  previous_ = place;
  has_previous_ = true;
  compute_autocorrelation();
}

void NormalModel::pair(double first, double second, double most) {
  if (std::abs(first) > kUsual || std::abs(second) > kUsual) return;
  pair_weight_ = std::min(pair_weight_ + 1, most);
  product_ += (first * second - product_) / pair_weight_;
  square_ += ((first * first + second * second) / 2 - square_) / pair_weight_;
}

void NormalModel::compute_autocorrelation() {
  // Around its own median, a short series seems less correlated than it is (Kendall's correction).
  const double seen = square_ > 0 ? product_ / square_ : 0;
  normal_.autocorrelation = std::clamp(seen + (1 + 3 * seen) / pair_weight_, 0.0, kMostAutocorrelation);
}

void NormalModel::step(double level, const DetectorSettings& settings) {
  const double distance = level - normal_.level;
  // A spread that is far too narrow would make the median crawl.
  const double scale = std::max(normal_.spread, settings.min_spread);
  normal_.level += scale * kMedianStep * half_sign(distance) / normal_.weight;
  const double wide = half_sign(std::abs(distance) - kMedianDeviation * normal_.spread);
  normal_.spread = std::max(normal_.spread * (1 + kDeviationStep * wide / normal_.weight), kTinySpread);
}

/// Called once, when the first samples are complete.
bool NormalModel::differs_from_loaded(const DetectorSettings& settings) {
  provisional_ = false;
  auto first = last_;
  return std::abs(median(first) - normal_.level) > settings.outlier_spreads * spread(settings);
}

bool NormalModel::is_persistently_shifted(double level, MonoTime now, const DetectorSettings& settings) {
  const double reach = settings.outlier_spreads * spread(settings);
  const double distance = level - normal_.level;
  const double side = distance > reach ? 1 : distance < -reach ? -1 : 0;
  const double part = 1 - std::exp(-minutes_of(now - normal_.as_of) / minutes_of(kShiftMemory));
  shift_ += (side - shift_) * part;
  if (std::abs(shift_) < kMostlyShifted)
    shifted_since_.reset();
  else if (!shifted_since_)
    shifted_since_ = now;
  return shifted_since_ && now - *shifted_since_ >= settings.relearn_after;
}

double NormalModel::independent() const {
  return normal_.weight * (1 - normal_.autocorrelation) / (1 + normal_.autocorrelation);
}

bool NormalModel::trusted(const DetectorSettings& settings) const {
  return known_ && normal_.weight >= settings.min_samples - 0.5 &&
         independent() >= settings.min_independent_samples;
}

double NormalModel::usual() const { return known_ ? value_of(normal_.level, *signal_) : 0; }

double NormalModel::spread(const DetectorSettings& settings) const {
  // The relative error of a median deviation of n samples is 1.2 over the root of n.
  const double uncertain = 1 + 1 / std::sqrt(std::max(independent(), 1.0));
  return std::max(normal_.spread * uncertain, settings.min_spread);
}

double NormalModel::threshold(const DetectorSettings& settings) const {
  const double spreads = settings.outlier_spreads * (1 + kNeighbours * normal_.autocorrelation);
  const double by_spread = value_of(normal_.level + spreads * spread(settings), *signal_);
  const double by_effect = value_of(normal_.level + std::log(settings.min_effect), *signal_);
  return std::max({by_spread, by_effect, usual() + signal_->floor});
}

double NormalModel::times_usual(double value) const {
  return std::exp(level_of(value, *signal_) - normal_.level);
}

}  // namespace evenkeel::detector
