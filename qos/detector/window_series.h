// Keeps one number for each of the last time windows, by window number, so that the series of a victim and of
// its suspects are aligned whenever each was measured. Fixed memory. A window without a measurement is
// unknown, not zero.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "qos/model/units.h"

namespace evenkeel::detector {

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

}  // namespace evenkeel::detector
