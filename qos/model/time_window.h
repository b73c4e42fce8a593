// Averages over the last seconds, each value weighted with the time that it covers. Any window fits into a
// fixed number of slots, so it costs the same memory whatever is configured. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "qos/model/units.h"

namespace evenkeel {

template <std::size_t kValues>
class TimeWindow {
 public:
  using Values = std::array<std::int64_t, kValues>;

  /// `values` were the averages over the time `covers` up to `at`. What is older than `window` is forgotten.
  void add(MonoTime at, Duration covers, const Values& values, Duration window) {
    forget(at - window);
    const bool fresh = count_ == 0 || at - newest().first >= window / kExact;
    if (fresh) begin_slot(at);
    Slot& slot = newest();
    slot.last = at;
    slot.covers += covers;
    for (std::size_t i = 0; i < kValues; ++i) slot.sums[i] += Wide{values[i]} * covers.count();
  }
  void clear() { count_ = 0; }
  /// How much time the values cover. A window with gaps covers less than its length.
  [[nodiscard]] Duration covered() const {
    Duration all{};
    for (std::size_t i = 0; i < count_; ++i) all += slot(i).covers;
    return all;
  }
  /// When the newest value came.
  [[nodiscard]] std::optional<MonoTime> last() const {
    return count_ == 0 ? std::nullopt : std::optional(slot(count_ - 1).last);
  }
  /// Truncated; absent while nothing is known.
  [[nodiscard]] std::optional<Values> average() const {
    const Duration all = covered();
    if (all <= Duration::zero()) return std::nullopt;
    Values out{};
    for (std::size_t i = 0; i < kValues; ++i) {
      Wide sum = 0;
      for (std::size_t s = 0; s < count_; ++s) sum += slot(s).sums[i];
      out[i] = static_cast<std::int64_t>(sum / all.count());
    }
    return out;
  }

 private:
  __extension__ using Wide = __int128;
  static constexpr std::size_t kSlots = 64;
  /// Windows of up to this many values are exact; values of longer ones share slots, which leave as a whole.
  static constexpr int kExact = 60;
  struct Slot {
    MonoTime first{}, last{};
    Duration covers{};
    std::array<Wide, kValues> sums{};
  };

  [[nodiscard]] const Slot& slot(std::size_t i) const { return slots_[(begin_ + i) % kSlots]; }
  Slot& newest() { return slots_[(begin_ + count_ - 1) % kSlots]; }
  void forget(MonoTime until) {
    while (count_ > 0 && slot(0).last <= until) {
      begin_ = (begin_ + 1) % kSlots;
      --count_;
    }
  }
  void begin_slot(MonoTime at) {
    if (count_ == kSlots) {
      begin_ = (begin_ + 1) % kSlots;
      --count_;
    }
    ++count_;
    newest() = Slot{at, at, {}, {}};
  }

  std::array<Slot, kSlots> slots_{};
  std::size_t begin_ = 0, count_ = 0;
};

}  // namespace evenkeel
