#include "cgroup/sched/task_value_writer.h"

#include <algorithm>
#include <utility>

#include "cgroup/sched/task_value_record.h"

namespace evenkeel::sched {
namespace {

constexpr int kMostPasses = 8;  ///< per check, while tasks keep being created without the value

}  // namespace

void TaskValueWriter::finish() {
  release_unnamed();
  timer_.recheck_grown(members_, tree_, now_);
  timer_.find_due(members_, now_, !dry_run_);
  if (!timer_.due().empty() && !dry_run_)
    if (const auto own = setting_.kernels_own_value();
        own && std::ranges::find(defaults_, *own) == defaults_.end())
      defaults_.push_back(*own);
  for (const auto i : timer_.due())
    if (!pause_.waits(now_)) check(members_[i]);
  if (!pause_.waits(now_)) timer_.checked(members_, now_, dry_run_);
  std::erase_if(members_, [this](const Member& m) { return m.round != round_ && m.checks_left == 0; });
  counters_.members = members_.size();
}

void TaskValueWriter::restore_all(MonoTime now, executor::Report& report) {
  pause_ = {};
  for (auto& member : members_) member.accept();
  apply(decide::TaskPlan<int>{}, now, report);
}

void TaskValueWriter::want(CgroupId cgroup, std::int64_t value, const Reason& why) {
  auto* member = tree::find_or_follow(members_, tree_, cgroup, now_);
  if (member == nullptr) return;
  if (member->round == 0) {
    const auto& names = setting_.names();
    member->threads_file =
        member->dir + std::string(tree_.layout().v2(Controller::cpu) ? names.v2_file : names.v1_file);
  }
  member->round = round_;
  member->why = why;
  if (std::exchange(member->value, value) != value) member->recheck(now_);
}

void TaskValueWriter::release_unnamed() {
  for (auto& member : members_) {
    if (member.round == round_ || !member.value) continue;
    member.value.reset();
    member.recheck(now_, 1);
  }
  std::erase_if(members_, [this](const Member& member) {
    const bool gone = tree_.find(member.cgroup) == nullptr;
    if (gone) forget(member);
    return gone;
  });
}

bool TaskValueWriter::is_original(const Member& member, std::int64_t value) const {
  if (setting_.names().only_raised) return value == member.original;
  return std::ranges::find(defaults_, value) != defaults_.end();
}

/// Absent: the original, also in place of a value that would lower it.
std::optional<std::int64_t> TaskValueWriter::target(const Member& member) const {
  const bool lowers = member.value && member.original && *member.value <= *member.original;
  return lowers ? std::nullopt : member.value;
}

std::string TaskValueWriter::original_text(const Member& member) const {
  return shown(setting_, member.original);
}

void TaskValueWriter::check(Member& member) {
  if (dry_run_) {
    if (member.value && member.checks_left > 0) record_change(member, 0);
    return;
  }
  int tasks = 0;
  for (int pass = 0; pass < kMostPasses && !waits(member); ++pass) {
    const int given = give_tasks(member);
    tasks += given;
    if (given == 0) break;
  }
  if (tasks > 0) record_change(member, tasks);
  if (target(member) || waits(member)) return;
  forget(member);
  member.ours.reset();
  member.earlier.reset();
}

void TaskValueWriter::forget(const Member& member) {
  for (const auto& value : {member.ours, member.earlier})
    if (value)
      static_cast<void>(journal_.unmade(record_of(setting_.names(), {member.dir, *value, member.original})));
}

/// Gives the value to the tasks that have their original, or an earlier one of the agent. Returns how many.
int TaskValueWriter::give_tasks(Member& member) {
  threads_.clear();
  const int hidden = tree::add_threads(files_, member.dir, member.threads_file, room_, threads_);
  // Whoever takes tasks that cannot be read for gone forgets to restore them.
  if (room_.below.unread.code != 0) return refuse(member, room_.below.unread), 0;
  if (threads_.empty() && hidden > 0) return refuse(member, {ESRCH, Op::read}), 0;
  if (setting_.names().only_raised) learn_original(member);
  int tasks = 0, foreign = 0;
  for (const auto task : threads_) {
    const TaskState state = give_task(member, task);
    if (state == TaskState::refused) return tasks;
    tasks += state == TaskState::changed ? 1 : 0;
    foreign += state == TaskState::foreign ? 1 : 0;
  }
  pause_ = {};
  accepted(member, tasks);
  if (foreign > 0 && !member.foreign_reported) ++counters_.foreign;
  if (foreign > 0)
    report_foreign(member, counted(foreign, setting_.names()) + " have another " +
                               std::string(setting_.names().setting) + " already");
  return tasks;
}

/// What the tasks of a cgroup have before any is changed: the least, because a program may only raise its
/// own.
void TaskValueWriter::learn_original(Member& member) {
  if (member.original) return;
  for (const auto task : threads_)
    if (const auto value = setting_.value_of(task))
      member.original = std::min(member.original.value_or(*value), *value);
  if (member.original && !target(member))
    report_foreign(member, setting_.text_of(*member.original) + " (it is only raised)");
}

TaskValueWriter::TaskState TaskValueWriter::give_task(Member& member, std::int32_t task) {
  const auto value = setting_.value_of(task);
  if (!value) return failed(member, value.error());
  const auto aim = target(member);
  const bool ours = *value == member.ours || *value == member.earlier;
  if (*value == aim || (!aim && !ours)) return TaskState::kept;
  if (!ours && !is_original(member, *value)) return TaskState::foreign;
  if (aim && !record(member, *aim)) return TaskState::refused;
  const auto given = setting_.give(task, aim.value_or(member.original.value_or(0)));
  if (!given) return failed(member, given.error());
  ++counters_.tasks;
  return TaskState::changed;
}

TaskValueWriter::TaskState TaskValueWriter::failed(Member& member, const Error& error) {
  if (is_gone(error)) return TaskState::kept;
  refuse(member, error);
  return TaskState::refused;
}

/// The value of this cgroup into the journal, before any task has it.
bool TaskValueWriter::record(Member& member, std::int64_t value) {
  if (member.ours == value) return true;
  const auto recorded =
      journal_.record_creation(record_of(setting_.names(), {member.dir, value, member.original}));
  if (!recorded) return refuse(member, recorded.error()), false;
  member.earlier = std::exchange(member.ours, value);
  return true;
}

void TaskValueWriter::report_foreign(Member& member, const std::string& theirs) {
  if (std::exchange(member.foreign_reported, true)) return;
  report_->foreign.push_back({.path = member.threads_file,
                              .ours = member.value ? setting_.text_of(*member.value) : original_text(member),
                              .theirs = theirs,
                              .yielded = true,
                              .cgroup = member.cgroup});
}

void TaskValueWriter::record_change(const Member& member, int tasks) {
  const auto aim = target(member);
  const bool restored = !aim;
  const std::string ours = shown(setting_, restored ? member.ours : aim);
  const std::string count = tasks > 0 ? ": " + counted(tasks, setting_.names()) : "";
  report_->writes.push_back({.path = member.threads_file,
                             .old_text = restored ? ours : original_text(member),
                             .new_text = (restored ? original_text(member) : ours) + count,
                             .cgroup = member.cgroup,
                             .by = by_,
                             .restored = restored,
                             .why = restored ? because("no policy requests it any longer") : member.why});
}

/// No retry before a pause, which grows.
void TaskValueWriter::refuse(Member& member, const Error& error) {
  ++counters_.refusals;
  refused_ = member.cgroup;
  const auto retry_in = note_refusal(members_, member, pause_, error, now_);
  if (!retry_in) return;
  const std::string value = member.value ? setting_.text_of(*member.value) : original_text(member);
  report_->refusals.push_back({.path = member.threads_file,
                               .error = error,
                               .text = std::string(setting_.names().setting) + ' ' + value,
                               .quarantined = true,
                               .retry_in = *retry_in,
                               .cgroup = member.cgroup,
                               .detail = errno_name(error.code)});
}

/// All tasks of the cgroup have what they are to have. A cgroup without tasks says nothing, and while the one
/// that was refused is there, another one says nothing about it.
void TaskValueWriter::accepted(Member& member, int tasks) {
  member.accept();
  if (!refused_) return;
  const bool works =
      *refused_ == member.cgroup ? !threads_.empty() : tasks > 0 && tree_.find(*refused_) == nullptr;
  if (!works) return;
  const auto other = std::ranges::find_if(members_, [](const Member& one) { return one.pause.code != 0; });
  refused_ = other == members_.end() ? std::nullopt : std::optional(other->cgroup);
}

void TaskValueWriter::add_managed(std::vector<executor::Managed>& out) const {
  for (const auto& member : members_) {
    if (!target(member)) continue;
    out.push_back({.cgroup = member.cgroup,
                   .path = member.threads_file,
                   .original = original_text(member),
                   .ours = setting_.text_of(*member.value),
                   .by = by_,
                   .why = member.why,
                   .since = member.since});
  }
}

}  // namespace evenkeel::sched
