// One group: its directory, its schemata, and what somebody else wrote there.
#include "cgroup/resctrl/impl.h"

namespace evenkeel::resctrl {
namespace {

constexpr Duration kFirstPause = std::chrono::seconds(1);
const std::string kRoot = kResctrlDir;

}  // namespace

void ResctrlHand::Impl::ensure(const decide::ResctrlGroup& wish, decide::PolicyIndex by) {
  auto* group = find(wish.name);
  if (group == nullptr) {
    if (!make(wish)) return;
    group = &groups.back();
    group->by = by;
    group->why = wish.why;
    tell(group->dir, "", "group", *group, false);
  }
  group->by = by;
  group->why = wish.why;
  set(wish, *group);
}

/// A directory of that name that we have no record of is somebody else's.
bool ResctrlHand::Impl::make(const decide::ResctrlGroup& wish) {
  HeldGroup group{.name = wish.name, .dir = kRoot + "/" + wish.name, .since = at};
  group.schemata_file = group.dir + "/schemata";
  group.tasks_file = group.dir + "/tasks";
  if (waits(group.dir)) return false;
  const auto refused = [&](const Error& error) {
    refuse(group.dir, "make", error, kFirstPause);
    return false;
  };
  const auto there = files.inode(group.dir);
  const auto on_record = journal.directories().find(group.dir);
  const bool left = there && on_record != journal.directories().end() && on_record->second == *there;
  if (there && !left) return refused({.code = EEXIST, .op = Op::open});
  if (!dry_run && !left) {
    if (const auto noted = journal.will_make(group.dir); !noted) return refused(noted.error());
    if (const auto made = files.make_dir(group.dir); !made) {
      static_cast<void>(journal.unmade(group.dir));
      return refused(made.error());
    }
    group.inode = files.inode(group.dir).value_or(0);
    static_cast<void>(journal.made(group.dir, group.inode));
  }
  if (left) group.inode = *there;
  accepted(group.dir);
  ++counters.writes;
  group.id = next_group++;
  groups.push_back(std::move(group));
  return true;
}

bool ResctrlHand::Impl::remove(HeldGroup& group) {
  if (waits(group.dir)) return false;
  if (!dry_run) {
    if (const auto removed = files.remove_dir(group.dir); !removed && !vanished(removed.error())) {
      refuse(group.dir, "remove", removed.error(), kFirstPause);
      return false;
    }
    static_cast<void>(journal.unmade(group.dir));
  }
  accepted(group.dir);
  accepted(group.schemata_file);
  ++counters.writes;
  tell(group.dir, "group", "", group, true);
  return true;
}

/// Reads, and writes only what is not as it should be.
void ResctrlHand::Impl::set(const decide::ResctrlGroup& wish, HeldGroup& group) {
  const bool asked_anew = group.asked != wish.schemata;
  if (dry_run) {
    if (asked_anew) tell(group.schemata_file, one_line(group.asked), one_line(wish.schemata), group, false);
    group.asked = wish.schemata;
    return;
  }
  const auto found = files.read(group.schemata_file, room.text);
  if (!found) {
    if (!waits(group.schemata_file)) refuse(group.schemata_file, "read", found.error(), kFirstPause);
    return;
  }
  if (!asked_anew && group.in_force && *found == group.seen) {
    if (group.claim == executor::Claim::contested) group.claim = executor::Claim::ours;
    return;
  }
  const std::string text(*found);
  const auto now = parse_schemata(text), want = parse_schemata(wish.schemata);
  if (!want) return;
  if (now && holds(*now, *want)) {
    group.asked = wish.schemata;
    group.seen = text;
    group.in_force = true;
    group.claim = executor::Claim::ours;
    return accepted(group.schemata_file);
  }
  if (!asked_anew && group.in_force && !judge_foreign(group, text)) return;
  if (!asked_anew && waits(group.schemata_file)) return;
  put(wish, group, text);
}

/// Whether it may be written over now: after a minute, three times at most.
bool ResctrlHand::Impl::judge_foreign(HeldGroup& group, std::string_view found) {
  if (group.claim == executor::Claim::yielded) return false;
  if (group.claim == executor::Claim::contested && at - group.noticed >= kLeftAlone) {
    ++group.rounds;
    group.claim = executor::Claim::ours;
    return true;
  }
  if (group.claim == executor::Claim::contested) return false;
  ++counters.foreign;
  group.claim = group.rounds >= kMostRounds ? executor::Claim::yielded : executor::Claim::contested;
  group.noticed = at;
  report->foreign.push_back({.path = group.schemata_file,
                             .ours = one_line(group.asked),
                             .theirs = one_line(found),
                             .round = group.rounds,
                             .yielded = group.claim == executor::Claim::yielded});
  return false;
}

/// All lines at once: the kernel takes them together or not at all.
void ResctrlHand::Impl::put(const decide::ResctrlGroup& wish, HeldGroup& group, const std::string& before) {
  group.asked = wish.schemata;
  group.in_force = false;
  if (group.claim == executor::Claim::yielded) group.claim = executor::Claim::ours;
  if (const auto written = files.write(group.schemata_file, wish.schemata); !written)
    return refuse(group.schemata_file, one_line(wish.schemata), written.error(), kFirstPause);
  accepted(group.schemata_file);
  ++counters.writes;
  // What the kernel makes of it is what we hold: it may have rounded.
  if (const auto after = files.read(group.schemata_file, room.text)) group.seen = *after;
  group.in_force = true;
  tell(group.schemata_file, one_line(before), one_line(group.seen), group, false);
}

}  // namespace evenkeel::resctrl
