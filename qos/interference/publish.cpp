#include <algorithm>

#include "qos/interference/roster.h"
#include "qos/interference/steps.h"

namespace evenkeel::interference {

void publish(const InterferenceState& state, decide::WatchedCgroups& watched) {
  watched.services.clear();
  watched.best_effort.clear();
  for (const Victim& victim : state.victims) watched.services.push_back(victim.cgroup);
  for (const auto& member : state.members) {
    const Unit* unit = entry_of(state.units, unit_of(state, member.cgroup));
    if (unit != nullptr && unit->best_effort) watched.best_effort.push_back(member.cgroup);
  }
}

void publish(const InterferenceState& state, decide::CacheLimits& cache) {
  cache.antagonists.clear();
  for (const Cap& cap : state.caps)
    if (cap.limit.remedy == Remedy::cache) cache.antagonists.push_back(cap.suspect);
}

void publish(const InterferenceState& state, decide::MemoryLimits& memory) {
  memory.limits.clear();
  for (const Cap& cap : state.caps)
    if (cap.limit.remedy == Remedy::memory) memory.limits.push_back({cap.suspect, cap.limit.memory});
}

void publish(const InterferenceState& state, const InterferenceSettings& settings,
             decide::RepeatAntagonists& repeat) {
  repeat.pods.clear();
  for (const ConfirmedAntagonist& one : state.confirmed) {
    const auto times = std::ranges::count(state.confirmed, one.suspect, &ConfirmedAntagonist::suspect);
    if (times >= settings.evict_after && std::ranges::find(repeat.pods, one.suspect) == repeat.pods.end())
      repeat.pods.push_back(one.suspect);
  }
  std::ranges::sort(repeat.pods);
}

}  // namespace evenkeel::interference
