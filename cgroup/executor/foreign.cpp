// Foreign writes on the files that the executor holds; the value's contest says the next step.
#include <algorithm>

#include "cgroup/executor/impl.h"
#include "cgroup/executor/inherited.h"
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
  if (!text && vanished(text.error()) && is_removed(row.file.dir)) {
    let_go(row);
    return false;
  }
  if (!text && text.error().op != Op::parse) {
    fix(group, row.knob);
    return true;
  }
  if (text && is_ours(row, *text)) {
    if (is_cut_by_kernel(row, *text)) {
      row.ours = *text;
      row.ours_value = state.now().value(group, row.knob);
    }
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
  if (kernel::same_text(row.knob, row.ours, text) || is_cut_by_kernel(row, text)) return true;
  // The kernel changes shares with cpu.idle, because of the agent's write: the resulting values are recorded.
  const auto* entry = row.knob == Knob::cpu_shares ? journal.find(row.file.path(), row.file.inode) : nullptr;
  if (!entry) return false;
  for (const auto& ours : entry->ours)
    if (kernel::same_text(row.knob, ours, text)) return true;
  return false;
}

/// A process that writes a smaller set is observed; the kernel, when a CPU goes offline, is not.
bool Executor::Impl::is_cut_by_kernel(const HeldValue& row, std::string_view text) const {
  return row.knob == Knob::cpuset_cpus && !kernel::same_text(row.knob, row.ours, text) &&
         !tree.layout().v2(Controller::cpuset) && !find_observed_write(row) &&
         is_cut(row.ours, text, v1_cpus_above(files, row.file.dir));
}

const ObservedWrite* Executor::Impl::find_observed_write(const HeldValue& row) const {
  for (const auto& value : *seen)
    if (value.cgroup == row.cgroup.itself() && value.file == file_part(row.file.name)) return &value;
  return nullptr;
}

/// systemd writes every property of a unit again when one changes (the kubelet renews the weights of its
/// slices every minute), and on `systemctl daemon-reload`: without a decision behind it, a value becomes what
/// the unit says, or what the kernel starts with. A value that is contested was decided on, and stays so
/// while nobody writes; the kernel's initial one even if systemd then writes it once more.
bool Executor::Impl::is_reset(const HeldValue& row, std::string_view text,
                              const std::optional<KnobValue>& value, const ObservedWrite* write) const {
  const bool by_another = write && write->writer.pid != 0 && !is_systemd(write->writer);
  if (by_another || !tree::is_systemd_unit(row.file.dir)) return false;
  const bool ours = row.contest.ours();
  if (kernel::same_text(row.knob, row.original, text)) return ours || write;
  return ours && value && kernel::is_initial_value(row.knob, *value);
}

/// A pod whose containers' directories are gone is about to be removed; the kubelet lowers its shares before.
bool Executor::Impl::is_dying(int group, Knob knob) const {
  if (state.kind(group) != CgroupKind::pod) return false;
  for (int other = group + 1; other < state.size(); ++other)
    if (state.now().group(other).parent == group && !is_removed(state.file(other, knob).dir)) return false;
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
  const auto kind = state.kind(group);
  const bool owned = kind == CgroupKind::pod || kind == CgroupKind::container || kind == CgroupKind::subgroup;
  const auto* write = find_observed_write(row);
  const bool reset = is_reset(row, text, value, write);
  const Sighting sighting{.value = as_intended ? Sighting::Value::as_intended
                                   : reset     ? Sighting::Value::reset
                                               : Sighting::Value::other,
                          .by_systemd = write && is_systemd(write->writer),
                          .owner_is_back = owned && kernel::same_text(row.knob, row.original, text),
                          .restoring = intent == nullptr || (reset && intent->hold)};
  const auto step = row.contest.look(sighting, at, counters);
  if (step == Contest::Step::report || step == Contest::Step::yield) report_foreign(row, step, text);
  if (step == Contest::Step::yield || step == Contest::Step::release) let_go(row);
  if (step == Contest::Step::release || sighting.restoring) return false;
  const bool may_write = step == Contest::Step::write || step == Contest::Step::put_back;
  if (!may_write) keep_off_record(row, text);
  if (!may_write || intent->hold) fix(group, row.knob);
  return true;
}

/// The owner may decide on a text that the agent wrote some ticks ago. It is on record as the agent's, so
/// after a kill -9 a restore would write over it.
void Executor::Impl::keep_off_record(const HeldValue& row, std::string_view text) {
  const auto* entry = options.dry_run ? nullptr : journal.find(row.file.path(), row.file.inode);
  const auto is_text = [&](const std::string& ours) { return kernel::same_text(row.knob, ours, text); };
  if (!entry || std::ranges::none_of(entry->ours, is_text)) return;
  const auto fresh = entry_of(row.file, row.knob, row.original);
  // Nothing on record in between is right, too: the value is the owner's.
  if (journal.done(row.file.path(), row.file.inode)) static_cast<void>(journal.record_write(fresh, row.ours));
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

}  // namespace evenkeel::executor
