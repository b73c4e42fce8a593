// One call of the executor: held and intended values become targets, targets become steps, steps become
// writes; what the kernel refuses is left out and the rest planned again.
#include "cgroup/executor/executor.h"

#include <algorithm>
#include <limits>

#include "cgroup/executor/impl.h"
#include "cgroup/kernel/knob_files.h"

namespace evenkeel::executor {
namespace {

constexpr std::size_t kMostRounds = 100;

bool is_denial(int code) { return code == EPERM || code == EROFS; }

}  // namespace

Executor::Executor(const tree::CgroupTree& tree, KernelFiles& files, Journal& journal,
                   ExecutorOptions options)
    : impl_(std::make_unique<Impl>(tree, files, journal, options)) {}
Executor::~Executor() = default;

Report Executor::apply(const std::vector<decide::Intent>& plan, const NodeSnapshot& node,
                       const std::vector<tree::TreeWatch::Changes::Value>& seen) {
  impl_->plan = &plan;
  impl_->seen = &seen;
  impl_->restores_all = false;
  impl_->adopt_leftovers(node.at);
  impl_->state.take(node, impl_->disk_targets());
  impl_->max_changes = impl_->options.max_changes;
  impl_->begin(node.at);
  impl_->run();
  return std::move(impl_->report);
}

Report Executor::restore_all(MonoTime now) {
  const std::vector<decide::Intent> nothing;
  const std::vector<ObservedWrite> none;
  impl_->plan = &nothing;
  impl_->seen = &none;
  impl_->restores_all = true;
  impl_->rejected.rows().clear();
  impl_->denied_in_a_row = 0;
  impl_->adopt_leftovers(now);
  impl_->state.look(impl_->disk_targets());
  impl_->max_changes = std::numeric_limits<std::size_t>::max();
  impl_->begin(now);
  impl_->run();
  return std::move(impl_->report);
}

std::vector<Managed> Executor::managed() const {
  std::vector<Managed> out;
  for (const auto& row : impl_->held.rows())
    out.push_back({row.cgroup, row.knob, row.file.shown_path(), row.original, row.ours, row.by, row.why,
                   row.since, row.contest.yielded()});
  std::ranges::sort(out, {}, &Managed::path);
  return out;
}

std::vector<Kept> Executor::kept() const {
  std::vector<Kept> out;
  for (const auto& value : impl_->kept) {
    const int group = impl_->state.index(value.cgroup);
    if (group < 0) continue;
    const auto as_text = [&](const StoredValue& of) {
      return kernel::format_value(value.knob, of.value(), "", impl_->tree.layout());
    };
    out.push_back({value.cgroup, value.knob, impl_->state.file(group, value.knob).shown_path(),
                   as_text(value.owners), as_text(value.wanted), value.by, kOwnerGoesFurther});
  }
  std::ranges::sort(out, {}, &Kept::path);
  return out;
}

const ExecutorCounters& Executor::counters() const { return impl_->counters; }

/// Cgroups on disks that an intent names, or that hold a value of the agent's.
std::span<const CgroupId> Executor::Impl::disk_targets() {
  on_disks.clear();
  const auto add = [this](CgroupId target) {
    if (target.disk != 0 && (on_disks.empty() || on_disks.back() != target)) on_disks.push_back(target);
  };
  for (const auto& intent : *plan) add(intent.target);
  for (const auto& row : held.rows()) add(row.cgroup);
  std::ranges::sort(on_disks);
  on_disks.erase(std::unique(on_disks.begin(), on_disks.end()), on_disks.end());
  return on_disks;
}

void Executor::Impl::begin(MonoTime now) {
  if (now != at) changes = 0;
  at = now;
  report = {};
  static_cast<void>(journal.keep_file());  // if that fails, the next record says so
  fixed.assign(static_cast<std::size_t>(state.size()), 0);
  drop_gone();
  if (all_denied()) leave_denied();
  for (int group = 0; group < state.size(); ++group) {
    if (!state.hands_off(group)) continue;
    for (const auto& lever : knob_table())
      if (!held.find(state.id(group), lever.knob)) fix(group, lever.knob);
  }
  if (!options.dry_run) {
    check_held_values();
    return adopt_inherited();
  }
  // Nothing was written (dry run), so the model is set as if it had been.
  for (const auto& row : held.rows())
    if (const int group = state.index(row.cgroup); group >= 0)
      state.now().assume(group, row.knob, row.ours_value.value());
}

void Executor::Impl::run() {
  const std::size_t most = kMostRounds + (restores_all ? held.rows().size() : 0);
  for (std::size_t round = 0; round < most; ++round) {
    apply_intents();
    find_targets();
    report.deferred = 0;
    if (targets.empty()) break;
    plan_batch();
    if (targets.empty()) break;  // no more in this tick
    if (confirm_targets() && carry_out()) break;
  }
  counters.deferred += report.deferred;
  drop_settled();
  forget_own_sets();
  forget_steps();
  counters.managed = static_cast<std::size_t>(
      std::ranges::count_if(held.rows(), [](const HeldValue& row) { return !row.contest.yielded(); }));
  counters.quarantined = rejected.size();
}

/// Values of removed cgroups are gone with them.
void Executor::Impl::drop_gone() {
  const auto gone = [this](CgroupId cgroup) {
    return state.index(cgroup) < 0 && !tree.find(cgroup.itself());
  };
  held.erase_if([&](const HeldValue& row) {
    if (!gone(row.cgroup)) return false;
    let_go(row);
    return true;
  });
  rejected.erase_if(
      [&](const Rejected& row) { return gone(row.cgroup) || at > row.pause.retry_at + kMaxRetryDelay; });
}

/// No policy asks for the value and the file holds the original: nothing is left to restore.
void Executor::Impl::drop_settled() {
  held.erase_if([this](const HeldValue& row) {
    const int group = state.index(row.cgroup);
    if (group < 0 || !row.contest.ours() || is_intended(group, row.knob) || is_locked(group, row.knob))
      return false;
    const bool borrowed = row.knob == Knob::cpu_shares && state.now().group(group).idle;
    const bool original = state.known(group, row.knob) &&
                          state.now().value(group, row.knob) == row.original_value &&
                          want.value(group, row.knob) == row.original_value;
    if (borrowed || !original) return false;
    let_go(row);
    return true;
  });
}

void Executor::Impl::forget_group(int group) {
  const auto cgroup = state.id(group);
  held.erase_if([&](const HeldValue& row) {
    if (row.cgroup != cgroup) return false;
    let_go(row);
    return true;
  });
  for (const auto& lever : knob_table()) fix(group, lever.knob);
}

/// A file is absent because its directory is: of a cgroup that was removed, or that is being made or removed
/// (on cgroup v1 a runtime makes the directories of one container one after the other). Then there is nothing
/// to report. False: the directory is there.
bool Executor::Impl::skip_absent(int group, Knob knob) {
  if (is_of_node(knob)) return false;
  const auto* cgroup = tree.find(state.id(group).itself());
  if (!cgroup || is_removed(tree.layout().primary() + '/' + cgroup->path)) {
    forget_group(group);
    return true;
  }
  const auto dir = state.file(group, knob).dir;  // empty: this kernel has no such file
  if (dir.empty() || !is_removed(dir)) return false;
  fix(group, knob);
  return true;
}

bool Executor::Impl::is_removed(const std::string& dir) const {
  const auto life = files.inode(dir);
  return !life && vanished(life.error());
}

/// The snapshot may be older than the files, so targets are checked against the files themselves; false when
/// a file differed, and the intents must be evaluated again.
bool Executor::Impl::confirm_targets() {
  bool as_thought = true;
  for (const auto& target : targets) as_thought = confirm(target) && as_thought;
  return as_thought;
}

bool Executor::Impl::confirm(const kernel::Target& target) {
  const auto cgroup = state.id(target.group);
  HeldValue* const row = held.find(cgroup, target.knob);
  if (options.dry_run && row) return true;
  const bool learned = state.read_relatives(target.group, target.knob);
  const auto thought = state.now().value(target.group, target.knob);
  const auto text = state.read(target.group, target.knob);
  if (!text) {
    if (!vanished(text.error()) || !skip_absent(target.group, target.knob))
      reject(target.group, target.knob, target.value, text.error(), evenkeel::text(target.value));
    return false;
  }
  const auto held_now = state.now().value(target.group, target.knob);
  if (held_now == thought) return !learned;
  if (row && row->contest.yielded()) fix(target.group, target.knob);  // a new foreign write
  if (row && row->contest.ours() && !is_ours(*row, *text) && !handle_foreign_write(*row, target.group, *text))
    held.erase(cgroup, target.knob);
  return false;
}

/// Plans the steps to all targets, or as many as the limit allows; the other targets then wait unread.
void Executor::Impl::plan_batch() {
  steps.clear();
  model = state.now();
  kernel::plan_writes(model, targets, steps);
  report.deferred = kernel::keep_first(steps, max_changes - std::min(changes, max_changes));
  if (report.deferred == 0) return;
  kernel::KnobMask taken(static_cast<std::size_t>(state.size()), 0);
  for (const auto& step : steps) taken[static_cast<std::size_t>(step.group)] |= knob_bit(step.knob);
  std::erase_if(targets, [&](const kernel::Target& target) {
    return (taken[static_cast<std::size_t>(target.group)] & knob_bit(target.knob)) == 0;
  });
}

/// They are as many as there are values when the agent starts or stops, and few or none in a steady tick.
void Executor::Impl::forget_steps() {
  std::vector<kernel::Target>().swap(targets);
  std::vector<kernel::PlannedWrite>().swap(steps);
  model = kernel::KernelRules{kernel::KernelKind{}};
}

/// A stop tries everything: there is no later tick.
bool Executor::Impl::carry_out() {
  for (const auto& step : steps)
    if (!write_step(step)) return all_denied() && !restores_all;
  return true;
}

bool Executor::Impl::is_rejected(CgroupId cgroup, Knob knob, const KnobValue& value) {
  const Rejected* row = rejected.find(cgroup, knob);
  return row && row->value == value && row->pause.waits(at);
}

/// While everything seems to be refused, only values that were not refused before are tried, each tick until
/// the first refusal: one that is accepted ends the pause.
void Executor::Impl::leave_denied() {
  for (const auto& row : rejected.rows())
    if (is_denial(row.pause.code)) fix(state.index(row.cgroup), row.knob);
}

/// A file that refuses its values again says nothing about the others, and a sysctl nothing about cgroups.
void Executor::Impl::count_denial(Knob knob, bool again) {
  if (!again && !is_of_node(knob)) ++denied_in_a_row;
  if (denied_in_a_row >= kAllDeniedThreshold && !denied.waits(at)) denied.refuse(EPERM, {}, at);
}

void Executor::Impl::accepted(CgroupId cgroup, Knob knob) {
  denied_in_a_row = 0;
  denied = {};
  rejected.erase(cgroup, knob);
}

void Executor::Impl::reject(int group, Knob knob, const KnobValue& value, const Error& error,
                            const std::string& text) {
  const auto cgroup = state.id(group);
  Rejected& row = rejected.at(cgroup, knob);
  if (!(row.value == value)) row.pause.length = {};
  const bool denied_before = is_denial(row.pause.code);
  const bool is_new = row.pause.refuse(error.code, {}, at);
  row.value = value;
  fix(group, knob);
  ++counters.refusals;
  ++counters.refusals_by_errno[error.code];
  if (is_denial(error.code)) count_denial(knob, denied_before);
  // A lever that only vendor kernels have is not reported as missing elsewhere.
  if (!is_new || (evenkeel::row(knob).may_be_absent() && vanished(error))) return;
  report.refusals.push_back(
      {state.file(group, knob).shown_path(), error, text, true, row.pause.length, cgroup});
}

}  // namespace evenkeel::executor
