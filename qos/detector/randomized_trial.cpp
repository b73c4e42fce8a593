#include "qos/detector/randomized_trial.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace evenkeel::detector {
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

/// SplitMix64: every bit of the seed counts.
std::uint64_t mixed(std::uint64_t seed) {
  seed += 0x9e3779b97f4a7c15U;
  seed = (seed ^ (seed >> 30U)) * 0xbf58476d1ce4e5b9U;
  seed = (seed ^ (seed >> 27U)) * 0x94d049bb133111ebU;
  return seed ^ (seed >> 31U);
}

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
  auto left = mixed(seed) % trial_plan_count(slots);
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
