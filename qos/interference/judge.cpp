#include <algorithm>
#include <utility>

#include "qos/interference/roster.h"
#include "qos/interference/steps.h"

namespace evenkeel::interference {
namespace {

/// Found again within this many samples, it is the same accusation.
constexpr int kSamplesToLetGo = 3;

const detector::WindowSeries& activity_of(const Unit& unit, Signal signal) {
  if (counts_cycles(signal)) return unit.cpu_use_period;
  if (signal == Signal::run_queue_wait) return unit.cpu_use;
  return unit.stall[detector::stall_index(signal)];
}

/// Null: it is not measured what had the CPU.
const detector::WindowSeries* blame_of(const Victim& victim, CgroupId unit, Signal signal,
                                       const InterferenceState& state) {
  if (signal != Signal::run_queue_wait || state.source != RunQueueSource::bpf) return nullptr;
  const auto [found, known] = place_of(state.pairs, victim.cgroup, unit);
  return known ? &found->blame : &state.zero_blame;
}

/// Where a test can tell and observation cannot: the suspect's activity was constant, one coincidence is the
/// only evidence, or it cannot be told from another one.
bool worth_a_test(const detector::Verdict& verdict) {
  const bool open =
      verdict.finding == detector::Finding::no_contrast || verdict.finding == detector::Finding::by_chance;
  return !verdict.blame && verdict.evidence.activity > 0 && (open || verdict.accused());
}

/// The likeliest of this tick.
void consider(const Accusation& found, const NodeSnapshot& node, InterferenceState& state) {
  if (!worth_a_test(found.verdict) || limitable(node, state, found.suspect) == nullptr) return;
  const auto likelihood = [](const Accusation& one) {
    const detector::Evidence& evidence = one.verdict.evidence;
    return std::pair(evidence.fit * evidence.t, evidence.activity);
  };
  if (!state.suspicion || likelihood(found) > likelihood(*state.suspicion)) state.suspicion = found;
}

}  // namespace

void add_event(InterferenceState& state, const InterferenceEvent& event) {
  state.events.push_back(event);
  ++state.event_counts[static_cast<std::size_t>(event.what)];
}

void accuse(const Accusation& found, MonoTime now, InterferenceState& state) {
  const auto known = std::ranges::find_if(state.accusations, [&](const Accusation& one) {
    return one.victim == found.victim && one.suspect == found.suspect && one.signal == found.signal;
  });
  const bool fresh = known == state.accusations.end();
  Accusation& one = fresh ? state.accusations.emplace_back() : *known;
  const Accusation before = one;
  one = found;
  one.since = fresh ? now : before.since;
  one.times = fresh ? 1 : before.times + 1;
  one.renewed = now;
  if (!one.tested) one.tested = before.tested;
  if (fresh) add_event(state, {.what = InterferenceEvent::What::accused, .accusation = one});
}

void look_at(const NewSample& sampled, const NodeSnapshot& node, const InterferenceSettings& settings,
             InterferenceState& state) {
  const Victim& victim = state.victims[sampled.victim];
  const detector::DetectorSettings detector = detector_settings(settings);
  const detector::Case judged =
      victim.of(sampled.signal).open_case(std::max<std::size_t>(state.victims.size(), 1), detector);
  if (!judged.anomaly.anomalous) return;
  // A victim that has recovered drops its accusations.
  if (judged.series->at(judged.window).value_or(0) <= judged.model->threshold(detector)) return;
  state.suspects.clear();
  for (const Unit& unit : state.units) {
    if (unit.cgroup == victim.unit) continue;
    state.suspects.push_back({.cgroup = unit.cgroup,
                              .activity = &activity_of(unit, sampled.signal),
                              .blame = blame_of(victim, unit.cgroup, sampled.signal, state),
                              .cleared = state.cleared.cleared(victim.cgroup, unit.cgroup, node.at)});
  }
  state.verdicts.resize(std::max(state.verdicts.size(), state.suspects.size()));
  const std::size_t count = detector::judge(judged, state.suspects, detector, state.verdicts);
  for (const detector::Verdict& verdict : std::span(state.verdicts).first(count)) {
    const Accusation found{.victim = victim.cgroup,
                           .suspect = verdict.suspect,
                           .signal = sampled.signal,
                           .verdict = verdict,
                           .value = judged.anomaly.value,
                           .usual = judged.model->usual()};
    consider(found, node, state);
    if (verdict.accused()) accuse(found, node.at, state);
  }
}

void let_go(const NodeSnapshot& node, const InterferenceSettings& settings, InterferenceState& state) {
  const detector::DetectorSettings detector = detector_settings(settings);
  std::erase_if(state.accusations, [&](const Accusation& one) {
    const bool there =
        entry_of(state.victims, one.victim) != nullptr && entry_of(state.units, one.suspect) != nullptr;
    const bool over = node.at - one.renewed > detector.interval(traits_of(one.signal)) * kSamplesToLetGo;
    if (there && !over) return false;
    add_event(state, {.what = InterferenceEvent::What::over, .accusation = one});
    return true;
  });
}

}  // namespace evenkeel::interference
