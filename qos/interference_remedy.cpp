#include "qos/interference_remedy.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "qos/interference_roster.h"

namespace evenkeel {
namespace {

/// Whether the hardware shares out anything, and has a class of service left.
bool can_cut(const ResctrlSystem& system) {
  const bool left = system.most_groups == 0 || system.most_groups - 1 - system.other_groups > 0;
  return left && std::ranges::any_of(system.resources, [](const ResctrlResource& one) {
           if (one.unit == ResctrlUnit::ways) return std::popcount(one.full) > one.least;
           return one.unit == ResctrlUnit::percent || one.unit == ResctrlUnit::eighths;
         });
}

/// A pod whose owner gave it a part of its own keeps that.
bool has_class_part(const NodeSnapshot& node, CgroupIndex index) {
  const auto pod = std::ranges::find(node.pods, index, &PodSample::cgroup);
  return pod != node.pods.end() && pod->spec->resctrl.empty();
}

std::optional<Limit> memory_limit(const CgroupSample& cgroup, const InterferenceSettings& settings) {
  if (!cgroup.memory.current || !cgroup.applied.plain.has(Knob::memory_high)) return std::nullopt;
  const Bytes had = *cgroup.memory.current;
  const Bytes limit = percent_of(had, settings.cap_memory_percent);
  if (limit <= Bytes{} || limit >= *cgroup.applied.plain.bytes(Knob::memory_high)) return std::nullopt;
  return Limit{.remedy = Remedy::memory, .memory = limit, .had = had};
}

void wish_quota(const CgroupSample& cgroup, const Limit& limit, const char* sentence, Intents& out) {
  const Reason why = because(sentence, limit.used, limit.cpu);
  const auto& applied = cgroup.applied.cpu_limit;
  if (!applied) return out.hold(cgroup.id, Knob::cpu_quota, why);
  out.want(cgroup.id, Knob::cpu_quota, quota_for(limit.cpu, applied->period).count(), why);
}

void wish_cpu(const NodeSnapshot& node, CgroupIndex index, const Limit& limit, const char* sentence,
              Intents& out) {
  wish_quota(*node.cgroup(index), limit, sentence, out);
  // On v1 no quota may be above the one around it.
  for (const CgroupSample& inner : node.cgroups)
    if (inner.parent == index && inner.applied.cpu_limit && inner.applied.cpu_limit->quota)
      wish_quota(inner, limit, sentence, out);
}

}  // namespace

const Unit* limitable(const NodeSnapshot& node, const InterferenceState& state, CgroupId suspect) {
  const Unit* unit = entry_of(state.units, suspect);
  const CgroupSample* cgroup = unit == nullptr ? nullptr : node.cgroup(unit->index);
  if (cgroup == nullptr || !unit->best_effort || cgroup->hands_off) return nullptr;
  return std::ranges::find(state.caps, suspect, &Cap::suspect) == state.caps.end() ? unit : nullptr;
}

bool awaits_proof(const InterferenceState& state) {
  return std::ranges::any_of(state.caps, [](const Cap& cap) { return !cap.cured; });
}

std::optional<Limit> cpu_limit(const Unit& suspect, Percent keeps, const InterferenceSettings& settings) {
  const auto used = suspect.cpu_use.empty() ? std::nullopt : suspect.cpu_use.at(suspect.cpu_use.newest());
  if (!used) return std::nullopt;
  const MilliCpu before(std::llround(*used * 1000));
  const MilliCpu limit = std::max(settings.least_cpu, percent_of(before, keeps));
  if (limit >= before) return std::nullopt;
  return Limit{.remedy = Remedy::cpu, .cpu = limit, .used = before};
}

std::optional<Limit> remedy_for(Signal signal, const Unit& suspect, const NodeSnapshot& node,
                                const InterferenceSettings& settings) {
  const CgroupSample* cgroup = node.cgroup(suspect.index);
  if (cgroup == nullptr) return std::nullopt;
  if (counts_cycles(signal) && node.resctrl != nullptr && can_cut(*node.resctrl) &&
      has_class_part(node, suspect.index))
    return Limit{.remedy = Remedy::cache};
  if (signal == Signal::reclaim_stall)
    if (auto limit = memory_limit(*cgroup, settings)) return limit;
  return cpu_limit(suspect, settings.cap_percent, settings);
}

void wish(const NodeSnapshot& node, const InterferenceState& state, Intents& out) {
  const auto index_of = [&](CgroupId suspect) {
    const Unit* unit = entry_of(state.units, suspect);
    return unit == nullptr ? kNoCgroup : unit->index;
  };
  for (const Cap& cap : state.caps) {
    const CgroupIndex index = index_of(cap.suspect);
    if (node.cgroup(index) == nullptr) continue;
    if (cap.limit.remedy == Remedy::cpu)
      wish_cpu(
          node, index, cap.limit,
          "a service is slower while this pod runs: it used {} and is limited to {}, to see whether that "
          "helps",
          out);
    if (cap.limit.remedy == Remedy::memory)
      out.want(node.cgroup(index)->id, Knob::memory_high, cap.limit.memory.count(),
               because("a service has to reclaim memory while this pod runs: it had {} and is to have {}, to "
                       "see whether that helps",
                       cap.limit.had, cap.limit.memory));
  }
  if (!state.trial || !state.trial->limits()) return;
  const CgroupIndex index = index_of(state.trial->about.suspect);
  if (node.cgroup(index) != nullptr)
    wish_cpu(node, index, state.trial->limit,
             "whether a service recovers while this pod gets less is tried out, in turns: it used {} and is "
             "limited to {}",
             out);
}

}  // namespace evenkeel
