// The evidence about a victim and one suspect, computed from series of aligned time windows.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "qos/detector/normal_model.h"
#include "qos/model/units.h"

namespace evenkeel::detector {

// Keeps one number for each of the last time windows, by window number, so that the series of a victim and of
// its suspects are aligned whenever each was measured. Fixed memory. A window without a measurement is
// unknown, not zero.

/// How many windows are compared: half an hour of cycles per instruction, five minutes of waiting. With 20 a
/// third of what 30 find beside noisy neighbours stays hidden (detection_bench, log-normal).
inline constexpr std::size_t kWindows = 30;

/// Windows are counted from the zero of the agent's time line.
constexpr std::int64_t window_at(MonoTime time, Duration interval) {
  return time.time_since_epoch() / interval;
}

class WindowSeries {
 public:
  WindowSeries() { values_.fill(kUnknown); }

  /// A window before the newest may still be filled while it is among the last kWindows.
  void put(std::int64_t window, double value) {
    if (!any_ || window > newest_) {
      const auto skipped = !any_ ? std::int64_t{kWindows} : window - newest_;
      for (std::int64_t i = 0; i < skipped && i < std::int64_t{kWindows}; ++i)
        values_[slot(window - i)] = kUnknown;
      newest_ = window;
      any_ = true;
    }
    if (newest_ - window < std::int64_t{kWindows}) values_[slot(window)] = static_cast<float>(value);
  }
  /// Values of one window add up.
  void add(std::int64_t window, double value) { put(window, at(window).value_or(0) + value); }
  [[nodiscard]] std::optional<double> at(std::int64_t window) const {
    if (!any_ || window > newest_ || newest_ - window >= std::int64_t{kWindows}) return std::nullopt;
    const float value = values_[slot(window)];
    return std::isnan(value) ? std::nullopt : std::optional<double>(value);
  }
  [[nodiscard]] std::int64_t newest() const { return newest_; }
  [[nodiscard]] bool empty() const { return !any_; }
  void clear() { *this = WindowSeries(); }

 private:
  static constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();
  static std::size_t slot(std::int64_t window) {
    constexpr auto kSize = std::int64_t{kWindows};
    return static_cast<std::size_t>((window % kSize + kSize) % kSize);
  }
  std::array<float, kWindows> values_{};
  std::int64_t newest_ = 0;
  bool any_ = false;
};

// Computes what the last windows of a victim and one suspect say about the two. Pure; nothing is allocated.
//
// CPI² weighs how far the victim was above its threshold with the suspect's activity. A victim that is slow
// for the whole window makes every active suspect guilty there. So these are the questions instead: was the
// victim slower while the suspect did more (contrast, rank correlation), and would an innocent one have
// looked like that as well (a regression, with what neighbouring samples have in common taken out of both)?

/// With fewer windows a regression says nothing.
inline constexpr std::size_t kMinWindows = 8;

struct Evidence {
  std::size_t windows = 0;      ///< in which both were measured
  double rank_correlation = 0;  ///< -1 to 1 (Spearman)
  /// The victim's mean level while the suspect did more than its own median, over that while it did not.
  double contrast = 1;
  /// Times slower, by the regression, with what the suspect does now than with what it does in the quietest
  /// quarter of the windows.
  double effect = 1;
  double t = 0;         ///< the regression's slope over its error; 0: the suspect did the same all the time
  double fit = 0;       ///< log-likelihood that the suspect adds: tells apart suspects that move together
  double chance = 1;    ///< that an innocent one has such a t or more
  double activity = 0;  ///< of now, in the unit of its series
  bool busier = false;  ///< now than in its quiet windows
  /// How often the suspect began to do much, or stopped. 1: the only evidence is a coincidence of two
  /// moments, and a test (qos/detector/limit_effect.h) is worth its cost.
  std::size_t turns = 0;
};

/// `now`: the newest window; the last settings.anomaly_samples of them are "now" in the sense of Evidence.
Evidence weigh(const WindowSeries& victim, const WindowSeries& activity, const NormalModel& model,
               std::int64_t now, const DetectorSettings& settings);

}  // namespace evenkeel::detector
