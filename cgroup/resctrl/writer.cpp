#include "cgroup/resctrl/writer.h"

#include <algorithm>

#include "cgroup/base/text.h"
#include "cgroup/resctrl/impl.h"

namespace evenkeel::resctrl {

using executor::Sighting;

namespace {

const std::string kRoot = kResctrlDir;

}  // namespace

ResctrlGroupWriter::ResctrlGroupWriter(const tree::CgroupTree& tree, ResctrlFiles& files,
                                       executor::Journal& journal, bool dry_run)
    : impl_(std::make_unique<Impl>(tree, files, journal, dry_run)) {}
ResctrlGroupWriter::~ResctrlGroupWriter() = default;

void ResctrlGroupWriter::apply(const decide::ResctrlPlan& plan, MonoTime now, executor::Report& report) {
  if (plan.holds()) {
    impl_->complain(now, report);
  } else {
    impl_->run(plan, now, report);
  }
}

void ResctrlGroupWriter::restore_all(MonoTime now, executor::Report& report) {
  impl_->refusals.clear();
  impl_->run(decide::ResctrlPlan{}, now, report);
}

const ResctrlCounters& ResctrlGroupWriter::counters() const { return impl_->counters; }

executor::ActuatorTotals ResctrlGroupWriter::totals() const {
  const auto& of = impl_->counters;
  return {.writes = of.writes,
          .refusals = of.refusals,
          .foreign = of.foreign,
          .held = of.groups,
          .quarantined = of.quarantined};
}

void ResctrlGroupWriter::add_managed(std::vector<executor::Managed>& out) const {
  for (const auto& group : impl_->groups) {
    out.push_back({.path = group.schemata_file,
                   .original = "no such group",
                   .ours = one_line(group.requested),
                   .by = group.by,
                   .why = group.why,
                   .since = group.since,
                   .yielded = group.contest.yielded()});
  }
  for (const auto& member : impl_->members) {
    const auto* group = impl_->find(member.group);
    if (group == nullptr) continue;
    out.push_back({.cgroup = member.cgroup,
                   .path = group->tasks_file,
                   .original = "in the root's group",
                   .ours = "in " + group->name,
                   .by = group->by,
                   .why = group->why,
                   .since = group->since});
  }
}

/// The plan asks for groups while there is no resctrl; those held are only out of sight. Nothing is tried, so
/// it is reported once, until the plan asks for none.
void ResctrlGroupWriter::Impl::complain(MonoTime now, executor::Report& into) {
  at = now;
  report = &into;
  const bool reported = std::ranges::find(refusals, kRoot, &Refusal::what) != refusals.end();
  if (!groups.empty() || reported) return;
  refuse(kRoot, "groups", {.code = ENOENT, .op = Op::other}, kLongFirstPause,
         "cache ways or memory bandwidth are asked for, and resctrl is not mounted here");
  count();
}

void ResctrlGroupWriter::Impl::run(const decide::ResctrlPlan& plan, MonoTime now, executor::Report& into) {
  if (groups.empty() && members.empty() && plan.groups().empty()) {
    refusals.clear();  // a new request is tried and reported again
    removals.clear();
    return count();
  }
  at = now;
  report = &into;
  ++round;
  if (!plan.groups().empty()) last_by = plan.by;
  drop_lost();
  remove_unwanted(plan);
  for (const auto& planned : plan.groups())
    if (planned.wanted) ensure(planned, plan.by);
  place(plan);
  std::erase_if(refusals,
                [this](const Refusal& r) { return at > r.pause.retry_at + executor::kMaxRetryDelay; });
  count();
}

void ResctrlGroupWriter::Impl::count() {
  counters.groups = groups.size();
  counters.members = members.size();
  counters.quarantined = refusals.size();
}

HeldGroup* ResctrlGroupWriter::Impl::find(std::string_view name) {
  const auto found = std::ranges::find(groups, name, &HeldGroup::name);
  return found == groups.end() ? nullptr : &*found;
}
HeldGroup* ResctrlGroupWriter::Impl::find(std::uint32_t id) {
  const auto found = std::ranges::find(groups, id, &HeldGroup::id);
  return found == groups.end() ? nullptr : &*found;
}

/// Runs first, to free classes of service for other groups; the kernel moves their tasks to the root's.
void ResctrlGroupWriter::Impl::remove_unwanted(const decide::ResctrlPlan& plan) {
  for (std::size_t i = groups.size(); i-- > 0;)
    if (plan.find(groups[i].name) == nullptr && remove(groups[i]))
      groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(i));
  std::erase_if(removals, [&](const auto& removal) { return plan.find(removal.first) == nullptr; });
}

