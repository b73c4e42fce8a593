#include "qos/detector/suspect_evidence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>

#include "qos/detector/normal_model.h"

namespace evenkeel::detector {
namespace {

/// Below it, removing what neighbours have in common costs more than it gives.
constexpr double kLeastAutocorrelation = 0.2;

/// Part of the way from its quiet windows to its busiest one above which a suspect counts as active.
constexpr double kBusier = 0.1;

using Values = std::array<double, kWindows>;

/// Windows in which both are known, the oldest first; `gap_before` where the window before is not among them.
struct Pairs {
  Values level{}, activity{};
  std::array<bool, kWindows> gap_before{};
  std::array<bool, kWindows> recent{};
  std::size_t count = 0;
  [[nodiscard]] std::span<const double> levels() const { return {level.data(), count}; }
  [[nodiscard]] std::span<const double> activities() const { return {activity.data(), count}; }
};

Pairs pairs_of(const WindowSeries& victim, const WindowSeries& activity, const SignalTraits& signal,
               std::int64_t now, std::size_t recent) {
  Pairs out;
  bool gap = true;
  for (std::int64_t window = now - std::int64_t{kWindows} + 1; window <= now; ++window) {
    const auto value = victim.at(window), active = activity.at(window);
    if (!value || !active) {
      gap = true;
      continue;
    }
    out.level[out.count] = level_of(*value, signal);
    out.activity[out.count] = *active;
    out.recent[out.count] = now - window < static_cast<std::int64_t>(recent);
    out.gap_before[out.count++] = gap;
    gap = false;
  }
  return out;
}

double mean(std::span<const double> values) {
  return values.empty()
             ? 0
             : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double correlation(std::span<const double> a, std::span<const double> b) {
  const double mean_a = mean(a), mean_b = mean(b);
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
}

/// Equal values share the mean of their ranks.
Values ranks(std::span<const double> values) {
  Values out{};
  for (std::size_t i = 0; i < values.size(); ++i)
    for (const double other : values) out[i] += other < values[i] ? 1 : other == values[i] ? 0.5 : 0;
  return out;
}

double rank_correlation(const Pairs& pairs) {
  const auto a = ranks(pairs.levels()), b = ranks(pairs.activities());
  return correlation({a.data(), pairs.count}, {b.data(), pairs.count});
}

/// A suspect that in most windows does as much as at its busiest has no values above the median: then those
/// at it count.
double contrast(const Pairs& pairs, std::span<const double> sorted) {
  const double middle = sorted[(sorted.size() - 1) / 2];
  const bool at_it = middle >= sorted.back();
  double above = 0, below = 0;
  std::size_t count_above = 0;
  for (std::size_t i = 0; i < pairs.count; ++i) {
    const bool more = at_it ? pairs.activity[i] >= middle : pairs.activity[i] > middle;
    (more ? above : below) += pairs.level[i];
    count_above += more ? 1 : 0;
  }
  if (count_above == pairs.count) return 1;
  return std::exp(above / static_cast<double>(count_above) -
                  below / static_cast<double>(pairs.count - count_above));
}

/// Changes between the lower and the upper half of its activity.
std::size_t turns(const Pairs& pairs, std::span<const double> sorted) {
  const double middle = (sorted.front() + sorted.back()) / 2;
  std::size_t count = 0;
  for (std::size_t i = 1; i < pairs.count; ++i)
    count += (pairs.activity[i] > middle) != (pairs.activity[i - 1] > middle) ? 1 : 0;
  return count;
}

/// The new part of each window: for both series, what the previous window predicted is subtracted.
Pairs innovations(const Pairs& pairs, const Normal& normal) {
  if (normal.autocorrelation < kLeastAutocorrelation) return pairs;
  const double part = normal.autocorrelation;
  Pairs out;
  for (std::size_t i = 1; i < pairs.count; ++i) {
    if (pairs.gap_before[i]) continue;
    out.level[out.count] = pairs.level[i] - part * pairs.level[i - 1];
    out.activity[out.count++] = pairs.activity[i] - part * pairs.activity[i - 1];
  }
  return out;
}

struct Slope {
  double value = 0, t = 0, fit = 0;
  double degrees_of_freedom = 0;
};

/// Of the level on the activity. Its error is the greater one of what the window shows and what the normal
/// model says, so that a few windows that happen to lie close do not make it certain.
Slope slope_of(Pairs pairs, double spread) {
  Slope out;
  const double middle = mean(pairs.levels()), active = mean(pairs.activities());
  double cross = 0, square = 0, all = 0;
  for (std::size_t i = 0; i < pairs.count; ++i) {
    const double x = pairs.activity[i] - active, y = pairs.level[i] - middle;
    cross += x * y;
    square += x * x;
    all += y * y;
  }
  const auto count = static_cast<double>(pairs.count);
  constexpr double kConstant = 1e-12;
  if (!(square > kConstant * (1 + active * active) * count)) return out;
  out.degrees_of_freedom = count - 2;
  out.value = cross / square;
  const double left = std::max(all - out.value * cross, 0.0);
  const double variance = std::max(left / out.degrees_of_freedom, spread * spread);
  out.t = out.value * std::sqrt(square / variance);
  const double known = spread * spread * out.degrees_of_freedom;
  out.fit = count / 2 * std::log((all + known) / (left + known));
  return out;
}

}  // namespace

Evidence weigh(const WindowSeries& victim, const WindowSeries& activity, const NormalModel& model,
               std::int64_t now, const DetectorSettings& settings) {
  Evidence out;
  const auto normal = model.normal();
  const Pairs pairs = pairs_of(victim, activity, model.signal(), now, settings.anomaly_samples);
  out.windows = pairs.count;
  if (!normal || pairs.count < kMinWindows) return out;
  Values room = pairs.activity;
  const std::span<double> sorted(room.data(), pairs.count);
  std::sort(sorted.begin(), sorted.end());
  out.contrast = contrast(pairs, sorted);
  out.turns = turns(pairs, sorted);
  out.rank_correlation = rank_correlation(pairs);
  const double quiet = mean(sorted.first(pairs.count / 4));
  double recent = 0;
  std::size_t recently = 0;
  for (std::size_t i = 0; i < pairs.count; ++i) {
    if (!pairs.recent[i]) continue;
    recent += pairs.activity[i];
    ++recently;
  }
  if (recently == 0) return out;
  out.activity = recent / static_cast<double>(recently);
  out.busier = out.activity > quiet + kBusier * (sorted.back() - quiet);

  Pairs fresh = innovations(pairs, *normal);
  if (fresh.count < kMinWindows) return out;
  const bool dependent = normal->autocorrelation >= kLeastAutocorrelation;
  const double part = dependent ? normal->autocorrelation : 0;
  const double spread = model.spread(settings) * std::sqrt(1 - part * part);
  const Slope slope = slope_of(fresh, spread);
  out.t = slope.t;
  out.fit = slope.fit;
  out.effect = std::exp(slope.value * (out.activity - quiet));
  if (slope.degrees_of_freedom > 0) out.chance = student_tail(slope.t, slope.degrees_of_freedom);
  return out;
}

}  // namespace evenkeel::detector
