// One write with all its parts: the journal record before, the read-back after, and the report.
#include "cgroup/base/text.h"
#include "cgroup/executor/impl.h"
#include "cgroup/kernel/knob_files.h"

namespace evenkeel::executor {
namespace {

constexpr std::string_view kLineEnd = "\n";

/// An empty write does nothing, so the empty CPU set is a line end.
std::string writable(const std::string& text) { return text.empty() ? std::string(kLineEnd) : text; }

}  // namespace

bool Executor::Impl::write_step(const kernel::PlannedWrite& step) {
  if (is_locked(step.group, step.knob)) return true;
  const auto now = state.read(step.group, step.knob);
  if (!now) {
    fix(step.group, step.knob);
    return false;
  }
  const HeldValue* row = held.find(state.id(step.group), step.knob);
  const bool restoring = row && !step.intermediate && row->contest.ours() &&
                         !is_intended(step.group, step.knob) && step.value == row->original_value;
  const auto text = restoring ? writable(row->original)
                              : kernel::format_value(step.knob, intended_value(step), *now, tree.layout());
  if (options.dry_run) return pretend(step.group, step.knob, step.value, text, restoring);
  return put(step.group, step.knob, text, restoring);
}

/// The intended number, where the kernel itself rounds it to the step's value (whole pages).
const KnobValue& Executor::Impl::intended_value(const kernel::PlannedWrite& step) const {
  const decide::Intent* intent = intent_of(state.id(step.group), step.knob);
  const bool same = intent && !intent->hold &&
                    kernel::as_kernel_stores(step.knob, intent->value, tree.layout()) == step.value;
  return same ? intent->value : step.value;
}

bool Executor::Impl::put(int group, Knob knob, const std::string& text, bool restoring) {
  const HeldValue* row = held.find(state.id(group), knob);
  const auto before = state.read(group, knob);
  if (!before) return false;
  auto file = row ? row->file : state.file(group, knob);
  // The inode of the node's own directories in procfs may change at any time.
  if (!row && !is_of_node(knob)) {
    const auto life = files.inode(file.dir);
    // On record without it, the value would be that of whatever directory has the path by then.
    if (!life) return failed(group, knob, file, life.error(), text, restoring);
    file.inode = *life;
  }
  // When a foreign value is overwritten, it is the owner's latest value, and the one to restore.
  const auto& original = row && row->contest.ours() ? row->original : *before;
  auto entry = entry_of(file, knob, original);
  // After a reset the file holds its owner's text, which is not the agent's although the value is.
  if (row && row->contest.ours() && is_ours(*row, *before)) entry.ours = {*before};
  if (const auto noted = journal.record_write(entry, trimmed(text)); !noted)
    return failed(group, knob, file, noted.error(), text, restoring);
  if (knob == Knob::cpu_idle && trimmed(text) == "1")
    if (const auto noted = announce_shares(group); !noted)
      return failed(group, knob, file, noted.error(), text, restoring);
  if (knob == Knob::cpuset_cpus && !restoring)
    if (const auto noted = record_own_sets(group, text); !noted)
      return failed(group, knob, file, noted.error(), text, restoring);
  if (const auto written = files.write(file, text); !written)
    return failed(group, knob, file, written.error(), text, restoring);
  finish(group, knob, file, *before, text, restoring);
  if (knob == Knob::cpu_idle) refresh_shares(group);
  return true;
}

bool Executor::Impl::failed(int group, Knob knob, const KnobFile& file, const Error& error,
                            const std::string& text, bool restoring) {
  const auto cgroup = state.id(group);
  if (!held.find(cgroup, knob)) static_cast<void>(journal.done(file.path(), file.inode));
  if (vanished(error) && skip_absent(group, knob)) return false;
  if (vanished(error) && !is_of_node(knob) && is_gone(files.inode(file.dir), file.inode)) {
    forget_group(group);  // removed, and made again under the same name
    return false;
  }
  const auto value = kernel::parse_value(knob, text, tree.layout());
  reject(group, knob, value.value_or(KnobValue{}), error, std::string(trimmed(text)));
  if (restoring && error.code == ENOSPC && knob == Knob::cpuset_cpus) return write_parent_cpus(group);
  return false;
}

/// On v2 the kernel refuses to empty the CPU set of a group with processes in it (ENOSPC). All CPUs of the
/// parent come closest; the entry stays, and the original is retried later.
bool Executor::Impl::write_parent_cpus(int group) {
  const auto* cgroup = tree.find(state.id(group));
  const auto* parent = cgroup ? tree.find(cgroup->parent) : nullptr;
  const auto above = cgroup && parent ? tree.dir(*parent, Controller::cpuset)
                     : cgroup         ? tree.layout().root(Controller::cpuset)
                                      : std::string();
  const auto all = files.read({.dir = above, .name = "cpuset.cpus.effective"});
  if (!all || trimmed(*all).empty()) return false;
  const std::string text(trimmed(*all));
  const auto now = state.read(group, Knob::cpuset_cpus);
  return now &&
         (kernel::same_text(Knob::cpuset_cpus, *now, text) || put(group, Knob::cpuset_cpus, text, false));
}

void Executor::Impl::finish(int group, Knob knob, const KnobFile& file, const std::string& before,
                            const std::string& text, bool restoring) {
  const auto cgroup = state.id(group);
  const auto back = state.read_again(group, knob);
  const std::string after = back.value_or(std::string(trimmed(text)));
  ++counters.writes;
  // The fallback of a refused restore keeps its refusal, or it would be tried at each tick.
  if (!is_locked(group, knob)) accepted(cgroup, knob);
  const bool fresh = held.find(cgroup, knob) == nullptr;
  HeldValue& row = held.at(cgroup, knob);
  if (fresh) row.since = at;
  if (fresh) row.first_later_cgroup = tree.next_id();
  row.file = file;
  if (fresh || !row.contest.ours()) {
    row.original = before;
    row.original_value = kernel::parse_value(knob, before, tree.layout()).value_or(KnobValue{});
  }
  if (fresh) row.before_us = row.original_value;
  if (const decide::Intent* intent = intent_of(cgroup, knob); intent && intent->owners)
    row.owners = intent->owners;
  row.contest.written(at);
  if (!kernel::same_text(knob, after, trimmed(text)))
    static_cast<void>(journal.record_write(entry_of(file, knob, row.original), after));
  row.ours = after;
  row.ours_value = state.now().value(group, knob);
  explain(row, group);
  const bool restored = restoring && kernel::same_text(knob, after, row.original);
  report_write(row, before, after, restored);
  if (!restored) return;
  ++counters.restored;
  let_go(row);
  held.erase(cgroup, knob);
}

/// cpu.idle replaces the shares: 3 (weight 0) while it is 1, the default afterwards. Both texts are recorded
/// as the agent's before it is written, so that the earlier shares are restored after a crash too.
Result<> Executor::Impl::announce_shares(int group) {
  const auto cgroup = state.id(group);
  const auto now = state.read(group, Knob::cpu_shares);
  if (!now || state.now().group(group).idle) return {};
  const bool fresh = held.find(cgroup, Knob::cpu_shares) == nullptr;
  auto file = state.file(group, Knob::cpu_shares);
  const auto life = files.inode(file.dir);
  if (fresh && !life) return tl::unexpected(life.error());
  HeldValue& row = held.at(cgroup, Knob::cpu_shares);
  if (fresh) {
    row.file = std::move(file);
    row.file.inode = *life;
    row.original = row.ours = *now;
    row.original_value = row.ours_value = state.now().value(group, Knob::cpu_shares);
    row.before_us = row.original_value;
    row.since = at;
    explain(row, group);
  }
  const bool v2 = tree.layout().v2(Controller::cpu);
  const auto entry = entry_of(row.file, Knob::cpu_shares, row.original);
  auto noted = journal.record_write(entry, v2 ? "100" : "1024");
  if (noted) noted = journal.record_write(entry, v2 ? "0" : "3");
  return noted;
}

void Executor::Impl::refresh_shares(int group) {
  const auto now = state.read_again(group, Knob::cpu_shares);
  HeldValue* row = held.find(state.id(group), Knob::cpu_shares);
  if (!now || !row) return;
  row->ours = *now;
  row->ours_value = state.now().value(group, Knob::cpu_shares);
}

bool Executor::Impl::pretend(int group, Knob knob, const KnobValue& value, const std::string& text,
                             bool restoring) {
  const auto cgroup = state.id(group);
  const bool fresh = held.find(cgroup, knob) == nullptr;
  HeldValue& row = held.at(cgroup, knob);
  if (fresh) {
    row.file = state.file(group, knob);
    row.original = state.read(group, knob).value_or("");
    row.original_value = state.now().value(group, knob);
    row.since = at;
  }
  const auto before = fresh ? row.original : row.ours;
  row.ours = trimmed(text);
  row.ours_value = value;
  explain(row, group);
  state.now().assume(group, knob, value);
  report_write(row, before, row.ours, restoring);
  if (restoring) held.erase(cgroup, knob);
  return true;
}

/// Sets the reason: the plan's own where its wish is fulfilled, or that of the intent on this group or an
/// ancestor that required another value. Without such an intent the kernel's rules require it with an
/// original that is being restored, and no policy is named.
void Executor::Impl::explain(HeldValue& row, int group) const {
  const decide::Intent* intent = intent_of(row.cgroup, row.knob);
  if (intent) row.by = intent->by;
  if (intent && is_met(*intent, group)) {
    row.why = intent->why;
    return;
  }
  if (!intent && row.why.sentence[0] != '\0') return;  // being restored, or held for the same reason
  const bool asleep = row.knob == Knob::cpu_shares;
  const bool bound = row.knob == Knob::cpu_burst;
  const auto cause = asleep ? Knob::cpu_idle : bound ? Knob::cpu_quota : row.knob;
  const auto is_cause = [&](int up) { return intent_of(state.id(up), cause) != nullptr; };
  const int from = cause == row.knob ? state.now().group(group).parent : group;
  if (const int up = state.now().nearest(from, is_cause); up >= 0)
    row.by = intent_of(state.id(up), cause)->by;
  row.why =
      asleep  ? because("a cgroup with cpu.idle has no shares of its own: they come back when cpu.idle ends")
      : bound ? because("a burst may not be larger than the quota")
      : evenkeel::row(row.knob).owner_counts ? kOwnerGoesFurther
                                             : because("no cgroup may have more than its parent");
}

void Executor::Impl::report_write(const HeldValue& row, const std::string& before, const std::string& after,
                                  bool restored) {
  ++changes;
  const Reason why =
      restored ? because("no policy requests this value any longer: the original was restored") : row.why;
  report.writes.push_back(
      {row.file.shown_path(), before, after, row.cgroup, row.knob, row.by, restored, why});
}

}  // namespace evenkeel::executor
