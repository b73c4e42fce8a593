#include "cgroup/sched/core_sched_writer.h"

#include <algorithm>
#include <utility>

namespace evenkeel::sched {
namespace {

constexpr int kMostPasses = 8;  ///< per round, while tasks keep being created without
constexpr std::string_view kRecord = "/core-sched";
const std::string kNone = "no group";

}  // namespace

void CoreSchedWriter::apply(const decide::CoreSchedPlan& plan, MonoTime now, executor::Report& report) {
  if (!plan.members().empty()) by_ = plan.by;
  run(plan, now, report);
}

void CoreSchedWriter::restore_all(MonoTime now, executor::Report& report) {
  pause_ = {};
  for (auto& member : members_) member.accept();
  run(decide::CoreSchedPlan{}, now, report);
}

void CoreSchedWriter::run(const decide::CoreSchedPlan& plan, MonoTime now, executor::Report& report) {
  if (members_.empty() && plan.members().empty()) return;
  now_ = now;
  report_ = &report;
  ++round_;
  for (const auto& member : plan.members()) want(member, group_named(plan.name(member.group)).id);
  release_unnamed();
  timer_.recheck_grown(members_, tree_, now_);
  timer_.find_due(members_, now_, !dry_run_);
  for (const auto i : timer_.due())
    if (!pause_.waits(now_)) look_at(members_[i]);
  if (!pause_.waits(now_)) timer_.checked(members_, now_, dry_run_);
  std::erase_if(members_, [this](const Member& m) { return m.round != round_ && m.checks_left == 0; });
  std::erase_if(groups_, [this](const Group& group) {
    const bool gone = group.round != round_;
    if (gone && group.cookie != 0) retired_.push_back(group.cookie);
    return gone;
  });
  if (std::ranges::all_of(members_, [](const Member& m) { return m.checks_left == 0; })) retired_.clear();
  counters_.groups = groups_.size();
  counters_.members = members_.size();
}

CoreSchedWriter::Group& CoreSchedWriter::group_named(const std::string& name) {
  auto found = std::ranges::find(groups_, name, &Group::name);
  if (found == groups_.end()) found = groups_.insert(groups_.end(), Group{.id = next_group_++, .name = name});
  found->round = round_;
  return *found;
}

CoreSchedWriter::Group* CoreSchedWriter::find_group(std::uint32_t id) {
  const auto found = std::ranges::find(groups_, id, &Group::id);
  return found == groups_.end() ? nullptr : &*found;
}

void CoreSchedWriter::want(const decide::CoreSchedMember& planned, std::uint32_t group) {
  auto* member = tree::find_or_follow(members_, tree_, planned.cgroup, now_);
  if (member == nullptr) return;
  member->round = round_;
  member->why = planned.why;
  if (std::exchange(member->group, group) != group) member->recheck(now_);
}

void CoreSchedWriter::release_unnamed() {
  for (auto& member : members_) {
    if (member.round == round_ || member.group == 0) continue;
    member.group = 0;
    member.recheck(now_, 1);
  }
  std::erase_if(members_, [this](const Member& member) {
    const bool gone = tree_.find(member.cgroup) == nullptr;
    if (!gone && member.group != 0) return false;
    const std::string record = member.dir + std::string(kRecord);
    // Without a record no task got a cookie: the kernel has refused, and would refuse again.
    if (!journal_.directories().contains(record)) return true;
    if (gone) static_cast<void>(journal_.unmade(record));
    return gone;
  });
}

bool CoreSchedWriter::is_ours(std::uint64_t cookie) const {
  if (cookie == 0) return false;
  return std::ranges::find(groups_, cookie, &Group::cookie) != groups_.end() ||
         std::ranges::find(retired_, cookie) != retired_.end();
}

/// Finds the tasks that lack the group's cookie, or without a group those that have one of the agent's.
/// False: the tasks cannot be read.
bool CoreSchedWriter::sort_out(Member& member, std::uint64_t wanted) {
  threads_.clear();
  without_cookie_.clear();
  const int hidden = tree::add_threads(files_, member.dir, member.threads_file, room_, threads_);
  if (room_.below.unread.code != 0) return refuse(member, room_.below.unread), false;
  if (threads_.empty() && hidden > 0) return refuse(member, {ESRCH, Op::read}), false;
  int others = 0;
  for (const auto task : threads_) {
    const auto cookie = cookies_.of(task);
    if (!cookie && cookie.error().code == ESRCH) continue;
    if (!cookie) return refuse(member, cookie.error()), false;
    if (wanted != 0 && *cookie == wanted) {
      holder_ = task;
    } else if (is_ours(*cookie) || (*cookie == 0 && member.group != 0)) {
      without_cookie_.push_back(task);
    } else if (*cookie != 0) {
      ++others;
    }
  }
  if (others > 0 && member.group != 0) report_foreign(member, others);
  return true;
}

void CoreSchedWriter::report_foreign(Member& member, int others) {
  if (std::exchange(member.others_reported, true)) return;
  ++counters_.foreign;
  report_->foreign.push_back(
      {.path = member.threads_file,
       .ours = find_group(member.group)->name,
       .theirs = std::to_string(others) + " tasks have a cookie that another process set",
       .yielded = true,
       .cgroup = member.cgroup});
}

void CoreSchedWriter::look_at(Member& member) {
  Group* group = find_group(member.group);
  if (dry_run_) {
    if (group != nullptr && member.checks_left > 0) record_change(member, kNone, group->name, 0);
    return;
  }
  int given_to = 0;
  const auto waits = [&] { return pause_.waits(now_) || member.pause.waits(now_); };
  for (int pass = 0; pass < kMostPasses && !waits(); ++pass) {
    if (!sort_out(member, group == nullptr ? 0 : group->cookie)) return;
    if (without_cookie_.empty()) {
      member.accept();
      break;
    }
    const auto before = counters_.tasks;
    if (group == nullptr) {
      settle(member, cookies_.clear_cookies(without_cookie_), nullptr);
    } else {
      give(member, *group);
    }
    given_to += static_cast<int>(counters_.tasks - before);
    if (counters_.tasks == before) break;
  }
  if (given_to > 0 && group != nullptr) record_change(member, kNone, group->name, given_to);
  if (given_to > 0 && group == nullptr) record_change(member, "a group of the agent", kNone, given_to);
  if (group == nullptr && without_cookie_.empty())
    static_cast<void>(journal_.unmade(member.dir + std::string(kRecord)));
}

/// Assigns the group's cookie by way of a task that has it; a new one, when no task has it.
void CoreSchedWriter::give(Member& member, Group& group) {
  if (group.cookie != 0 && find_holder(group)) {
    if (!record_cookie(member, group.cookie)) return;
    return settle(member, cookies_.give(group.cookie, holder_, without_cookie_), &group);
  }
  const auto given = cookies_.create_cookie(without_cookie_, [&](std::uint64_t cookie) {
    group.cookie = cookie;
    return record_cookie(member, cookie);
  });
  settle(member, given, &group);
  // The group's other members have the old one, if any of their tasks are alive.
  for (auto& other : members_)
    if (other.group == group.id && other.cgroup != member.cgroup) other.recheck(now_);
}

/// Finds a live task with the group's cookie: among those just read, else in another cgroup of the group.
bool CoreSchedWriter::find_holder(const Group& group) {
  const auto has_it = [&](std::int32_t task) {
    const auto cookie = cookies_.of(task);
    return cookie && *cookie == group.cookie;
  };
  if (holder_ != 0 && has_it(holder_)) return true;
  for (const auto& other : members_) {
    if (other.group != group.id) continue;
    threads_.clear();
    tree::add_threads(files_, other.dir, other.threads_file, room_, threads_);
    const auto found = std::ranges::find_if(threads_, has_it);
    if (found == threads_.end()) continue;
    holder_ = *found;
    return true;
  }
  return false;
}

bool CoreSchedWriter::record_cookie(Member& member, std::uint64_t cookie) {
  const auto recorded = journal_.made(member.dir + std::string(kRecord), cookie);
  if (!recorded) refuse(member, recorded.error());
  return recorded.has_value();
}

void CoreSchedWriter::settle(Member& member, const CoreCookies::Given& given, const Group* group) {
  counters_.tasks += static_cast<std::uint64_t>(given.tasks);
  // Its holder exited meanwhile; or it could not be recorded, which was reported.
  const bool lost = group != nullptr && (given.error.code == ESRCH || given.error.code == ECANCELED);
  if (given.error.code == 0) {
    pause_ = {};
    member.accept();
  }
  if (given.error.code != 0 && !lost) refuse(member, given.error);
}

/// No retry before a pause, which grows.
void CoreSchedWriter::refuse(Member& member, const Error& error) {
  ++counters_.refusals;
  const auto retry_in = note_refusal(members_, member, pause_, error, now_);
  if (!retry_in) return;
  report_->refusals.push_back({.path = member.threads_file,
                               .error = error,
                               .text = "core scheduling",
                               .quarantined = true,
                               .retry_in = *retry_in,
                               .cgroup = member.cgroup,
                               .detail = describe_cookie_error(error)});
}

void CoreSchedWriter::record_change(const Member& member, const std::string& before, const std::string& after,
                                    int tasks) {
  report_->writes.push_back(
      {.path = member.threads_file,
       .old_text = before,
       .new_text = after + (tasks > 0 ? ": " + std::to_string(tasks) + " tasks" : ""),
       .cgroup = member.cgroup,
       .by = by_,
       .restored = member.group == 0,
       .why = member.group == 0 ? because("no policy requests it any longer") : member.why});
}

void CoreSchedWriter::add_managed(std::vector<executor::Managed>& out) const {
  for (const auto& member : members_) {
    const auto group = std::ranges::find(groups_, member.group, &Group::id);
    if (group == groups_.end() || group->cookie == 0) continue;
    out.push_back({.cgroup = member.cgroup,
                   .path = member.threads_file,
                   .original = kNone,
                   .ours = group->name,
                   .by = by_,
                   .why = member.why,
                   .since = member.since});
  }
}

void restore_core_sched(ResctrlFiles& files, CoreCookies& cookies, executor::Journal& journal,
                        executor::Report& report) {
  const auto records = journal.directories();  // by value: the loop removes records
  tree::ThreadsRoom room;
  for (const auto& record : records) {
    const auto& path = record.first;
    const auto cookie = record.second;
    if (!path.ends_with(kRecord)) continue;
    const auto dir = path.substr(0, path.size() - kRecord.size());
    std::vector<std::int32_t> threads;
    Error refusal = tree::add_recorded_threads(files, dir, "/cgroup.threads", "/tasks", room, threads);
    // A cookie that cannot be read may well be the agent's.
    std::erase_if(threads, [&](std::int32_t task) {
      const auto now = cookies.of(task);
      if (!now && now.error().code != ESRCH && refusal.code == 0) refusal = now.error();
      return now.value_or(0) != cookie;
    });
    const auto given = threads.empty() ? CoreCookies::Given{} : cookies.clear_cookies(threads);
    if (given.error.code != 0) refusal = given.error;
    if (refusal.code != 0) {
      report.refusals.push_back({.path = path, .error = refusal, .text = kNone});
      continue;
    }
    if (given.tasks > 0)
      report.writes.push_back(
          {.path = path,
           .old_text = "a group of the agent",
           .new_text = kNone,
           .by = decide::kNoPolicy,
           .restored = true,
           .why = because("the journal says that the agent gave this cookie: its tasks have none again")});
    static_cast<void>(journal.unmade(path));
  }
}

}  // namespace evenkeel::sched
