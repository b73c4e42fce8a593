// Quantities with a dimension: mixing two of them does not compile. A raw integer is a count or a bug. Does
// not know files, text or clocks.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <optional>

namespace evenkeel {

template <class Tag>
class Quantity {
 public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(std::int64_t count) : count_(count) {}
  [[nodiscard]] constexpr std::int64_t count() const { return count_; }
  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity& operator+=(Quantity other) {
    count_ += other.count_;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    count_ -= other.count_;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return a += b; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return a -= b; }
  friend constexpr Quantity operator*(Quantity a, std::int64_t factor) { return Quantity(a.count_ * factor); }

 private:
  std::int64_t count_ = 0;
};

using Bytes = Quantity<struct BytesTag>;
/// Thousandths of one CPU; 1500 is one and a half CPUs.
using MilliCpu = Quantity<struct MilliCpuTag>;
/// Nanoseconds of CPU consumed (not of wall clock).
using CpuTime = Quantity<struct CpuTimeTag>;
/// Microseconds of CPU per bandwidth period: what `cpu.cfs_quota_us` and `cpu.max.burst` count.
using QuotaTime = Quantity<struct QuotaTimeTag>;
/// The smallest CFS quota that the kernel accepts (kernel/sched/core.c, min_cfs_quota_period: 1 ms).
inline constexpr QuotaTime kMinQuota{1000};
/// Hundredths of a whole; may exceed 100 where a field says so.
using Percent = Quantity<struct PercentTag>;

/// Bits per second.
using BitRate = Quantity<struct BitRateTag>;

using Duration = std::chrono::nanoseconds;

/// A point on the agent's own monotonic time line. It has no now(): only agent/runtime/clock.h reads the
/// machine's clock.
struct MonoClock {
  using rep = Duration::rep;
  using period = Duration::period;
  using duration = Duration;
  using time_point = std::chrono::time_point<MonoClock>;
  static constexpr bool is_steady = true;
};
using MonoTime = MonoClock::time_point;

namespace literals {
constexpr MilliCpu operator""_mcpu(unsigned long long v) { return MilliCpu(static_cast<std::int64_t>(v)); }
constexpr Bytes operator""_B(unsigned long long v) { return Bytes(static_cast<std::int64_t>(v)); }
constexpr Bytes operator""_MiB(unsigned long long v) { return Bytes(static_cast<std::int64_t>(v) << 20); }
constexpr QuotaTime operator""_us_cpu(unsigned long long v) {
  return QuotaTime(static_cast<std::int64_t>(v));
}
constexpr Percent operator""_pct(unsigned long long v) { return Percent(static_cast<std::int64_t>(v)); }
}  // namespace literals

/// value * times / by without overflow on the way, truncated towards zero and clamped to what 64 bits hold.
constexpr std::int64_t scaled(std::int64_t value, std::int64_t times, std::int64_t by) {
  __extension__ using Wide = __int128;
  const Wide exact = static_cast<Wide>(value) * times / by;
  if (exact > INT64_MAX) return INT64_MAX;
  return exact < INT64_MIN ? INT64_MIN : static_cast<std::int64_t>(exact);
}

/// The same, rounded up; none of the three may be negative.
constexpr std::int64_t scaled_up(std::int64_t value, std::int64_t times, std::int64_t by) {
  __extension__ using Wide = __int128;
  const Wide exact = (static_cast<Wide>(value) * times + by - 1) / by;
  return exact > INT64_MAX ? INT64_MAX : static_cast<std::int64_t>(exact);
}

/// a + b and a - b, clamped to 64 bits: for sums of external values.
template <class Tag>
constexpr Quantity<Tag> clamped_sum(Quantity<Tag> a, Quantity<Tag> b) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(a.count(), b.count(), &sum)) sum = a.count() < 0 ? INT64_MIN : INT64_MAX;
  return Quantity<Tag>(sum);
}
template <class Tag>
constexpr Quantity<Tag> clamped_difference(Quantity<Tag> a, Quantity<Tag> b) {
  std::int64_t difference = 0;
  if (__builtin_sub_overflow(a.count(), b.count(), &difference))
    difference = a.count() < 0 ? INT64_MIN : INT64_MAX;
  return Quantity<Tag>(difference);
}

/// `percent` of `whole`, truncated towards zero.
template <class Tag>
constexpr Quantity<Tag> percent_of(Quantity<Tag> whole, Percent percent) {
  return Quantity<Tag>(scaled(whole.count(), percent.count(), 100));
}

/// CPU used per wall time, in thousandths; absent when no time has passed or the counter went backwards.
constexpr std::optional<MilliCpu> rate(CpuTime used, Duration wall) {
  if (wall <= Duration::zero() || used.count() < 0) return std::nullopt;
  return MilliCpu(scaled(used.count(), 1000, wall.count()));
}

/// The quota that allows `cpu` on average in every `period`.
constexpr QuotaTime quota_for(MilliCpu cpu, Duration period) {
  const auto period_us = std::chrono::duration_cast<std::chrono::microseconds>(period).count();
  return QuotaTime(scaled(cpu.count(), period_us, 1000));
}

/// The average CPU that `quota` per `period` allows.
constexpr MilliCpu cpu_of(QuotaTime quota, Duration period) {
  const auto period_us = std::chrono::duration_cast<std::chrono::microseconds>(period).count();
  if (period_us <= 0) return MilliCpu{};
  return MilliCpu(scaled(quota.count(), 1000, period_us));
}

}  // namespace evenkeel
