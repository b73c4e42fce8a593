// One resctrl group: its directory, its schemata, and foreign writes to them.
#include "cgroup/resctrl/impl.h"

namespace evenkeel::resctrl {

using executor::Contest;
using executor::Sighting;

namespace {

constexpr Duration kFirstPause = std::chrono::seconds(1);
const std::string kRoot = kResctrlDir;

}  // namespace

void ResctrlGroupWriter::Impl::ensure(const decide::ResctrlGroup& planned, decide::PolicyIndex by) {
  auto* group = find(planned.name);
  if (group == nullptr) {
    if (!may_make(planned.name) || !make(planned)) return;
    group = &groups.back();
    if (const auto removal = removals.find(planned.name); removal != removals.end())
      removal->second.written(at);
    group->by = by;
    group->why = planned.why;
    record_change(group->dir, "", "group", *group, false);
  }
  group->by = by;
  group->why = planned.why;
  set(planned, *group);
}

/// Whether the group is not yielded to another process that has removed it.
bool ResctrlGroupWriter::Impl::may_make(const std::string& name) {
  const auto removal = removals.find(name);
  if (removal == removals.end() || removal->second.ours()) return true;
  const bool there = files.inode(kRoot + '/' + name).has_value();
  const auto value = there ? Sighting::Value::other : Sighting::Value::before_us;
  return removal->second.look({.value = value}, at, counters) == Contest::Step::write;
}

/// A directory of that name without a journal record belongs to another process.
bool ResctrlGroupWriter::Impl::make(const decide::ResctrlGroup& planned) {
  HeldGroup group{.name = planned.name, .dir = kRoot + "/" + planned.name, .since = at};
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
    if (const auto noted = journal.record_creation(group.dir); !noted) return refused(noted.error());
    if (const auto made = files.make_dir(group.dir); !made) {
      static_cast<void>(journal.unmade(group.dir));
      return refused(made.error());
    }
    const auto life = files.inode(group.dir);
    if (!life) {  // without it the group could not be told from one that another process makes later
      if (files.remove_dir(group.dir)) static_cast<void>(journal.unmade(group.dir));
      return refused(life.error());
    }
    group.inode = *life;
    static_cast<void>(journal.made(group.dir, group.inode));
  }
  if (left) group.inode = *there;
  accepted(group.dir);
  ++counters.writes;
  group.id = next_group++;
  groups.push_back(std::move(group));
  return true;
}

bool ResctrlGroupWriter::Impl::remove(HeldGroup& group) {
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
  record_change(group.dir, "group", "", group, true);
  return true;
}

/// Reads the schemata, and writes only what differs.
void ResctrlGroupWriter::Impl::set(const decide::ResctrlGroup& planned, HeldGroup& group) {
  const bool is_new = group.requested != planned.schemata;
  if (dry_run) {
    if (is_new)
      record_change(group.schemata_file, one_line(group.requested), one_line(planned.schemata), group, false);
    group.requested = planned.schemata;
    return;
  }
  const auto found = files.read(group.schemata_file, room.text);
  if (!found) {
    if (!waits(group.schemata_file)) refuse(group.schemata_file, "read", found.error(), kFirstPause);
    return;
  }
  const bool as_left = *found == group.seen;
  if (!is_new && group.in_force && as_left) {
    group.contest.look({.value = Sighting::Value::ours}, at, counters);
    return;
  }
  const std::string text(*found);
  const auto now = parse_schemata(text), want = parse_schemata(planned.schemata);
  if (!want) return;
  if (group.seen.empty()) group.before_us = text;
  const bool held = now && holds(*now, *want);
  const bool foreign = !group.seen.empty() && !as_left && !held;
  const auto step = compare(group, now, text, foreign);
  if (step != Contest::Step::keep && step != Contest::Step::write) return;
  if (held) {
    group.requested = planned.schemata;
    group.seen = text;
    group.in_force = true;
    return accepted(group.schemata_file);
  }
  if (!is_new && waits(group.schemata_file)) return;
  put(planned, group, text);
}

/// The contest's step for the schemata that were found.
Contest::Step ResctrlGroupWriter::Impl::compare(HeldGroup& group, const std::optional<Schemata>& found,
                                                const std::string& text, bool foreign) {
  const bool before_us = found && found == parse_schemata(group.before_us);
  const auto value = !foreign    ? Sighting::Value::ours
                     : before_us ? Sighting::Value::before_us
                                 : Sighting::Value::other;
  const auto step =
      group.contest.look({.value = value, .written = !foreign && text != group.seen}, at, counters);
  if (step == Contest::Step::report || step == Contest::Step::yield)
    report->foreign.push_back(group.contest.describe(
        step, {.path = group.schemata_file, .ours = one_line(group.requested), .theirs = one_line(text)}));
  return step;
}

/// All lines at once: the kernel accepts them together or not at all.
void ResctrlGroupWriter::Impl::put(const decide::ResctrlGroup& planned, HeldGroup& group,
                                   const std::string& before) {
  group.requested = planned.schemata;
  group.in_force = false;
  if (const auto written = files.write(group.schemata_file, planned.schemata); !written) {
    refuse(group.schemata_file, one_line(planned.schemata), written.error(), kFirstPause);
    // The kernel may have accepted some of the lines: those are no foreign write.
    if (group.seen.empty() || !group.contest.ours()) return;
    if (const auto after = files.read(group.schemata_file, room.text)) group.seen = *after;
    return;
  }
  accepted(group.schemata_file);
  ++counters.writes;
  // The held value is what the kernel made of it: it may have rounded.
  if (const auto after = files.read(group.schemata_file, room.text)) group.seen = *after;
  group.in_force = true;
  group.contest.written(at);
  record_change(group.schemata_file, one_line(before), one_line(group.seen), group, false);
}

}  // namespace evenkeel::resctrl
