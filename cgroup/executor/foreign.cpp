// Values that others than the executor wrote: foreign writes on the files that it holds, where the value's
// contest says the next step; and CPU sets that a container inherited.
#include <algorithm>

#include "cgroup/executor/impl.h"
#include "cgroup/kernel/knob_files.h"

namespace evenkeel::executor {
namespace {

bool is_systemd(const tree::Writer& writer) { return writer.pid != 0 && writer.command == "systemd"; }

}  // namespace

void Executor::Impl::check_held_values() {
  // Rows are dropped after the loop, because judging looks into the table.
  std::vector<std::pair<CgroupId, Knob>> dropped;
  for (auto& row : held.rows())
    if (!judge(row)) dropped.emplace_back(row.cgroup, row.knob);
  for (const auto& key : dropped) held.erase(key.first, key.second);
}

bool Executor::Impl::judge(HeldValue& row) {
  const int group = state.index(row.cgroup);
  if (group < 0) return true;
  if (row.contest.yielded()) {
    judge_yielded(row, group);
    return true;
  }
  const bool as_left = state.known(group, row.knob) && state.now().value(group, row.knob) == row.ours_value;
  if (as_left && !find_observed_write(row)) {
    row.contest.look({.value = Sighting::Value::ours}, at, counters);
    return true;
  }
  const auto text = state.read(group, row.knob);
  if (!text && vanished(text.error()) && !files.inode(row.file.dir)) {
    let_go(row);
    return false;
  }
  if (!text && text.error().op != Op::parse) {
    fix(group, row.knob);
    return true;
  }
  if (text && is_ours(row, *text)) {
    row.contest.look({.value = Sighting::Value::ours, .written = true}, at, counters);
    return true;
  }
  return handle_foreign_write(row, group, text.value_or("?"));
}

void Executor::Impl::judge_yielded(HeldValue& row, int group) {
  const bool as_before_us =
      state.known(group, row.knob) && state.now().value(group, row.knob) == row.before_us;
  const Sighting sighting{.value = as_before_us ? Sighting::Value::before_us : Sighting::Value::other,
                          .written = find_observed_write(row) != nullptr};
  const auto step = row.contest.look(sighting, at, counters);
  const decide::Intent* intent = intent_of(row.cgroup, row.knob);
  if (step != Contest::Step::write || !intent || intent->hold) fix(group, row.knob);
}

bool Executor::Impl::is_ours(const HeldValue& row, std::string_view text) const {
  if (kernel::same_text(row.knob, row.ours, text)) return true;
  // The kernel changes shares with cpu.idle, because of the agent's write: the resulting values are recorded.
  const auto* entry = row.knob == Knob::cpu_shares ? journal.find(row.file.path(), row.file.inode) : nullptr;
  if (!entry) return false;
  for (const auto& ours : entry->ours)
    if (kernel::same_text(row.knob, ours, text)) return true;
  return false;
}

const ObservedWrite* Executor::Impl::find_observed_write(const HeldValue& row) const {
  for (const auto& value : *seen)
    if (value.cgroup == row.cgroup.itself() && value.file == file_part(row.file.name)) return &value;
  return nullptr;
}

/// systemd writes every property of a unit again when one changes (the kubelet renews the weights of its
/// slices every minute), and on `systemctl daemon-reload`: without a decision behind it, a value becomes what
/// the unit says, or what the kernel starts with.
bool Executor::Impl::is_reset(const HeldValue& row, std::string_view text,
                              const std::optional<KnobValue>& value, const tree::Writer& writer) const {
  const bool by_another = writer.pid != 0 && !is_systemd(writer);
  if (by_another || !tree::is_systemd_unit(row.file.dir)) return false;
  return kernel::same_text(row.knob, row.original, text) ||
         (value && kernel::is_initial_value(row.knob, *value));
}

/// A pod whose containers' directories are gone is about to be removed; the kubelet lowers its shares before.
bool Executor::Impl::is_dying(int group, Knob knob) const {
  if (state.kind(group) != CgroupKind::pod) return false;
  for (int other = group + 1; other < state.size(); ++other)
    if (state.now().group(other).parent == group && files.inode(state.file(other, knob).dir)) return false;
  return true;
}

/// Whether the row stays.
bool Executor::Impl::handle_foreign_write(HeldValue& row, int group, const std::string& text) {
  if (is_dying(group, row.knob)) {
    let_go(row);
    fix(group, row.knob);
    return false;
  }
  const decide::Intent* intent = intent_of(row.cgroup, row.knob);
  const auto value = kernel::parse_value(row.knob, text, tree.layout());
  const bool as_intended = intent && !intent->hold && value &&
                           *value == kernel::as_kernel_stores(row.knob, intent->value, tree.layout());
  const bool owned = state.kind(group) == CgroupKind::pod || state.kind(group) == CgroupKind::container;
  const auto* write = find_observed_write(row);
  const auto writer = write ? write->writer : tree::Writer{};
  const bool reset = is_reset(row, text, value, writer);
  const Sighting sighting{.value = as_intended ? Sighting::Value::as_intended
                                   : reset     ? Sighting::Value::reset
                                               : Sighting::Value::other,
                          .by_systemd = is_systemd(writer),
                          .owner_is_back = owned && kernel::same_text(row.knob, row.original, text),
                          .restoring = intent == nullptr || (reset && intent->hold)};
  const auto step = row.contest.look(sighting, at, counters);
  if (step == Contest::Step::report || step == Contest::Step::yield) report_foreign(row, step, text);
  if (step == Contest::Step::yield || step == Contest::Step::release) let_go(row);
  if (step == Contest::Step::release || sighting.restoring) return false;
  const bool may_write = step == Contest::Step::write || step == Contest::Step::put_back;
  if (!may_write || intent->hold) fix(group, row.knob);
  return true;
}

void Executor::Impl::let_go(const HeldValue& row) {
  // A journal that cannot store it (a full disk) keeps the entry; restoring then finds a foreign value, and
  // leaves it.
  if (!options.dry_run) static_cast<void>(journal.done(row.file.path(), row.file.inode));
}

void Executor::Impl::report_foreign(const HeldValue& row, Contest::Step step, const std::string& theirs) {
  const auto* write = find_observed_write(row);
  report.foreign.push_back(row.contest.describe(step, {.path = row.file.shown_path(),
                                                       .ours = row.ours,
                                                       .theirs = theirs,
                                                       .writer = write ? write->writer : tree::Writer{},
                                                       .cgroup = row.cgroup}));
}

// On v1 the container runtime copies the parent's CPU set into a new container; created while the agent holds
// the parent narrow, it would stay narrow for life. The copied value was the agent's, so the container's
// original is what the parent had before the agent.

/// The nearest ancestor whose CPU set the agent holds.
const HeldValue* Executor::Impl::limiting_ancestor(int group) {
  const HeldValue* row = nullptr;
  const int above = state.now().nearest(state.now().group(group).parent, [&](int up) {
    row = held.find(state.id(up), Knob::cpuset_cpus);
    return row != nullptr;
  });
  return above >= 0 && row->contest.ours() ? row : nullptr;
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
  if (const decide::Intent* intent = intent_of(row.cgroup, kKnob)) {
    row.by = intent->by;
    row.why = intent->why;
  }
  const JournalEntry entry{row.file.dir, row.file.inode, kKnob, row.file.entry(), row.original, {}};
  if (journal.record_write(entry, row.ours)) held.at(row.cgroup, kKnob) = std::move(row);
}

}  // namespace evenkeel::executor
