#include "qos/interference/roster.h"

#include <algorithm>
#include <string>
#include <utility>

#include "qos/interference/steps.h"

namespace evenkeel::interference {
namespace {

bool changed(const NodeSnapshot& node, const InterferenceSettings& settings, const InterferenceState& state) {
  return state.specs != node.pod_specs.get() || state.slo != node.slo.get() ||
         state.given != settings.models.data() ||
         !std::ranges::equal(state.seen, node.cgroups, {}, {}, &CgroupSample::id);
}

/// Builds the lists anew, and keeps what was known of cgroups that stay.
class Roster {
 public:
  Roster(const NodeSnapshot& node, const InterferenceSettings& settings, InterferenceState& state)
      : node_(node), detector_(detector_settings(settings)), state_(state) {}

  void build() {
    for (const PodSample& pod : node_.pods) add_pod(pod);
    for (const HostApplicationSample& app : node_.host_applications) add_application(app);
    for (const CgroupSample& cgroup : node_.cgroups)
      if (is_leaf(cgroup.kind)) keep(state_.counted, counted_, {.cgroup = cgroup.id});
    sort(counted_);
    sort(victims_);
    sort(units_);
    sort(members_);
    state_.counted = std::move(counted_);
    state_.victims = std::move(victims_);
    state_.units = std::move(units_);
    state_.members = std::move(members_);
    const auto is_gone = [&](CgroupId victim, CgroupId unit) {
      return entry_of(state_.victims, victim) == nullptr || (unit && entry_of(state_.units, unit) == nullptr);
    };
    std::erase_if(state_.pairs, [&](const BlamePair& pair) { return is_gone(pair.victim, pair.unit); });
  }

 private:
  template <class Entry>
  static void sort(std::vector<Entry>& list) {
    std::ranges::sort(list, {}, [](const Entry& entry) { return entry.cgroup; });
  }
  /// Adds the entry that was there before, or the new one; a reference to it.
  template <class Entry>
  static Entry& keep(std::vector<Entry>& before, std::vector<Entry>& now, Entry fresh) {
    Entry* known = entry_of(before, fresh.cgroup);
    now.push_back(known != nullptr ? std::move(*known) : std::move(fresh));
    if (known != nullptr) known->cgroup = now.back().cgroup;  // the old list stays in order
    return now.back();
  }

  void add_unit(CgroupIndex index, bool best_effort) {
    Unit& unit = keep(state_.units, units_, {.cgroup = node_.cgroup(index)->id});
    unit.index = index;
    unit.best_effort = best_effort;
  }

  void add_victim(CgroupIndex index, CgroupId unit, std::string key, const std::string& image,
                  bool ends_with_its_pod) {
    const CgroupId cgroup = node_.cgroup(index)->id;
    const std::size_t place = workload_of(std::move(key), image, node_.at, state_);
    Workload& workload = state_.workloads[place];
    workload.ends_with_its_pod = ends_with_its_pod;
    const Victim* known = entry_of(state_.victims, cgroup);
    const bool other_image = known != nullptr && state_.workloads[known->workload].image != image;
    Victim fresh{.cgroup = cgroup};
    for (std::size_t i = 0; i < kSignals; ++i) fresh.watch[i] = detector::VictimWatch(static_cast<Signal>(i));
    if (known == nullptr) teach(fresh, workload, !state_.seen.empty(), node_.at, detector_);
    Victim& victim = keep(state_.victims, victims_, fresh);
    if (other_image) {
      for (detector::VictimWatch& watch : victim.watch) watch.relearn();
      teach(victim, workload, true, node_.at, detector_);
    }
    victim.index = index;
    victim.unit = unit;
    victim.workload = place;
  }

  void add_pod(const PodSample& pod) {
    const CgroupSample* cgroup = node_.cgroup(pod.cgroup);
    if (cgroup == nullptr || !is_active(*pod.spec)) return;
    const bool best_effort = is_best_effort(*pod.spec);
    add_unit(pod.cgroup, best_effort);
    for (const ContainerSample& container : node_.containers_of(pod)) {
      const CgroupSample* own = node_.cgroup(container.cgroup);
      if (own == nullptr) continue;
      members_.push_back({own->id, cgroup->id});
      if (!best_effort && container.spec != nullptr)
        add_victim(container.cgroup, cgroup->id, workload_key(*pod.spec, *container.spec),
                   container.spec->image, pod.spec->owner.empty() && !pod.spec->is_static);
    }
    members_.push_back({cgroup->id, cgroup->id});
  }

  void add_application(const HostApplicationSample& app) {
    const CgroupSample* cgroup = node_.cgroup(app.cgroup);
    if (cgroup == nullptr) return;
    const bool best_effort = app.spec->qos == QosClass::be;
    add_unit(app.cgroup, best_effort);
    members_.push_back({cgroup->id, cgroup->id});
    if (!best_effort) add_victim(app.cgroup, cgroup->id, workload_key(*app.spec), {}, false);
  }

  const NodeSnapshot& node_;
  detector::DetectorSettings detector_;
  InterferenceState& state_;
  std::vector<CountedContainer> counted_{};
  std::vector<Victim> victims_{};
  std::vector<Unit> units_{};
  std::vector<InterferenceState::Member> members_{};
};

/// Windows of another length have other numbers and other usual values: the state starts again with what is
/// known of workloads. Returns whether it did.
bool follow_windows(const NodeSnapshot& node, const InterferenceSettings& settings,
                    InterferenceState& state) {
  const bool other_stalls = state.stall_window != settings.stall_window;
  const bool other_counts = state.counter_period != settings.counter_period;
  if (!other_stalls && !other_counts) return false;
  if (state.stall_window != Duration{}) {
    remember_workloads(node.at, detector_settings(settings), state);
    for (Workload& workload : state.workloads)
      for (std::size_t i = 0; i < kSignals; ++i)
        if (counts_cycles(static_cast<Signal>(i)) ? other_counts : other_stalls) workload.normal[i].reset();
    InterferenceState fresh{.workloads = std::move(state.workloads)};
    fresh.source = state.source;
    fresh.event_counts = state.event_counts;
    state = std::move(fresh);
  }
  state.stall_window = settings.stall_window;
  state.counter_period = settings.counter_period;
  return true;
}

}  // namespace

bool update_roster(const NodeSnapshot& node, const InterferenceSettings& settings, InterferenceState& state) {
  const bool anew = follow_windows(node, settings, state);
  if (!changed(node, settings, state)) return anew;
  remember_workloads(node.at, detector_settings(settings), state);
  Roster(node, settings, state).build();
  apply_configured_models(node, settings, state);
  state.specs = node.pod_specs.get();
  state.slo = node.slo.get();
  state.given = settings.models.data();
  state.seen.clear();
  for (const CgroupSample& cgroup : node.cgroups) state.seen.push_back(cgroup.id);
  return true;
}

CgroupId unit_of(const InterferenceState& state, CgroupId cgroup) {
  const auto* member = entry_of(state.members, cgroup);
  return member == nullptr ? CgroupId{} : member->unit;
}

}  // namespace evenkeel::interference
