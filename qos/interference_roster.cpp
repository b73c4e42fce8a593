#include "qos/interference_roster.h"

#include <algorithm>
#include <string>
#include <utility>

namespace evenkeel {
namespace {

constexpr std::size_t kMostWorkloads = 1000;

bool changed(const NodeSnapshot& node, const InterferenceState& state) {
  return state.specs != node.pod_specs.get() ||
         !std::ranges::equal(state.seen, node.cgroups, {}, {}, &CgroupSample::id);
}

/// What pods of one make have in common: their owner (a ReplicaSet is another with each release), or the pod
/// itself.
std::string workload_key(const Pod& pod, const Container& container) {
  const auto& owner = pod.eviction.owner_uid;
  return (owner.empty() ? pod.namespace_ + "/" + pod.name : owner) + "/" + container.name + "/" +
         container.image;
}

std::size_t workload(std::string key, MonoTime now, InterferenceState& state) {
  const auto found = std::ranges::find(state.workloads, key, &Workload::key);
  if (found != state.workloads.end()) {
    found->used = now;
    return static_cast<std::size_t>(found - state.workloads.begin());
  }
  if (state.workloads.size() < kMostWorkloads) {
    state.workloads.push_back({.key = std::move(key), .used = now});
    return state.workloads.size() - 1;
  }
  // Nobody's model is in use that has not been used for longest, or there are a thousand services here.
  const auto oldest = std::ranges::min_element(state.workloads, {}, &Workload::used);
  *oldest = {.key = std::move(key), .used = now};
  return static_cast<std::size_t>(oldest - state.workloads.begin());
}

/// The lists anew, with what was known of those who stay.
class Roster {
 public:
  Roster(const NodeSnapshot& node, InterferenceState& state) : node_(node), state_(state) {}

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

  void add_victim(CgroupIndex index, CgroupId unit, std::string key) {
    const CgroupId cgroup = node_.cgroup(index)->id;
    const bool known = entry_of(state_.victims, cgroup) != nullptr;
    const std::size_t taught = workload(std::move(key), node_.at, state_);
    Victim fresh{.cgroup = cgroup};
    for (std::size_t i = 0; !known && i < kSignals; ++i) {
      fresh.watch[i] = VictimWatch(static_cast<Signal>(i));
      if (const auto& normal = state_.workloads[taught].normal[i]) fresh.watch[i].model().load(*normal);
    }
    Victim& victim = keep(state_.victims, victims_, std::move(fresh));
    victim.index = index;
    victim.unit = unit;
    victim.workload = taught;
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
        add_victim(container.cgroup, cgroup->id, workload_key(*pod.spec, *container.spec));
    }
    members_.push_back({cgroup->id, cgroup->id});
  }

  void add_application(const HostApplicationSample& app) {
    const CgroupSample* cgroup = node_.cgroup(app.cgroup);
    if (cgroup == nullptr) return;
    const bool best_effort = app.spec->qos == QosClass::be;
    add_unit(app.cgroup, best_effort);
    members_.push_back({cgroup->id, cgroup->id});
    if (!best_effort) add_victim(app.cgroup, cgroup->id, "host/" + app.spec->name);
  }

  const NodeSnapshot& node_;
  InterferenceState& state_;
  std::vector<CountedContainer> counted_{};
  std::vector<Victim> victims_{};
  std::vector<Unit> units_{};
  std::vector<InterferenceState::Member> members_{};
};

/// What the victims' models know goes to their workloads.
void remember_workloads(MonoTime now, InterferenceState& state) {
  for (const Victim& victim : state.victims) {
    Workload& workload = state.workloads[victim.workload];
    workload.used = now;
    for (std::size_t i = 0; i < kSignals; ++i) {
      const auto normal = victim.watch[i].model().normal();
      // Of several pods of one workload the one that knows most speaks for all.
      if (normal && (!workload.normal[i] || normal->weight >= workload.normal[i]->weight))
        workload.normal[i] = normal;
    }
  }
}

}  // namespace

void follow_roster(const NodeSnapshot& node, InterferenceState& state) {
  if (!changed(node, state)) return;
  remember_workloads(node.at, state);
  Roster(node, state).build();
  state.specs = node.pod_specs.get();
  state.seen.clear();
  for (const CgroupSample& cgroup : node.cgroups) state.seen.push_back(cgroup.id);
}

CgroupId unit_of(const InterferenceState& state, CgroupId cgroup) {
  const auto* member = entry_of(state.members, cgroup);
  return member == nullptr ? CgroupId{} : member->unit;
}

}  // namespace evenkeel
