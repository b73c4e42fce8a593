#include "qos/interference/roster.h"
#include "qos/interference/steps.h"

namespace evenkeel::interference {
namespace {

constexpr std::size_t kSlots = 8;
/// The first sample of a slot began before it.
constexpr int kSamplesPerSlot = 3;

using What = InterferenceEvent::What;

void take_sample(Trial& trial, const Victim& victim, Duration interval, MonoTime now) {
  const detector::WindowSeries& series = victim.of(trial.about.signal).series();
  const auto value = series.at(series.newest());
  if (!value || now - trial.slot_began < interval * 3 / 2) return;
  trial.sum += *value;
  ++trial.samples;
}

void next_slot(Trial& trial, MonoTime now) {
  if (trial.samples > 0) trial.means[trial.slot] = trial.sum / static_cast<double>(trial.samples);
  ++trial.slot;
  trial.slot_began = now;
  trial.sum = 0;
  trial.samples = 0;
}

void conclude_trial(const Trial& trial, const detector::DetectorSettings& detector, MonoTime now,
                    InterferenceState& state) {
  const Accusation& about = trial.about;
  const auto means = std::span(trial.means).first(trial.plan.slots);
  const detector::TestResult result =
      detector::conclude(trial.plan, means, traits_of(about.signal), detector);
  if (result.outcome == detector::TrialOutcome::guilty) {
    Accusation found = about;
    found.tested = result;
    found.verdict.finding = detector::Finding::named;
    found.verdict.chance = result.chance;
    return accuse(found, now, state);
  }
  // A suspect that the test did not find guilty is not tested again at once, whatever the reason.
  state.cleared.clear(about.victim, about.suspect, now + detector.cool_down);
  const auto what =
      result.outcome == detector::TrialOutcome::innocent ? What::trial_cleared : What::trial_inconclusive;
  add_event(state, {.what = what, .accusation = about, .limit = trial.limit});
}

/// False: it is cancelled, because one of the two has gone, it is no longer configured, or a quota does harm.
bool go_on(const NodeSnapshot& node, const InterferenceSettings& settings, std::span<const NewSample> sampled,
           InterferenceState& state) {
  Trial& trial = *state.trial;
  const Victim* victim = entry_of(state.victims, trial.about.victim);
  const Unit* suspect = entry_of(state.units, trial.about.suspect);
  if (victim == nullptr || suspect == nullptr || !settings.act || !settings.causal_test) return false;
  if (!state.may_limit_cpu) return false;
  const Duration interval = detector_settings(settings).interval(traits_of(trial.about.signal));
  for (const NewSample& one : sampled)
    if (&state.victims[one.victim] == victim && one.signal == trial.about.signal)
      take_sample(trial, *victim, interval, node.at);
  if (node.at - trial.slot_began < interval * kSamplesPerSlot) return true;
  next_slot(trial, node.at);
  if (trial.slot < trial.plan.slots) return true;
  conclude_trial(trial, detector_settings(settings), node.at, state);
  return false;
}

void begin(const NodeSnapshot& node, const InterferenceSettings& settings, InterferenceState& state) {
  if (!state.suspicion || static_cast<std::int64_t>(state.tests.size()) >= settings.most_tests_per_day)
    return;
  const Accusation& about = *state.suspicion;
  const Unit* suspect = entry_of(state.units, about.suspect);
  if (suspect == nullptr) return;
  const auto limit = cpu_limit(*suspect, settings.test_percent, settings, state);
  if (!limit) return;
  const auto seed = static_cast<std::uint64_t>(node.at.time_since_epoch().count());
  state.trial = {.about = about,
                 .limit = *limit,
                 .plan = detector::draw_trial_plan(seed, kSlots),
                 .slot_began = node.at};
  state.tests.push_back(node.at);
  add_event(state, {.what = What::trial_began, .accusation = about, .limit = *limit});
}

}  // namespace

void advance_trial(const NodeSnapshot& node, const InterferenceSettings& settings,
                   std::span<const NewSample> sampled, InterferenceState& state) {
  if (state.trial) {
    if (!go_on(node, settings, sampled, state)) state.trial.reset();
    return;
  }
  if (settings.act && settings.causal_test && !awaits_relief(state)) begin(node, settings, state);
}

}  // namespace evenkeel::interference
