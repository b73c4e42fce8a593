#include "qos/detector/limit_effect.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "qos/detector/random.h"

namespace evenkeel::detector {

namespace {

/// Samples that are late by this many intervals will not come.
constexpr int kPatience = 2;

}  // namespace

void ReliefWatch::begin(double before, MonoTime now) {
  before_ = before;
  begun_ = now;
  count_ = 0;
}

void ReliefWatch::add(double value, MonoTime now) {
  if (now > begun_ && count_ < kMaxSamples) after_[count_++] = value;
}

ReliefOutcomeResult ReliefWatch::judge(const NormalModel& model, MonoTime now,
                                       const DetectorSettings& settings) const {
  ReliefOutcomeResult out;
  out.times_before = model.times_usual(before_);
  const auto wanted = std::clamp<std::size_t>(settings.relief_samples, 1, kMaxSamples);
  if (count_ < wanted) {
    const auto most = settings.interval(model.signal()) * (static_cast<std::int64_t>(wanted) + kPatience);
    out.outcome = now - begun_ > most ? ReliefOutcome::unknown : ReliefOutcome::waiting;
    return out;
  }
  double level = 0;
  for (std::size_t i = 0; i < wanted; ++i) level += std::log(model.times_usual(after_[i]));
  level /= static_cast<double>(wanted);
  out.times_after = std::exp(level);
  const double excess = std::log(out.times_before);
  if (!model.normal() || excess <= 0) {
    out.outcome = ReliefOutcome::unknown;
    return out;
  }
  out.relief = 1 - level / excess;
  const bool well = out.times_after <= model.times_usual(model.threshold(settings));
  out.outcome =
      well || out.relief >= settings.min_relief ? ReliefOutcome::relieved : ReliefOutcome::not_relieved;
  return out;
}

void ClearedSuspects::clear(CgroupId victim, CgroupId suspect, MonoTime until) {
  const auto same = [&](const Entry& each) { return each.victim == victim && each.suspect == suspect; };
  auto* entry = std::find_if(entries_.begin(), entries_.end(), same);
  if (entry == entries_.end())
    entry = std::min_element(entries_.begin(), entries_.end(),
                             [](const Entry& a, const Entry& b) { return a.until < b.until; });
  *entry = {victim, suspect, until};
}

bool ClearedSuspects::cleared(CgroupId victim, CgroupId suspect, MonoTime now) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& each) {
    return each.victim == victim && each.suspect == suspect && now < each.until;
  });
}

namespace {

constexpr int kLongestRun = 3;
/// Sums in another order differ in the last bits: smaller differences count as equal.
constexpr double kRounding = 1e-9;

bool legal(std::uint32_t plan, std::size_t slots) {
  if (std::popcount(plan) * 2 != static_cast<int>(slots)) return false;
  int run = 0;
  for (std::size_t i = 0; i < slots; ++i) {
    const bool same = i > 0 && (plan >> i & 1U) == (plan >> (i - 1) & 1U);
    run = same ? run + 1 : 1;
    if (run > kLongestRun) return false;
  }
  return true;
}

std::size_t legal_slots(std::size_t slots) { return std::clamp(slots, kMinSlots, kMaxSlots) / 2 * 2; }

struct Slots {
  std::array<double, kMaxSlots> level{};
  std::uint32_t known = 0;
  std::size_t count = 0;
};

/// Mean level with the suspect left alone less that with it limited; absent if either has no slot.
std::optional<double> difference(const Slots& slots, std::uint32_t plan) {
  const auto limited = std::popcount(plan & slots.known);
  const auto free = std::popcount(slots.known) - limited;
  if (limited == 0 || free == 0) return std::nullopt;
  double with = 0, without = 0;
  for (std::size_t i = 0; i < slots.count; ++i) {
    if ((slots.known >> i & 1U) == 0) continue;
    ((plan >> i & 1U) != 0 ? with : without) += slots.level[i];
  }
  return without / free - with / limited;
}

}  // namespace

std::size_t trial_plan_count(std::size_t slots) {
  slots = legal_slots(slots);
  std::size_t count = 0;
  for (std::uint32_t plan = 0; plan < 1U << slots; ++plan) count += legal(plan, slots) ? 1 : 0;
  return count;
}

TrialPlan draw_trial_plan(std::uint64_t seed, std::size_t slots) {
  slots = legal_slots(slots);
  auto left = next_random(seed) % trial_plan_count(slots);
  std::uint32_t plan = 0;
  while (!legal(plan, slots) || left-- > 0) ++plan;
  return {plan, slots};
}

TestResult conclude(const TrialPlan& plan, std::span<const std::optional<double>> means,
                    const SignalTraits& signal, const DetectorSettings& settings) {
  TestResult out;
  Slots slots{.count = std::min({plan.slots, means.size(), kMaxSlots})};
  for (std::size_t i = 0; i < slots.count; ++i) {
    if (!means[i]) continue;
    slots.level[i] = level_of(*means[i], signal);
    slots.known |= 1U << i;
    ++out.measured;
  }
  const auto seen = difference(slots, plan.limited_slots);
  if (!seen || out.measured < kMinSlots) return out;
  out.effect = std::exp(*seen);
  std::size_t all = 0, as_great = 0;
  for (std::uint32_t other = 0; other < 1U << plan.slots; ++other) {
    if (!legal(other, plan.slots)) continue;
    const auto would = difference(slots, other);
    if (!would) continue;
    ++all;
    as_great += *would >= *seen - kRounding ? 1 : 0;
  }
  out.chance = all > 0 ? static_cast<double>(as_great) / static_cast<double>(all) : 1;
  if (out.effect < settings.min_effect)
    out.outcome = TrialOutcome::innocent;
  else
    out.outcome = out.chance <= settings.max_trial_p_value ? TrialOutcome::guilty : TrialOutcome::unclear;
  return out;
}

}  // namespace evenkeel::detector
