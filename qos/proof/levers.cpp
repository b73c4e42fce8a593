#include <algorithm>

#include "qos/proof/proof.h"

namespace evenkeel::proof {
namespace {

template <Knob... Knobs>
bool is_any_of(const decide::Intent& intent) {
  return ((intent.knob == Knobs) || ...);
}
bool is_any(const decide::Intent& /*intent*/) { return true; }

constexpr std::array<Lever, kLevers> kTable = {{
    {"besteffort-quota", "cpu-suppress", Feeling::run_queue_wait, Feeling::cpu_stall,
     is_any_of<Knob::cpu_quota>},
    {"besteffort-cpuset", "cpu-suppress", Feeling::run_queue_wait, Feeling::cpu_stall,
     is_any_of<Knob::cpuset_cpus>},
    {"request-size", "request-size", Feeling::run_queue_wait, Feeling::cpu_stall, nullptr},
    {"cpu-idle", "cpu-identity", Feeling::run_queue_wait, Feeling::cpu_stall, is_any_of<Knob::cpu_idle>},
    {"cpu-burst", "cpu-burst", Feeling::throttling, std::nullopt, is_any},
    {"memory-protection", "memory-qos", Feeling::memory_stall, std::nullopt,
     is_any_of<Knob::memory_min, Knob::memory_low>},
    {"memory-throttling", "memory-qos", Feeling::memory_stall, std::nullopt, is_any_of<Knob::memory_high>},
    {"disk-limits", "blkio", Feeling::io_stall, std::nullopt, is_any},
    {"disk-suppression", "disk-suppress", Feeling::io_stall, std::nullopt, is_any},
}};

bool is_intent_of(const Lever& lever, const decide::Intent& intent) {
  return lever.is_one != nullptr && decide::policy_name(intent.by) == lever.policy && lever.is_one(intent);
}

}  // namespace

std::span<const Lever, kLevers> levers() { return kTable; }

InForce in_force(const decide::Intents& intents) {
  InForce found{};
  for (std::size_t i = 0; i < kLevers; ++i)
    found[i] = kTable[i].is_one == nullptr ? !intents.request_sizes().members.empty()
                                           : std::ranges::any_of(intents.all(), [&](const auto& intent) {
                                               return is_intent_of(kTable[i], intent);
                                             });
  return found;
}

void withhold(std::size_t lever, const decide::Intents::Withheld& how, decide::Intents& intents) {
  if (kTable[lever].is_one == nullptr) return intents.withhold_request_sizes(how);
  intents.withhold([&](const auto& intent) { return is_intent_of(kTable[lever], intent); }, how);
}

void withhold_all(const ProofSettings& settings, const ProofState& state, decide::Intents& out) {
  if (state.trial && state.trial->withholds())
    withhold(
        state.trial->lever,
        {.why = because("proof withholds this lever for some seconds, to measure whether it helps services"),
         .for_a_trial = true},
        out);
  for (std::size_t i = 0; settings.withdraw && i < kLevers; ++i)
    if (verdict(state, i) == Verdict::harms)
      withhold(i,
               {.why = because("proof withholds this lever, for it was found to harm services on this node")},
               out);
}

// The scheduler acts at once, so a single tick shows what it does. Memory and disks take longer to feel the
// difference, and the kernel's stall times are read every second to fifth tick. More spans find a difference
// in fewer trials, but the load should not change meanwhile.
Pace pace(Feeling feeling) {
  const bool at_once = feeling == Feeling::run_queue_wait || feeling == Feeling::throttling;
  return at_once ? Pace{kMostSpans, 1} : Pace{8, 10};
}

std::optional<Feeling> comparable(const Lever& lever, const Felt& now) {
  const auto known = [&](Feeling feeling) { return now[static_cast<std::size_t>(feeling)].has_value(); };
  if (known(lever.feeling)) return lever.feeling;
  return lever.otherwise && known(*lever.otherwise) ? lever.otherwise : std::nullopt;
}

std::string_view name(Standing standing) {
  constexpr std::array<std::string_view, 3> kNames = {"not in force", "nothing to compare", "testable"};
  return kNames[static_cast<std::size_t>(standing)];
}

std::string_view name(Feeling feeling) {
  constexpr std::array<std::string_view, kFeelings + 1> kNames = {
      "run-queue wait", "throttling", "memory stall", "I/O stall", "CPU stall", "reported figure"};
  return kNames[static_cast<std::size_t>(feeling)];
}

}  // namespace evenkeel::proof
