#include <algorithm>

#include "qos/interference/roster.h"
#include "qos/interference/steps.h"

namespace evenkeel::interference {
namespace {

/// How often it must be found in succession before a limit is set: for measured waits, and for correlation
/// only.
constexpr std::size_t kTimesByBlame = 2, kTimesByCorrelation = 3;

using What = InterferenceEvent::What;

void tell_of(InterferenceState& state, What what, const Cap& cap) {
  const Accusation about{.victim = cap.victim, .suspect = cap.suspect, .signal = cap.signal};
  add_event(state, {.what = what, .accusation = about, .limit = cap.limit});
}

/// A group is made in one tick, and tasks are moved into it in the next.
constexpr Duration settling(Remedy remedy) {
  return remedy == Remedy::cache ? Duration(std::chrono::seconds(5)) : Duration::zero();
}

/// A sample of the victim's signal while its antagonist is limited. Without the limit in force it says
/// nothing about it.
void watch(Cap& cap, const Victim& victim, const Unit& suspect, const NodeSnapshot& node,
           const InterferenceSettings& settings) {
  if (!in_force(node, cap.limit, suspect.index)) return;
  const detector::VictimWatch& signal = victim.of(cap.signal);
  const auto value = signal.series().at(signal.series().newest());
  // A window that began before the limit says nothing about it.
  const Duration blind =
      settling(cap.limit.remedy) + detector_settings(settings).interval(traits_of(cap.signal));
  if (!value || node.at - cap.since < blind) return;
  cap.after.add(*value, node.at);
}

/// Less cache or memory did not help: that says little about the suspect as long as less CPU was not tried.
bool escalate(Cap& cap, const Unit& suspect, MonoTime now, double value, const InterferenceSettings& settings,
              const InterferenceState& state) {
  if (cap.limit.remedy == Remedy::cpu) return false;
  const auto limit = cpu_limit(suspect, settings.cap_percent, settings, state);
  if (!limit) return false;
  cap.limit = *limit;
  cap.since = now;
  cap.after.begin(value, now + settling(cap.limit.remedy));
  return true;
}

/// Its activity while it was limited is no evidence for later accusations.
void release(const Cap& cap, InterferenceState& state) {
  std::erase_if(state.accusations, [&](const Accusation& one) {
    if (one.suspect != cap.suspect) return false;
    add_event(state, {.what = What::over, .accusation = one});
    return true;
  });
  tell_of(state, What::released, cap);
}

void judge_limits(const NodeSnapshot& node, const InterferenceSettings& settings,
                  std::span<const NewSample> sampled, InterferenceState& state) {
  const detector::DetectorSettings detector = detector_settings(settings);
  std::erase_if(state.caps, [&](Cap& cap) {
    const Victim* victim = entry_of(state.victims, cap.victim);
    const Unit* suspect = entry_of(state.units, cap.suspect);
    const bool harms = cap.limit.remedy == Remedy::cpu && !state.may_limit_cpu;
    if (victim == nullptr || suspect == nullptr || !settings.act || harms ||
        node.at - cap.since >= settings.cap_lease) {
      release(cap, state);
      return true;
    }
    for (const NewSample& one : sampled)
      if (&state.victims[one.victim] == victim && one.signal == cap.signal)
        watch(cap, *victim, *suspect, node, settings);
    if (cap.relieved) return false;
    const auto& model = victim->of(cap.signal).model();
    const detector::ReliefOutcomeResult result = cap.after.judge(model, node.at, detector);
    if (result.outcome == detector::ReliefOutcome::waiting) return false;
    if (result.outcome == detector::ReliefOutcome::unknown) {  // nothing can be said, so nobody is cleared
      release(cap, state);
      return true;
    }
    cap.relieved = result.outcome == detector::ReliefOutcome::relieved;
    tell_of(state, cap.relieved ? What::relieved : What::not_relieved, cap);
    if (cap.relieved) {
      state.confirmed.push_back({cap.suspect, node.at});
      return false;
    }
    if (escalate(cap, *suspect, node.at, result.times_after * model.usual(), settings, state)) {
      tell_of(state, What::capped, cap);
      return false;
    }
    state.cleared.clear(cap.victim, cap.suspect, node.at + detector.cool_down);
    return true;
  });
}

/// Measured waits are evidence by themselves. Correlation is tested first, if that is allowed.
bool holds(const Accusation& one, const InterferenceSettings& settings) {
  if (one.verdict.blame) return one.times >= kTimesByBlame;
  return one.tested || (!settings.causal_test && one.times >= kTimesByCorrelation);
}

/// Of two that move together only measured waits, or a test, can accuse both.
bool clear(const Accusation& one) {
  return one.verdict.finding == detector::Finding::named || one.verdict.blame.has_value();
}

void limit_one(const NodeSnapshot& node, const InterferenceSettings& settings, InterferenceState& state) {
  if (state.trial || awaits_relief(state)) return;
  const Accusation* surest = nullptr;
  for (const Accusation& one : state.accusations) {
    if (!holds(one, settings) || !clear(one) || limitable(node, state, one.suspect) == nullptr) continue;
    if (state.cleared.cleared(one.victim, one.suspect, node.at)) continue;
    if (surest == nullptr || one.verdict.chance < surest->verdict.chance) surest = &one;
  }
  if (surest == nullptr) return;
  const auto limit =
      remedy_for(surest->signal, *entry_of(state.units, surest->suspect), node, settings, state);
  if (!limit) return;  // next to nothing to take, or no limit that does no harm
  Cap cap{.suspect = surest->suspect,
          .victim = surest->victim,
          .signal = surest->signal,
          .limit = *limit,
          .since = node.at};
  cap.after.begin(surest->value, node.at + settling(limit->remedy));
  state.caps.push_back(cap);
  add_event(state, {.what = What::capped, .accusation = *surest, .limit = *limit});
}

}  // namespace

void act(const NodeSnapshot& node, const InterferenceSettings& settings, std::span<const NewSample> sampled,
         InterferenceState& state) {
  judge_limits(node, settings, sampled, state);
  if (settings.act) limit_one(node, settings, state);
}

}  // namespace evenkeel::interference
