#include <algorithm>
#include <tuple>

#include "qos/decide/intent.h"

namespace evenkeel::decide {
namespace {

/// Groups intents for one lever; inside a group values come before holds and the higher rank before the
/// lower.
bool before(const Intent& a, const Intent& b) {
  return std::tie(a.target, a.knob, a.hold, a.by) < std::tie(b.target, b.knob, b.hold, b.by);
}

bool same_lever(const Intent& a, const Intent& b) { return a.target == b.target && a.knob == b.knob; }

/// Whether `later`, which comes later in rank, wins the lever from `winner`.
bool overrules(const Intent& later, const Intent& winner) {
  if (later.hold) return false;
  switch (row(winner.knob).merge) {
    case Merge::lowest:
      return tighter(later.value, winner.value);
    case Merge::highest:
      return tighter(winner.value, later.value);
    case Merge::first:
      return false;
  }
  return false;
}

/// `intents` must be sorted by target.
void drop_hands_off(const NodeSnapshot& node, std::vector<Intent>& intents) {
  const auto by_target = [](const Intent& a, const Intent& b) {
    return a.target.value < b.target.value;  // its disks with it
  };
  Intent probe;
  for (const CgroupSample& sample : node.cgroups) {
    if (!sample.hands_off) continue;
    probe.target = sample.id;
    const auto [first, last] = std::equal_range(intents.begin(), intents.end(), probe, by_target);
    intents.erase(first, last);
  }
}

/// Keeps one intent per lever, in place.
void merge(std::vector<Intent>& intents) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < intents.size(); ++i) {
    const bool first_of_lever = kept == 0 || !same_lever(intents[kept - 1], intents[i]);
    if (first_of_lever) {
      intents[kept++] = intents[i];
      continue;
    }
    Intent& winner = intents[kept - 1];
    const auto owners = winner.owners ? winner.owners : intents[i].owners;
    if (overrules(intents[i], winner)) winner = intents[i];
    winner.owners = owners;
  }
  intents.resize(kept);
}

/// Whether the value of a container has to be in its subgroup too. A subgroup without a quota is not limited;
/// it gets none.
bool is_bound_by(const CgroupSample& subgroup, const Intent& intent) {
  if (!row(intent.knob).in_subgroups) return false;
  const Applied& applied = subgroup.applied;
  if (is_plain(intent.knob)) return applied.plain.has(intent.knob);
  if (intent.knob == Knob::cpu_burst && !applied.cpu_burst) return false;
  return applied.cpu_limit && (applied.cpu_limit->quota || std::holds_alternative<Unlimited>(intent.value));
}

/// `plan` must be sorted, and is afterwards.
void add_subgroups(const NodeSnapshot& node, std::vector<Intent>& plan) {
  const std::size_t planned = plan.size();
  for (const CgroupSample& sample : node.cgroups) {
    if (sample.kind != CgroupKind::subgroup) continue;
    const CgroupId container = node.cgroup(sample.parent)->id;
    const auto of_container =
        std::lower_bound(plan.begin(), plan.begin() + static_cast<std::ptrdiff_t>(planned), container,
                         [](const Intent& intent, CgroupId id) { return intent.target < id; });
    for (auto i = static_cast<std::size_t>(of_container - plan.begin());
         i < planned && plan[i].target == container; ++i) {
      if (!is_bound_by(sample, plan[i])) continue;
      Intent of_subgroup = plan[i];
      of_subgroup.target = sample.id;
      plan.push_back(of_subgroup);
    }
  }
  if (plan.size() > planned) std::ranges::sort(plan, before);
}

}  // namespace

void arbitrate(const NodeSnapshot& node, const NodeSlo& slo, Intents& intents, std::vector<Intent>& plan) {
  plan.clear();
  if (slo.evenkeel.hands_off) return;
  for (const Intent* intent : intents.sorted(before))
    if (intent->target) plan.push_back(*intent);
  drop_hands_off(node, plan);
  merge(plan);
  add_subgroups(node, plan);
}

}  // namespace evenkeel::decide
