// What a killed agent left and the kernel refused to restore at the start: it is held like a value that this
// agent has written, so that ticks and the stop restore it, and no policy takes it for an original.
#include <algorithm>
#include <utility>

#include "cgroup/base/text.h"
#include "cgroup/executor/impl.h"
#include "cgroup/kernel/knob_files.h"

namespace evenkeel::executor {

/// Once, before the first write: from then on, what is on record is this agent's.
void Executor::Impl::adopt_leftovers(MonoTime now) {
  if (std::exchange(has_adopted_leftovers, true)) return;
  for (const auto& entry : journal.entries())
    if (const auto cgroup = cgroup_of(entry)) {
      HeldValue& row = held.at(*cgroup, entry.knob);
      row.since = now;
      adopt(entry, row);
    }
}

/// Absent: it is not in the tree, or the value is another writer's (IoCostWriter: lines of io.cost).
std::optional<CgroupId> Executor::Impl::cgroup_of(const JournalEntry& entry) const {
  const auto file = file_of(entry);
  if (has_disk_lines(entry.knob) && !is_of_disk(entry.knob)) return {};
  if (is_of_node(entry.knob)) return kNodeItself;
  const std::string root = tree.layout().root(row(entry.knob).controller) + '/';
  const auto* cgroup = entry.dir.starts_with(root) ? tree.find_path(entry.dir.substr(root.size())) : nullptr;
  return cgroup ? std::optional(CgroupId{cgroup->id.value, file.device}) : std::nullopt;
}

void Executor::Impl::adopt(const JournalEntry& entry, HeldValue& row) {
  const auto value_of = [&](const std::string& text) {
    return kernel::parse_value(entry.knob, text, tree.layout()).value_or(KnobValue{});
  };
  row.file = file_of(entry);
  row.original = entry.original;
  row.ours = entry.ours.empty() ? entry.original : entry.ours.back();
  if (const auto now = files.read(row.file))
    for (const auto& text : entry.ours)
      if (kernel::same_text(entry.knob, text, trimmed(*now))) row.ours = text;
  row.original_value = row.before_us = value_of(row.original);
  row.ours_value = value_of(row.ours);
  row.first_later_cgroup = tree.next_id();
  row.why = because("an earlier agent wrote it, and the kernel refused to restore the original at the start");
}

}  // namespace evenkeel::executor
