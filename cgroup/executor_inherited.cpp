// CPU sets that a container got from us by birth. On v1 whoever makes a container copies its parent's set
// into it; born while we hold the parent narrow, it would stay narrow for life. What it copied was ours, so
// what it gets back in the end is what the parent had before us.
#include "cgroup/executor_impl.h"
#include "cgroup/knob_files.h"

namespace evenkeel {

/// The nearest cgroup above whose CPU set we hold.
const Held* Executor::Impl::narrowed_above(int group) {
  for (int up = state.now().group(group).parent; up >= 0; up = state.now().group(up).parent)
    if (const Held* row = held.find(state.id(up), Knob::cpuset_cpus))
      return row->claim == Claim::ours ? row : nullptr;
  return nullptr;
}

void Executor::Impl::adopt_inherited() {
  if (tree.layout().v2(Controller::cpuset) || options.dry_run) return;
  for (const auto& intent : *plan) {
    const int group = state.index(intent.target);
    if (intent.knob != Knob::cpuset_cpus || group < 0 || held.find(intent.target, intent.knob)) continue;
    const Held* above = narrowed_above(group);
    const bool copied = above && intent.target >= above->next_born && state.known(group, intent.knob) &&
                        state.now().value(group, intent.knob) == above->ours_value;
    if (copied) adopt(group, intent, *above);
  }
}

void Executor::Impl::adopt(int group, const Intent& intent, const Held& above) {
  const auto now = state.read(group, intent.knob);
  if (!now || !same_text(intent.knob, *now, above.ours)) return;
  Held row = above;  // original, ours and their values are the same
  row.cgroup = intent.target;
  row.file = state.file(group, intent.knob);
  row.file.inode = files.inode(row.file.dir).value_or(0);
  row.by = intent.by;
  row.why = intent.why;
  row.since = at;
  const JournalEntry entry{
      row.file.dir, row.file.inode, intent.knob, std::string(row.file.name), row.original, {}};
  if (journal.will_write(entry, row.ours)) held.at(intent.target, intent.knob) = std::move(row);
}

}  // namespace evenkeel
