#include "qos/interference_act.h"

#include <algorithm>

#include "qos/interference_judge.h"
#include "qos/interference_roster.h"

namespace evenkeel {
namespace {

/// Found so often, one time after the other, before anything is done: waits that were measured as the
/// suspect's doing, and what only moved together with it.
constexpr std::size_t kTimesByBlame = 2, kTimesByCorrelation = 3;

using What = InterferenceNews::What;

void tell(InterferenceState& state, What what, const Cap& cap) {
  InterferenceNews news{.what = what, .limit = cap.limit};
  news.accusation.victim = cap.victim;
  news.accusation.suspect = cap.suspect;
  news.accusation.signal = cap.signal;
  state.news.push_back(news);
}

/// A sample of the victim's signal while its antagonist is limited.
void watch(Cap& cap, const Victim& victim, MonoTime now, const InterferenceSettings& settings) {
  const VictimWatch& signal = victim.of(cap.signal);
  const auto value = signal.series().at(signal.series().newest());
  // A window that began before the limit says nothing about it.
  if (!value || now - cap.since < sample_interval(cap.signal, settings)) return;
  cap.after.add(*value, now);
}

void judge_limits(const NodeSnapshot& node, const InterferenceSettings& settings,
                  std::span<const Sampled> sampled, InterferenceState& state) {
  const DetectorSettings detector = detector_settings(settings);
  std::erase_if(state.caps, [&](Cap& cap) {
    const Victim* victim = entry_of(state.victims, cap.victim);
    const Unit* suspect = entry_of(state.units, cap.suspect);
    if (victim == nullptr || suspect == nullptr || !settings.act ||
        node.at - cap.since >= settings.cap_lease) {
      tell(state, What::released, cap);
      return true;
    }
    for (const Sampled& one : sampled)
      if (&state.victims[one.victim] == victim && one.signal == cap.signal)
        watch(cap, *victim, node.at, settings);
    if (cap.cured) return false;
    const auto& model = victim->of(cap.signal).model();
    const Cure cure = cap.after.judge(model, node.at, detector).cure;
    if (cure == Cure::waiting) return false;
    cap.cured = cure == Cure::cured;
    ++(cap.cured ? state.cured : state.not_cured);
    tell(state, cap.cured ? What::cured : What::not_cured, cap);
    if (cure == Cure::not_cured) state.cleared.clear(cap.victim, cap.suspect, node.at + detector.cool_down);
    return !cap.cured;
  });
}

bool holds(const Accusation& one) {
  return one.times >= (one.verdict.blame ? kTimesByBlame : kTimesByCorrelation);
}

/// Of two that move together only measured waits say that it was both.
bool clear(const Accusation& one) {
  return one.verdict.finding == Finding::named || one.verdict.blame.has_value();
}

void limit_one(const NodeSnapshot& node, const InterferenceSettings& settings, InterferenceState& state) {
  // While it is not known whether a limit helps, another one would only blur that.
  if (std::ranges::any_of(state.caps, [](const Cap& cap) { return !cap.cured; })) return;
  const Accusation* surest = nullptr;
  for (const Accusation& one : state.accusations) {
    const Unit* suspect = entry_of(state.units, one.suspect);
    const CgroupSample* cgroup = suspect == nullptr ? nullptr : node.cgroup(suspect->index);
    if (cgroup == nullptr || !suspect->best_effort || cgroup->hands_off || !holds(one) || !clear(one))
      continue;
    if (state.cleared.cleared(one.victim, one.suspect, node.at)) continue;
    if (std::ranges::find(state.caps, one.suspect, &Cap::suspect) != state.caps.end()) continue;
    if (surest == nullptr || one.verdict.chance < surest->verdict.chance) surest = &one;
  }
  if (surest == nullptr) return;
  const Unit& suspect = *entry_of(state.units, surest->suspect);
  const auto used = suspect.cpu_use.empty() ? std::nullopt : suspect.cpu_use.at(suspect.cpu_use.newest());
  if (!used) return;
  const MilliCpu before(static_cast<std::int64_t>(*used * 1000));
  const MilliCpu limit =
      std::max(settings.least_cpu, MilliCpu(scaled(before.count(), settings.cap_percent.count(), 100)));
  if (limit >= before) return;  // there is next to nothing to take
  Cap cap{.suspect = surest->suspect,
          .victim = surest->victim,
          .signal = surest->signal,
          .limit = limit,
          .used = before,
          .since = node.at};
  cap.after.begin(surest->value, node.at);
  state.caps.push_back(cap);
  ++state.capped;
  state.news.push_back({.what = What::capped, .accusation = *surest, .limit = limit});
}

void wish_quota(const CgroupSample& cgroup, const Cap& cap, Intents& out) {
  const Reason why = because(
      "a service is slower while this pod runs: it used {} and is limited to {}, to see whether that helps",
      cap.used, cap.limit);
  const auto& limit = cgroup.applied.cpu_limit;
  if (!limit) return out.hold(cgroup.id, Knob::cpu_quota, why);
  out.want(cgroup.id, Knob::cpu_quota, quota_for(cap.limit, limit->period).count(), why);
}

}  // namespace

void act(const NodeSnapshot& node, const InterferenceSettings& settings, std::span<const Sampled> sampled,
         InterferenceState& state) {
  judge_limits(node, settings, sampled, state);
  if (settings.act) limit_one(node, settings, state);
}

void wish(const NodeSnapshot& node, const InterferenceState& state, Intents& out) {
  for (const Cap& cap : state.caps) {
    const Unit* suspect = entry_of(state.units, cap.suspect);
    const CgroupSample* cgroup = suspect == nullptr ? nullptr : node.cgroup(suspect->index);
    if (cgroup == nullptr) continue;
    wish_quota(*cgroup, cap, out);
    // On v1 no quota may be above the one around it.
    for (const CgroupSample& inner : node.cgroups)
      if (inner.parent == suspect->index && inner.applied.cpu_limit && inner.applied.cpu_limit->quota)
        wish_quota(inner, cap, out);
  }
}

}  // namespace evenkeel
