// The target value of every file: the plan, the originals of what the plan no longer names, and what the
// kernel's rules require for both.
#include <algorithm>
#include <bit>
#include <utility>

#include "cgroup/executor/impl.h"
#include "cgroup/kernel/knob_files.h"

namespace evenkeel::executor {

bool Executor::Impl::is_locked(int group, Knob knob) const {
  return (fixed[static_cast<std::size_t>(group)] & knob_bit(knob)) != 0;
}
bool Executor::Impl::is_intended(int group, Knob knob) const {
  return (intended[static_cast<std::size_t>(group)] & knob_bit(knob)) != 0;
}
void Executor::Impl::fix(int group, Knob knob) {
  if (group >= 0) fixed[static_cast<std::size_t>(group)] |= knob_bit(knob);
}

const decide::Intent* Executor::Impl::intent_of(CgroupId cgroup, Knob knob) const {
  const auto at_or_after =
      std::lower_bound(plan->begin(), plan->end(), std::pair(cgroup, knob),
                       [](const decide::Intent& i, auto key) { return std::pair(i.target, i.knob) < key; });
  const bool found = at_or_after != plan->end() && at_or_after->target == cgroup && at_or_after->knob == knob;
  return found ? &*at_or_after : nullptr;
}

bool Executor::Impl::acceptable(int group, const decide::Intent& intent) const {
  if (!kernel::legal_value(intent.knob, intent.value)) return false;
  const auto* cpus = std::get_if<CpuSet>(&intent.value);
  return !cpus || (!cpus->empty() && cpus->subset_of(state.online()) && group >= 0);
}

void Executor::Impl::place(const decide::Intent& intent) {
  const int group = state.index(intent.target);
  if (group < 0) return;  // removed since the snapshot
  intended[static_cast<std::size_t>(group)] |= knob_bit(intent.knob);
  if (intent.hold || is_locked(group, intent.knob)) return;
  const auto value = kernel::as_kernel_stores(intent.knob, intent.value, tree.layout());
  if (is_rejected(intent.target, intent.knob, value)) return fix(group, intent.knob);
  if (!acceptable(group, intent)) {
    reject(group, intent.knob, value, {EINVAL, Op::other, ""}, text(value));
    return;
  }
  if (!state.known(group, intent.knob))
    if (const auto now = state.read(group, intent.knob); !now) {
      if (vanished(now.error()) && skip_absent(group, intent.knob)) return;
      reject(group, intent.knob, value, now.error(), text(value));
      return;
    }
  const auto target = with_owners(intent, group, value);
  want.assume(group, intent.knob, target);
  if (HeldValue* row = held.find(intent.target, intent.knob)) return follow_owner(*row, intent);
  if (!(target == value)) kept.push_back({intent.target, intent.knob, target, value, intent.by});
}

/// A kubelet with the feature MemoryQoS protects and throttles pods itself: no policy takes that back.
KnobValue Executor::Impl::with_owners(const decide::Intent& intent, int group, const KnobValue& value) {
  const KnobRow& lever = evenkeel::row(intent.knob);
  if (!lever.owner_counts) return value;
  const HeldValue* held_value = held.find(intent.target, intent.knob);
  const bool ours = held_value && held_value->contest.ours();
  const KnobValue owners = ours ? held_value->original_value.value() : state.now().value(group, intent.knob);
  const bool counts = lever.merge == Merge::highest ? tighter(value, owners) : tighter(owners, value);
  return counts ? owners : value;
}

/// The owner may have changed its value while the agent's was in force; the file does not show it where the
/// new value happens to be the agent's, or where the agent has written since. A first look changes nothing:
/// the pod list may be older than the file.
void Executor::Impl::follow_owner(HeldValue& row, const decide::Intent& intent) {
  if (!intent.owners) return;
  const auto last = std::exchange(row.owners, intent.owners);
  if (!last || *last == *intent.owners || !row.contest.ours()) return;
  // On a full disk the next tick tries again.
  if (!change_original(row, KnobValue{*intent.owners})) row.owners = last;
}

/// False: the journal does not take it.
bool Executor::Impl::change_original(HeldValue& row, const KnobValue& value) {
  auto original = kernel::format_value(row.knob, value, row.original, tree.layout());
  if (!options.dry_run && !journal.record_write(entry_of(row.file, row.knob, original), row.ours))
    return false;
  row.original = std::move(original);
  row.original_value = kernel::as_kernel_stores(row.knob, value, tree.layout());
  return true;
}

/// On cgroup v1 no cgroup may have more than its parent. Where an owner has given one below `row` more than
/// the original, it has raised the parent before, to a quota that happens to be the agent's: the original is
/// as large by now.
void Executor::Impl::follow_children(HeldValue& row, int group) {
  if (row.knob != Knob::cpu_quota || tree.layout().v2(Controller::cpu)) return;
  const auto original = row.original_value.number();
  if (!original || *original < 0) return;
  std::int64_t least = *original;
  for (int below = group + 1; below < state.size(); ++below) {
    const auto& child = state.now().group(below);
    if (child.quota_us <= least || !state.known(below, row.knob) || !state.now().is_within(below, group))
      continue;
    const HeldValue* held_child = held.find(state.id(below), row.knob);
    const bool owners = !held_child || !held_child->contest.ours();
    if (owners && child.period_us == state.now().group(group).period_us) least = child.quota_us;
  }
  if (least != *original) change_original(row, KnobValue{least});
}

/// The kernel has taken a CPU that went offline out of the directory above, too, and there it stays out: the
/// original would have lost it as well. Only at a stop: before, another process may have narrowed that
/// directory for a while. Rows of directories above come first.
void Executor::Impl::follow_parent(HeldValue& row, int group) {
  if (!restores_all || row.knob != Knob::cpuset_cpus || tree.layout().v2(Controller::cpuset) ||
      !row.contest.ours())
    return;
  const int parent = state.now().group(group).parent;
  if (parent >= 0 && !state.known(parent, row.knob) && !state.read(parent, row.knob)) return;
  const HeldValue* above = parent >= 0 ? held.find(state.id(parent), row.knob) : nullptr;
  const auto most = above && above->contest.ours() ? above->original_value.value()
                    : parent >= 0                  ? state.now().value(parent, row.knob)
                                                   : KnobValue{state.online()};
  const auto original = row.original_value.value();
  const auto *has = std::get_if<CpuSet>(&original), *may = std::get_if<CpuSet>(&most);
  if (!has || !may || has->subset_of(*may) || (*has & *may).empty()) return;
  change_original(row, KnobValue{*has & *may});
}

void Executor::Impl::release(HeldValue& row) {
  const int group = state.index(row.cgroup);
  if (group < 0 || is_intended(group, row.knob) || is_locked(group, row.knob)) return;
  if (!state.known(group, row.knob) && !state.read(group, row.knob)) return;
  follow_children(row, group);
  follow_parent(row, group);
  const auto original = row.original_value.value();
  if (is_rejected(row.cgroup, row.knob, original)) return fix(group, row.knob);
  want.assume(group, row.knob, original);
}

/// The kernel refuses shares while a group is idle, and forgets earlier ones: they are written when it is no
/// longer idle.
void Executor::Impl::keep_idle_shares() {
  for (int group = 0; group < state.size(); ++group)
    if (want.group(group).idle) want.group(group).shares = state.now().group(group).shares;
}

void Executor::Impl::apply_intents() {
  want = state.now();
  intended.assign(static_cast<std::size_t>(state.size()), 0);
  kept.clear();
  for (const auto& intent : *plan) place(intent);
  for (auto& row : held.rows()) release(row);
  keep_idle_shares();
  kernel::fit_to_rules(state.now(), fixed, want);
  for (HeldValue& row : held.rows()) {
    const decide::Intent* intent = intent_of(row.cgroup, row.knob);
    const int group = intent && !intent->hold ? state.index(row.cgroup) : -1;
    if (group >= 0 && !is_locked(group, row.knob)) explain(row, group);
  }
}

/// Whether the value that is to be in force is the intended one: the kernel's rules may leave less of it.
bool Executor::Impl::is_met(const decide::Intent& intent, int group) const {
  if (intent.hold) return true;
  if (intent.knob == Knob::cpu_shares && want.group(group).idle) return false;
  return want.value(group, intent.knob) == kernel::as_kernel_stores(intent.knob, intent.value, tree.layout());
}

void Executor::Impl::find_targets() {
  targets.clear();
  for (int group = 0; group < state.size(); ++group) {
    const bool wakes = state.now().group(group).idle && !want.group(group).idle;
    const auto open = state.known(group) & ~fixed[static_cast<std::size_t>(group)];
    for (KnobBits left = open; left != 0; left &= left - 1) {
      const auto knob = static_cast<Knob>(std::countr_zero(left));
      if (knob == Knob::cpu_shares && want.group(group).idle) continue;  // refused by the kernel while idle
      const auto value = want.value(group, knob);
      const bool forgotten =
          wakes && knob == Knob::cpu_shares && (is_intended(group, knob) || held.find(state.id(group), knob));
      if (forgotten || !(value == state.now().value(group, knob))) targets.push_back({group, knob, value});
    }
  }
}

}  // namespace evenkeel::executor
