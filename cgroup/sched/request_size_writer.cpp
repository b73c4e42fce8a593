#include "cgroup/sched/request_size_writer.h"

#include <algorithm>
#include <utility>

#include "cgroup/base/text.h"

namespace evenkeel::sched {
namespace {

constexpr int kMostPasses = 8;  ///< per check, while tasks keep being created without the size
constexpr std::string_view kRecord = "/request-size-";  ///< and its nanoseconds
constexpr Duration kFirstPause = std::chrono::seconds(60);
const std::string kKernelsOwn = "the kernel's own";

std::string text_of(Duration size) {
  if (size == Duration::zero()) return kKernelsOwn;
  return std::to_string(std::chrono::duration_cast<std::chrono::microseconds>(size).count()) + " us";
}

std::string record_of(const std::string& dir, Duration size) {
  return dir + std::string(kRecord) + std::to_string(size.count());
}

/// A task that ended, or that became a real-time task, is not a problem.
bool is_gone(const Error& error) { return error.code == ESRCH || error.code == ENOTSUP; }

}  // namespace

void RequestSizeWriter::apply(const decide::RequestSizePlan& plan, MonoTime now, executor::Report& report) {
  if (members_.empty() && plan.members.empty()) return;
  if (!plan.members.empty()) by_ = plan.by;
  now_ = now;
  report_ = &report;
  ++round_;
  for (const auto& member : plan.members) want(member);
  release_unnamed();
  timer_.find_due(members_, now_, !dry_run_);
  if (!timer_.due().empty() && !dry_run_)
    if (const auto own = sizes_.kernels_own(); own && !is_default(*own)) defaults_.push_back(*own);
  for (const auto i : timer_.due())
    if (!pause_.waits(now_)) check(members_[i]);
  if (!pause_.waits(now_)) timer_.checked(members_, now_, dry_run_);
  std::erase_if(members_, [this](const Member& m) { return m.round != round_ && m.checks_left == 0; });
  counters_.members = members_.size();
}

void RequestSizeWriter::restore_all(MonoTime now, executor::Report& report) {
  pause_ = {};
  apply(decide::RequestSizePlan{}, now, report);
}

void RequestSizeWriter::want(const decide::RequestSizeMember& planned) {
  auto* member = tree::find_or_follow(members_, tree_, planned.cgroup, now_);
  if (member == nullptr) return;
  member->round = round_;
  member->why = planned.why;
  if (std::exchange(member->size, planned.size) != planned.size) member->recheck(now_);
}

void RequestSizeWriter::release_unnamed() {
  for (auto& member : members_) {
    if (member.round == round_ || member.size == Duration::zero()) continue;
    member.size = Duration::zero();
    member.recheck(now_, 1);
  }
  std::erase_if(members_, [this](const Member& member) {
    const bool gone = tree_.find(member.cgroup) == nullptr;
    if (gone) forget(member);
    return gone;
  });
}

bool RequestSizeWriter::is_default(Duration size) const {
  return std::ranges::find(defaults_, size) != defaults_.end();
}

void RequestSizeWriter::check(Member& member) {
  if (dry_run_) {
    if (member.size != Duration::zero() && member.checks_left > 0) record_change(member, 0);
    return;
  }
  int tasks = 0;
  for (int pass = 0; pass < kMostPasses && !pause_.waits(now_); ++pass) {
    const int set = set_tasks(member);
    tasks += set;
    if (set == 0) break;
  }
  if (tasks > 0) record_change(member, tasks);
  if (member.size == Duration::zero() && !pause_.waits(now_)) forget(member);
}

void RequestSizeWriter::forget(const Member& member) {
  for (const Duration size : {member.ours, member.earlier})
    if (size != Duration::zero()) static_cast<void>(journal_.unmade(record_of(member.dir, size)));
}

/// Sets the size of the tasks that have the kernel's own, or an earlier one of the agent. Returns how many.
int RequestSizeWriter::set_tasks(Member& member) {
  threads_.clear();
  const int hidden = tree::add_threads(files_, member.dir, member.threads_file, room_, threads_);
  if (threads_.empty() && hidden > 0) return refuse(member, {ESRCH, Op::read}), 0;
  int tasks = 0, foreign = 0;
  for (const auto task : threads_) {
    const TaskState state = set_task(member, task);
    if (state == TaskState::refused) return tasks;
    tasks += state == TaskState::changed ? 1 : 0;
    foreign += state == TaskState::foreign ? 1 : 0;
  }
  pause_ = {};
  if (foreign > 0) report_foreign(member, foreign);
  return tasks;
}

RequestSizeWriter::TaskState RequestSizeWriter::set_task(Member& member, std::int32_t task) {
  const auto size = sizes_.of(task);
  if (!size) return failed(member, size.error());
  const bool ours = *size == member.ours || *size == member.earlier;
  const bool releasing = member.size == Duration::zero();
  if (*size == member.size || (releasing && !ours)) return TaskState::kept;
  if (!ours && !is_default(*size)) return TaskState::foreign;
  if (!releasing && !record(member)) return TaskState::refused;
  const auto set = sizes_.set(task, member.size);
  if (!set) return failed(member, set.error());
  ++counters_.tasks;
  return TaskState::changed;
}

RequestSizeWriter::TaskState RequestSizeWriter::failed(const Member& member, const Error& error) {
  if (is_gone(error)) return TaskState::kept;
  refuse(member, error);
  return TaskState::refused;
}

/// The size of this cgroup into the journal, before any task has it.
bool RequestSizeWriter::record(Member& member) {
  if (member.ours == member.size) return true;
  const auto recorded = journal_.record_creation(record_of(member.dir, member.size));
  if (!recorded) return refuse(member, recorded.error()), false;
  member.earlier = std::exchange(member.ours, member.size);
  return true;
}

void RequestSizeWriter::report_foreign(Member& member, int tasks) {
  if (std::exchange(member.foreign_reported, true)) return;
  ++counters_.foreign;
  report_->foreign.push_back({.path = member.threads_file,
                              .ours = text_of(member.size),
                              .theirs = std::to_string(tasks) + " tasks have a request size of their own",
                              .yielded = true,
                              .cgroup = member.cgroup});
}

void RequestSizeWriter::record_change(const Member& member, int tasks) {
  const bool restored = member.size == Duration::zero();
  report_->writes.push_back(
      {.path = member.threads_file,
       .old_text = restored ? text_of(member.ours) : kKernelsOwn,
       .new_text = text_of(member.size) + (tasks > 0 ? ": " + std::to_string(tasks) + " tasks" : ""),
       .cgroup = member.cgroup,
       .by = by_,
       .restored = restored,
       .why = restored ? because("no policy requests it any longer") : member.why});
}

/// No retry before a pause, which grows: the kernel's refusal applies to all members.
void RequestSizeWriter::refuse(const Member& member, const Error& error) {
  ++counters_.refusals;
  if (!pause_.refuse(error.code, {}, now_, kFirstPause)) return;
  report_->refusals.push_back({.path = member.threads_file,
                               .error = error,
                               .text = "request size " + text_of(member.size),
                               .quarantined = true,
                               .retry_in = pause_.length,
                               .cgroup = member.cgroup,
                               .detail = errno_name(error.code)});
}

void RequestSizeWriter::add_managed(std::vector<executor::Managed>& out) const {
  for (const auto& member : members_) {
    if (member.size == Duration::zero()) continue;
    out.push_back({.cgroup = member.cgroup,
                   .path = member.threads_file,
                   .original = kKernelsOwn,
                   .ours = text_of(member.size),
                   .by = by_,
                   .why = member.why,
                   .since = member.since});
  }
}

void restore_request_sizes(ResctrlFiles& files, RequestSizes& sizes, executor::Journal& journal,
                           executor::Report& report) {
  const auto records = journal.directories();  // by value: the loop removes records
  tree::ThreadsRoom room;
  for (const auto& [path, unused] : records) {
    const auto suffix = path.rfind(kRecord);
    if (suffix == std::string::npos) continue;
    const auto size = Scanner(std::string_view(path).substr(suffix + kRecord.size())).number();
    if (!size) continue;
    const auto dir = path.substr(0, suffix);
    const Duration ours(*size);
    std::vector<std::int32_t> threads;
    for (const char* file : {"/cgroup.threads", "/tasks"})
      tree::add_threads(files, dir, dir + file, room, threads);
    int tasks = 0;
    Error refusal{};
    for (const auto task : threads) {
      if (sizes.of(task).value_or(Duration::zero()) != ours) continue;
      const auto set = sizes.set(task, Duration::zero());
      if (set) ++tasks;
      if (!set && !is_gone(set.error()) && refusal.code == 0) refusal = set.error();
    }
    if (refusal.code != 0) {
      report.refusals.push_back({.path = path, .error = refusal, .text = kKernelsOwn});
      continue;
    }
    if (tasks > 0)
      report.writes.push_back(
          {.path = path,
           .old_text = text_of(ours),
           .new_text = kKernelsOwn + ": " + std::to_string(tasks) + " tasks",
           .by = 255,
           .restored = true,
           .why = because("the journal holds a request size: its tasks have the kernel's own again")});
    static_cast<void>(journal.unmade(path));
  }
}

}  // namespace evenkeel::sched
