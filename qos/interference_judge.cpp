#include "qos/interference_judge.h"

#include <algorithm>

#include "qos/interference_roster.h"

namespace evenkeel {
namespace {

/// Found again within so many samples, it is the same accusation.
constexpr int kSamplesToLetGo = 3;

bool by_counters(Signal signal) { return signal == Signal::cpi || signal == Signal::reference_cpi; }

const WindowSeries& activity_of(const Unit& unit, Signal signal) {
  if (by_counters(signal)) return unit.cpu_use_period;
  if (signal == Signal::run_queue_wait) return unit.cpu_use;
  return unit.stall[stall_place(signal)];
}

/// Null: who had the CPU is not measured.
const WindowSeries* blame_of(const Victim& victim, CgroupId unit, Signal signal,
                             const InterferenceState& state) {
  if (signal != Signal::run_queue_wait || state.source != RunQueueSource::bpf) return nullptr;
  const auto [found, known] = place_of(state.pairs, victim.cgroup, unit);
  return known ? &found->blame : &state.no_blame;
}

void accuse(const Victim& victim, Signal signal, const Verdict& verdict, const Case& judged, MonoTime now,
            InterferenceState& state) {
  const auto known = std::ranges::find_if(state.accusations, [&](const Accusation& one) {
    return one.victim == victim.cgroup && one.suspect == verdict.suspect && one.signal == signal;
  });
  Accusation* one = known == state.accusations.end() ? nullptr : &*known;
  if (one == nullptr) {
    one = &state.accusations.emplace_back();
    one->victim = victim.cgroup;
    one->suspect = verdict.suspect;
    one->signal = signal;
    one->since = now;
    one->times = 0;
  }
  ++one->times;
  one->renewed = now;
  one->verdict = verdict;
  one->value = judged.anomaly.value;
  one->usual = judged.model->usual();
  if (one->times != 1) return;
  ++state.accused;
  state.news.push_back({.what = InterferenceNews::What::accused, .accusation = *one});
}

}  // namespace

Duration sample_interval(Signal signal, const InterferenceSettings& settings) {
  return by_counters(signal) ? settings.counter_period : settings.stall_window;
}

void look_at(const Sampled& sampled, const NodeSnapshot& node, const InterferenceSettings& settings,
             InterferenceState& state) {
  const Victim& victim = state.victims[sampled.victim];
  const DetectorSettings detector = detector_settings(settings);
  const Case judged =
      victim.of(sampled.signal).open_case(std::max<std::size_t>(state.victims.size(), 1), detector);
  if (!judged.anomaly.anomalous) return;
  // Who is well again accuses nobody of what was.
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
  const std::size_t count = judge(judged, state.suspects, detector, state.verdicts);
  for (const Verdict& verdict : std::span(state.verdicts).first(count))
    if (verdict.accused()) accuse(victim, sampled.signal, verdict, judged, node.at, state);
}

void let_go(const NodeSnapshot& node, const InterferenceSettings& settings, InterferenceState& state) {
  std::erase_if(state.accusations, [&](const Accusation& one) {
    const bool there =
        entry_of(state.victims, one.victim) != nullptr && entry_of(state.units, one.suspect) != nullptr;
    const bool over = node.at - one.renewed > sample_interval(one.signal, settings) * kSamplesToLetGo;
    if (there && !over) return false;
    state.news.push_back({.what = InterferenceNews::What::over, .accusation = one});
    return true;
  });
}

}  // namespace evenkeel
