// A monotonic kernel counter. An increase is known only if both readings exist and the second is not smaller:
// a reset, a wrap or a gap gives an absent value, never a huge number.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

namespace evenkeel::collectors {

class Counter {
 public:
  /// The increase since the previous reading. An absent or negative reading discards the previous one, so
  /// every increase spans exactly one tick.
  std::optional<std::int64_t> increase_to(std::optional<std::int64_t> reading) {
    if (reading && *reading < 0) reading.reset();
    const auto before = std::exchange(last_, reading);
    if (!before || !reading || *reading < *before) return std::nullopt;
    return *reading - *before;
  }
  /// The increase from an earlier reading of the same counter to this one.
  [[nodiscard]] std::optional<std::int64_t> increase_from(const Counter& earlier) const {
    if (!earlier.last_ || !last_ || *last_ < *earlier.last_) return std::nullopt;
    return *last_ - *earlier.last_;
  }

 private:
  std::optional<std::int64_t> last_{};
};

}  // namespace evenkeel::collectors
