// What somebody else wrote where we had written: noticed, told once, left alone for a minute, written over at
// most three times, then theirs. The owner of a pod who puts his own value back has it at once.
//
// Theirs for how long? A value of their own is a decision, and stays. The value from before us need not be
// one: `systemctl daemon-reload` writes every unit's values anew, whatever they are, and so does any upgrade
// of a package with a unit in it. Were that an answer for good, each node would lose its levers with the
// first of them. So after an hour in which nobody touched it, it is ours again. Whoever does not leave it to
// us for an hour then is left alone twice as long, up to a day: a controller that writes every minute has his
// value but for a minute a day.
#include <algorithm>

#include "cgroup/executor/impl.h"
#include "cgroup/kernel/knob_files.h"

namespace evenkeel::executor {
namespace {

constexpr Duration kLeftAlone = std::chrono::seconds(60);
/// Undisturbed for so long the count begins anew. Longer than the pace at which controllers look after their
/// values (seconds to half an hour), shorter than that at which packages are upgraded.
constexpr Duration kQuiet = std::chrono::hours(1);
constexpr Duration kLongestAway = std::chrono::hours(24);
constexpr int kMostRounds = 3;

}  // namespace

void Executor::Impl::judge_all() {
  // The rows that go are dropped behind the loop: judging looks into the table.
  std::vector<std::pair<CgroupId, Knob>> dropped;
  for (auto& row : held.rows())
    if (!judge(row)) dropped.emplace_back(row.cgroup, row.knob);
  for (const auto& key : dropped) held.erase(key.first, key.second);
}

bool Executor::Impl::judge(Held& row) {
  const int group = state.index(row.cgroup);
  if (group < 0) return true;
  if (row.claim == Claim::yielded) {
    if (!may_come_back(row, group)) fix(group, row.knob);
    return true;
  }
  const bool as_left = state.known(group, row.knob) && state.now().value(group, row.knob) == row.ours_value;
  if (as_left && !seen_write(row)) {
    row.claim = Claim::ours;
    if (row.rounds > 0 && at - row.asserted > kQuiet) {
      row.rounds = 0;
      row.away = {};
    }
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
    row.claim = Claim::ours;
    return true;
  }
  return judge_foreign(row, group, text.value_or("?"));
}

/// A value that was yielded may be written again: it is wished, and the value from before us has stood there,
/// untouched, for long enough.
bool Executor::Impl::may_come_back(Held& row, int group) const {
  const bool as_before_us =
      state.known(group, row.knob) && state.now().value(group, row.knob) == row.before_us;
  if (!as_before_us || seen_write(row)) row.noticed = at;
  const decide::Intent* wish = wish_of(row.cgroup, row.knob);
  return as_before_us && wish && !wish->hold && at - row.noticed >= row.away;
}

bool Executor::Impl::is_ours(const Held& row, std::string_view text) const {
  if (kernel::same_text(row.knob, row.ours, text)) return true;
  // Shares change with cpu.idle, by the kernel's hand and on our account: what that gives is on record.
  const auto* entry = row.knob == Knob::cpu_shares ? journal.find(row.file.path(), row.file.inode) : nullptr;
  if (!entry) return false;
  for (const auto& ours : entry->ours)
    if (kernel::same_text(row.knob, ours, text)) return true;
  return false;
}

const SeenValue* Executor::Impl::seen_write(const Held& row) const {
  for (const auto& value : *seen)
    if (value.cgroup == row.cgroup.itself() && value.file == file_part(row.file.name)) return &value;
  return nullptr;
}

bool Executor::Impl::judge_foreign(Held& row, int group, const std::string& text) {
  if (row.claim == Claim::ours) ++counters.foreign;
  const decide::Intent* wish = wish_of(row.cgroup, row.knob);
  const auto value = kernel::parse_value(row.knob, text, tree.layout());
  if (wish && !wish->hold && value && *value == kernel::as_held(row.knob, wish->value, tree.layout())) {
    let_go(row);  // what we want as well: it holds, and it is not ours to undo
    return false;
  }
  if (!wish) {  // on its way back: nothing goes over somebody else's value
    tell(row, text, true);
    let_go(row);
    return false;
  }
  const bool owned = state.kind(group) == CgroupKind::pod || state.kind(group) == CgroupKind::container;
  const bool owner_is_back = owned && kernel::same_text(row.knob, row.original, text);
  const bool enough = row.claim == Claim::ours && row.rounds >= kMostRounds;
  if (owner_is_back || enough) {
    yield(row, text);
  } else if (row.claim == Claim::ours) {
    row.claim = Claim::contested;
    row.noticed = at;
    tell(row, text, false);
  }
  row.theirs = text;
  const bool may_write = row.claim == Claim::contested && at - row.noticed >= kLeftAlone && !wish->hold;
  if (!may_write) fix(group, row.knob);
  return true;
}

void Executor::Impl::yield(Held& row, const std::string& theirs) {
  tell(row, theirs, true);
  let_go(row);
  row.claim = Claim::yielded;
  row.noticed = at;
  row.away = std::clamp(row.away * 2, kQuiet, kLongestAway);
  ++counters.yielded;
}

void Executor::Impl::let_go(const Held& row) {
  // A journal that cannot take it (a full disk) keeps the entry; restoring then finds a value that is not
  // ours, and leaves it.
  if (!options.dry_run && row.claim != Claim::yielded)
    static_cast<void>(journal.done(row.file.path(), row.file.inode));
}

void Executor::Impl::tell(const Held& row, const std::string& theirs, bool yielded) {
  const auto* write = seen_write(row);
  report.foreign.push_back({row.file.shown_path(), row.ours, theirs, write ? write->writer : tree::Writer{},
                            row.rounds, yielded, row.cgroup});
}

}  // namespace evenkeel::executor