/// Drops groups that another process removed, and all of them when resctrl was unmounted.
void ResctrlGroupWriter::Impl::drop_lost() {
  if (dry_run) return;
  for (std::size_t i = groups.size(); i-- > 0;) {
    const auto& group = groups[i];
    const auto inode = files.inode(group.dir);
    const bool there = inode && *inode == group.inode;
    if (!inode && !vanished(inode.error())) continue;
    const auto removal = removals.find(group.name);
    if (there && removal != removals.end())
      removal->second.look({.value = Sighting::Value::ours}, at, counters);
    if (there) continue;
    auto& contest = removals[group.name];
    const auto step = contest.look({.value = Sighting::Value::before_us}, at, counters);
    report->foreign.push_back(
        contest.describe(step, {.path = group.dir, .ours = group.name, .theirs = "removed"}));
    static_cast<void>(journal.unmade(group.dir));
    groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

bool ResctrlGroupWriter::Impl::waits(const std::string& what) const {
  return std::ranges::any_of(refusals, [&](const Refusal& r) { return r.what == what && r.pause.waits(at); });
}

void ResctrlGroupWriter::Impl::accepted(const std::string& what) {
  std::erase_if(refusals, [&](const Refusal& r) { return r.what == what; });
}

/// No retry before a pause, which grows each time. Reads the kernel's own reason at once: the next command
/// would overwrite it.
void ResctrlGroupWriter::Impl::refuse(const std::string& path, const std::string& text, const Error& error,
                                      Duration first_pause, std::string detail) {
  if (error.op == Op::write) {
    const auto status = files.read(kRoot + "/info/last_cmd_status", room.text);
    if (status && trimmed(*status) != "ok") detail = trimmed(*status);
  }
  auto found = std::ranges::find(refusals, path, &Refusal::what);
  if (found == refusals.end()) found = refusals.insert(refusals.end(), Refusal{.what = path});
  const bool is_new = found->pause.refuse(error.code, detail, at, first_pause);
  if (error.op == Op::other && detail.empty()) return;  // reported in another way
  ++counters.refusals;
  if (!is_new) return;
  report->refusals.push_back({.path = path,
                              .error = error,
                              .text = text,
                              .quarantined = true,
                              .retry_in = found->pause.length,
                              .detail = std::move(detail)});
}

void ResctrlGroupWriter::Impl::record_change(const std::string& path, const std::string& before,
                                             const std::string& after, const HeldGroup& group,
                                             bool restored) {
  const Reason why =
      restored ? because("no policy requests this group any longer: its tasks are back in the root group")
               : group.why;
  report->writes.push_back({.path = path,
                            .old_text = before,
                            .new_text = after,
                            .by = group.by,
                            .restored = restored,
                            .why = why});
}

void restore_resctrl(ResctrlFiles& files, executor::Journal& journal, executor::Report& report) {
  const auto directories = journal.directories();  // by value: the loop removes records
  for (const auto& [path, inode] : directories) {
    if (!path.starts_with(kRoot + '/')) continue;  // another writer's
    const auto now = files.inode(path);
    if (!now && !vanished(now.error())) {
      report.refusals.push_back({.path = path, .error = now.error(), .text = "remove"});
      continue;
    }
    const bool ours = now && (inode == 0 || inode == *now);
    if (ours) {
      if (const auto removed = files.remove_dir(path); !removed && !vanished(removed.error())) {
        report.refusals.push_back({.path = path, .error = removed.error(), .text = "remove"});
        continue;
      }
      report.writes.push_back(
          {.path = path,
           .old_text = "group",
           .new_text = "",
           .by = decide::kNoPolicy,
           .restored = true,
           .why = because(
               "the journal says that the agent made this group: its tasks are back in the root group")});
    }
    static_cast<void>(journal.unmade(path));
  }
}

}  // namespace evenkeel::resctrl
