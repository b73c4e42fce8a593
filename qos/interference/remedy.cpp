#include <algorithm>
#include <bit>
#include <cmath>

#include "qos/decide/resctrl_plan.h"
#include "qos/interference/roster.h"
#include "qos/interference/steps.h"
#include "qos/memory/watermarks.h"

namespace evenkeel::interference {
namespace {

/// Whether the hardware supports allocation, and has a class of service left.
bool can_cut(const ResctrlSystem& system) {
  const bool left = system.max_groups == 0 || system.max_groups - 1 - system.other_groups > 0;
  return left && std::ranges::any_of(system.resources, [](const ResctrlResource& one) {
           if (one.unit == ResctrlUnit::ways) return std::popcount(one.full) > one.least;
           return one.unit == ResctrlUnit::percent || one.unit == ResctrlUnit::eighths;
         });
}

/// A pod whose owner configured a part for it keeps that.
bool has_class_part(const NodeSnapshot& node, CgroupIndex index) {
  const auto pod = std::ranges::find(node.pods, index, &PodSample::cgroup);
  return pod != node.pods.end() && pod->spec->resctrl.empty();
}

/// It keeps what is protected for it and what could only be swapped.
std::optional<Limit> memory_limit(const CgroupSample& cgroup, const InterferenceSettings& settings) {
  if (!cgroup.memory.current || !cgroup.memory.anonymous || !cgroup.applied.plain.has(Knob::memory_high))
    return std::nullopt;
  const Bytes had = *cgroup.memory.current;
  const Bytes limit =
      std::max(percent_of(had, settings.cap_memory_percent), memory::min_besteffort_memory(cgroup));
  if (limit >= std::min(had, *cgroup.applied.plain.bytes(Knob::memory_high))) return std::nullopt;
  return Limit{.remedy = Remedy::memory, .memory = limit, .had = had};
}

void add_quota(const CgroupSample& cgroup, const Limit& limit, const char* sentence, decide::Intents& out) {
  const Reason why = because(sentence, limit.used, limit.cpu);
  const auto& applied = cgroup.applied.cpu_limit;
  if (!applied) return out.hold(cgroup.id, Knob::cpu_quota, why);
  out.want(cgroup.id, Knob::cpu_quota, quota_for(limit.cpu, applied->period).count(), why);
}

void add_cpu(const NodeSnapshot& node, CgroupIndex index, const Limit& limit, const char* sentence,
             decide::Intents& out) {
  add_quota(*node.cgroup(index), limit, sentence, out);
  // On v1 no quota may be above the one around it. One that is below it stays: we lowered it to there, or its
  // owner set it.
  for (const CgroupSample& inner : node.cgroups) {
    const auto& own = inner.applied.cpu_limit;
    if (inner.parent != index || !own || !own->quota) continue;
    if (cpu_of(*own->quota, own->period) > limit.cpu)
      add_quota(inner, limit, sentence, out);
    else
      out.hold(inner.id, Knob::cpu_quota, because(sentence, limit.used, limit.cpu));
  }
}

/// It comes down with the use, to no less than what could only be swapped by now: a write that has to reclaim
/// would block us for as long as that takes. What is above the limit is reclaimed by order
/// (qos/memory/reclaim.cpp).
void add_memory(const CgroupSample& cgroup, const Limit& limit, decide::Intents& out) {
  const auto& used = cgroup.memory.current;
  const auto now = cgroup.applied.plain.bytes(Knob::memory_high);
  const bool known = used && cgroup.memory.anonymous && now;
  const Bytes target = known ? std::max(limit.memory, memory::min_besteffort_memory(cgroup)) : limit.memory;
  const Reason why = because(
      "a service stalls in memory reclaim while this workload runs: it used {} and is limited to {}, to see "
      "whether that helps",
      limit.had, target);
  if (!known) return out.hold(cgroup.id, Knob::memory_high, why);
  out.want(cgroup.id, Knob::memory_high, memory::limit_above_use(target, *used, *now).count(), why);
}

}  // namespace

const Unit* limitable(const NodeSnapshot& node, const InterferenceState& state, CgroupId suspect) {
  const Unit* unit = entry_of(state.units, suspect);
  const CgroupSample* cgroup = unit == nullptr ? nullptr : node.cgroup(unit->index);
  if (cgroup == nullptr || !unit->best_effort || cgroup->hands_off) return nullptr;
  return std::ranges::find(state.caps, suspect, &Cap::suspect) == state.caps.end() ? unit : nullptr;
}

bool awaits_relief(const InterferenceState& state) {
  return std::ranges::any_of(state.caps, [](const Cap& cap) { return !cap.relieved; });
}

std::optional<Limit> cpu_limit(const Unit& suspect, Percent keeps, const InterferenceSettings& settings,
                               const InterferenceState& state) {
  if (!state.may_limit_cpu) return std::nullopt;
  const auto used = suspect.cpu_use.empty() ? std::nullopt : suspect.cpu_use.at(suspect.cpu_use.newest());
  if (!used) return std::nullopt;
  const MilliCpu before(std::llround(*used * 1000));
  const MilliCpu limit = std::max(settings.least_cpu, percent_of(before, keeps));
  if (limit >= before) return std::nullopt;
  return Limit{.remedy = Remedy::cpu, .cpu = limit, .used = before};
}

std::optional<Limit> remedy_for(Signal signal, const Unit& suspect, const NodeSnapshot& node,
                                const InterferenceSettings& settings, const InterferenceState& state) {
  const CgroupSample* cgroup = node.cgroup(suspect.index);
  if (cgroup == nullptr) return std::nullopt;
  if (counts_cycles(signal) && node.resctrl != nullptr && can_cut(*node.resctrl) &&
      has_class_part(node, suspect.index))
    return Limit{.remedy = Remedy::cache};
  if (signal == Signal::reclaim_stall)
    if (auto limit = memory_limit(*cgroup, settings)) return limit;
  return cpu_limit(suspect, settings.cap_percent, settings, state);
}

bool in_force(const NodeSnapshot& node, const Limit& limit, CgroupIndex suspect) {
  const CgroupSample* cgroup = node.cgroup(suspect);
  if (cgroup == nullptr || cgroup->hands_off) return false;
  const auto& applied = cgroup->applied;
  switch (limit.remedy) {
    case Remedy::cpu:
      return applied.cpu_limit && applied.cpu_limit->quota &&
             cpu_of(*applied.cpu_limit->quota, applied.cpu_limit->period) <= limit.cpu;
    case Remedy::memory:
      return applied.plain.bytes(Knob::memory_high).value_or(kNoMemoryLimit) <=
             memory::with_headroom(limit.had);
    case Remedy::cache:
      // Without monitoring, the groups are not known.
      return node.resctrl != nullptr &&
             (node.resctrl_use.empty() || std::ranges::find(node.resctrl_use, decide::kLimitedGroup,
                                                            &ResctrlUse::group) != node.resctrl_use.end());
  }
  return false;
}

void add_intents(const NodeSnapshot& node, const InterferenceState& state, decide::Intents& out) {
  const auto index_of = [&](CgroupId suspect) {
    const Unit* unit = entry_of(state.units, suspect);
    return unit == nullptr ? kNoCgroup : unit->index;
  };
  for (const Cap& cap : state.caps) {
    const CgroupIndex index = index_of(cap.suspect);
    if (node.cgroup(index) == nullptr) continue;
    if (cap.limit.remedy == Remedy::cpu)
      add_cpu(node, index, cap.limit,
              "a service is slower while this workload runs: it used {} and is limited to {}, to see whether "
              "that "
              "helps",
              out);
    if (cap.limit.remedy == Remedy::memory) add_memory(*node.cgroup(index), cap.limit, out);
  }
  if (!state.trial || !state.trial->limits()) return;
  const CgroupIndex index = index_of(state.trial->about.suspect);
  if (node.cgroup(index) != nullptr)
    add_cpu(
        node, index, state.trial->limit,
        "a randomized trial tests whether a service recovers while this workload is limited: it used {} and "
        "is limited to {}",
        out);
}

}  // namespace evenkeel::interference
