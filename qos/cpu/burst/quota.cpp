#include <algorithm>
#include <cmath>

#include "qos/cpu/burst/parts.h"

namespace evenkeel::burst {
namespace {

using std::chrono::duration_cast;
using std::chrono::microseconds;
using std::chrono::seconds;

constexpr std::int64_t kMostQuota = std::int64_t{1}
                                    << 44;  // the kernel's own, a little above max_cfs_runtime
constexpr std::int64_t kMaxTokens = std::int64_t{1} << 60;
constexpr std::int64_t kIdleBelowPercent = 60;  // earns tokens below, spends them from 100 on

std::int64_t token_capacity(std::int64_t period_seconds, Percent percent) {
  const auto micros = duration_cast<microseconds>(seconds(1)).count();
  const auto per_second = scaled(percent.count() - 100, micros, 1);
  return std::min(scaled(period_seconds, per_second, 1), kMaxTokens);
}

std::int64_t tokens_earned(std::int64_t use_percent, Duration elapsed) {
  const auto micros = duration_cast<microseconds>(elapsed).count();
  const bool neutral = use_percent >= kIdleBelowPercent && use_percent < 100;
  return neutral ? 0 : std::clamp(scaled(100 - use_percent, micros, 1), -kMaxTokens, kMaxTokens);
}

/// Sixty-four steps of a fifth take any quota beyond any ceiling or base.
QuotaTime stepped(QuotaTime quota, std::int64_t tenths, Duration elapsed) {
  for (int step = 0; step < 64 && elapsed >= seconds(1); ++step, elapsed -= seconds(1))
    quota = QuotaTime(scaled(quota.count(), tenths, 10));
  if (elapsed <= Duration::zero() || elapsed >= seconds(1)) return quota;
  const double part = std::chrono::duration<double>(elapsed).count();
  const double factor = std::pow(static_cast<double>(tenths) / 10, part);
  return QuotaTime(static_cast<std::int64_t>(static_cast<double>(quota.count()) * factor));
}

}  // namespace

QuotaTime base_quota(MilliCpu limit, Duration period) {
  return std::max(quota_for(limit, period), kMinQuota);
}

QuotaTime static_burst(MilliCpu limit, Percent percent, Duration period) {
  const auto period_us = duration_cast<microseconds>(period).count();
  return QuotaTime(scaled(limit.count(), scaled(percent.count(), period_us, 1), 100'000));
}

QuotaTime burst_ceiling(QuotaTime base, Percent percent) {
  return percent > Percent(100) ? percent_of(base, percent) : base;
}

BurstOperation container_operation(bool tokens_left, std::optional<std::int64_t> throttled_periods) {
  if (!tokens_left) return BurstOperation::down;
  return throttled_periods.value_or(0) > 0 ? BurstOperation::up : BurstOperation::remain;
}

BurstOperation node_operation(BurstOperation wanted, ShareState node) {
  if (node == ShareState::overload) return BurstOperation::down;
  if (wanted == BurstOperation::up && node != ShareState::idle) return BurstOperation::remain;
  return wanted;
}

QuotaTime quota_target(std::optional<QuotaTime> current, BurstOperation operation, Duration elapsed,
                       QuotaTime base, QuotaTime ceiling) {
  if (!current) return base;
  QuotaTime target = std::min(*current, QuotaTime(kMostQuota));
  if (operation == BurstOperation::up) target = stepped(target, 12, elapsed);
  if (operation == BurstOperation::down) target = stepped(target, 8, elapsed);
  return std::max(base, std::min(target, ceiling));
}

bool is_owners(std::optional<QuotaTime> found, QuotaTime base, QuotaTime most_of_ours) {
  return !found || *found < base || *found > std::max(base, most_of_ours);
}

bool update_bucket(std::optional<TokenBucket>& bucket, std::int64_t period_seconds, Percent burst_percent,
                   std::int64_t use_percent, MonoTime now) {
  if (period_seconds < 0) {
    bucket.reset();
    return true;
  }
  if (burst_percent < Percent(100)) return false;
  const std::int64_t capacity = token_capacity(period_seconds, burst_percent);
  if (!bucket || bucket->capacity != capacity) bucket = TokenBucket{capacity / 4, capacity, now};
  const std::int64_t earned = tokens_earned(use_percent, now - bucket->updated);
  bucket->tokens = std::clamp(bucket->tokens + earned, -capacity, capacity);
  bucket->updated = now;
  return bucket->tokens > 0;
}

}  // namespace evenkeel::burst
