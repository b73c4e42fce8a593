// CPU sets that a container inherited from the agent's. On v1 the container runtime copies the parent's set
// into a new container; created while the agent holds the parent narrow, it would stay narrow for life. The
// copied value was the agent's, so the container's original is what the parent had before the agent.
#include <algorithm>

#include "cgroup/executor/impl.h"
#include "cgroup/kernel/knob_files.h"

namespace evenkeel::executor {

/// The nearest ancestor whose CPU set the agent holds.
const HeldValue* Executor::Impl::limiting_ancestor(int group) {
  for (int up = state.now().group(group).parent; up >= 0; up = state.now().group(up).parent)
    if (const HeldValue* row = held.find(state.id(up), Knob::cpuset_cpus))
      return row->contest.ours() ? row : nullptr;
  return nullptr;
}

/// Applies whatever the plan says: a container created just when narrowing ends must be widened as well.
void Executor::Impl::adopt_inherited() {
  if (tree.layout().v2(Controller::cpuset) || options.dry_run) return;
  CgroupId oldest{UINT32_MAX};  // of those that may have been created below a set of the agent's
  for (const auto& row : held.rows())
    if (row.knob == Knob::cpuset_cpus) oldest = std::min(oldest, row.first_later_cgroup);
  for (int group = 0; group < state.size(); ++group) {
    const auto cgroup = state.id(group);
    if (cgroup < oldest || cgroup == kNodeItself || held.find(cgroup, Knob::cpuset_cpus)) continue;
    const HeldValue* above = limiting_ancestor(group);
    const bool copied = above && cgroup >= above->first_later_cgroup &&
                        !is_locked(group, Knob::cpuset_cpus) && state.known(group, Knob::cpuset_cpus) &&
                        state.now().value(group, Knob::cpuset_cpus) == above->ours_value;
    if (copied) adopt(group, *above);
  }
}

void Executor::Impl::adopt(int group, const HeldValue& above) {
  constexpr Knob kKnob = Knob::cpuset_cpus;
  const auto now = state.read(group, kKnob);
  if (!now || !kernel::same_text(kKnob, *now, above.ours)) return;
  HeldValue row = above;  // the original, the agent's texts and their values are the same
  row.cgroup = state.id(group);
  row.file = state.file(group, kKnob);
  row.file.inode = files.inode(row.file.dir).value_or(0);
  row.since = at;
  if (const decide::Intent* wish = intent_of(row.cgroup, kKnob)) {
    row.by = wish->by;
    row.why = wish->why;
  }
  const JournalEntry entry{row.file.dir, row.file.inode, kKnob, row.file.entry(), row.original, {}};
  if (journal.record_write(entry, row.ours)) held.at(row.cgroup, kKnob) = std::move(row);
}

}  // namespace evenkeel::executor
