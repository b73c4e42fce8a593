// The writer for settings that the kernel keeps per task: gives the tasks of cgroups a value, follows tasks
// that join later, and gives every task back what it had. Does not know any setting, or decide who gets what.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cgroup/base/host.h"
#include "cgroup/base/kernel_files.h"
#include "cgroup/base/result.h"
#include "cgroup/executor/contest.h"
#include "cgroup/executor/executor.h"
#include "cgroup/executor/journal.h"
#include "cgroup/sched/refusal.h"
#include "cgroup/tree/task_follow.h"
#include "qos/decide/task_plan.h"

namespace evenkeel::sched {

/// One setting: how it is read, written and named. Values are whole numbers of the setting's own unit.
class TaskSetting {
 public:
  struct Names {
    std::string_view record;            ///< in the journal, before the value: "/request-size-"
    std::string_view setting;           ///< "request size"
    std::string_view tasks;             ///< what has one: "tasks"
    std::string_view v2_file, v1_file;  ///< which list those of a cgroup
    /// Every cgroup's tasks have an original of their own, which is the least that one of them has; a value
    /// is only raised. False: the originals are the kernel's own, which 0 stands for.
    bool only_raised = false;
  };
  virtual ~TaskSetting() = default;
  [[nodiscard]] virtual const Names& names() const = 0;
  /// ESRCH or ENOENT: the task has ended. ENOTSUP: it has no such setting.
  virtual Result<std::int64_t> value_of(std::int32_t task) = 0;
  virtual Result<> give(std::int32_t task, std::int64_t value) = 0;
  /// What the kernel gives to a task that asks for nothing, if that is one value for all.
  virtual std::optional<std::int64_t> kernels_own_value() { return {}; }
  [[nodiscard]] virtual std::string text_of(std::int64_t value) const = 0;
};

/// Counted since the start; members are current.
struct TaskValueCounters {
  std::uint64_t tasks = 0;  ///< that were given a value, or their original back
  std::uint64_t refusals = 0;
  std::uint64_t foreign = 0;  ///< cgroups with tasks that had a value of their own or of another process
  std::size_t members = 0;
};

class TaskValueWriter : public executor::Actuator {
 public:
  /// All must outlive it. `files` reads the tasks of cgroups.
  TaskValueWriter(const tree::CgroupTree& tree, ResctrlFiles& files, TaskSetting& setting,
                  executor::Journal& journal, bool dry_run, tree::CheckTimer timer = tree::CheckTimer())
      : tree_(tree),
        files_(files),
        setting_(setting),
        journal_(journal),
        dry_run_(dry_run),
        timer_(std::move(timer)) {}

  /// Applies the plan. Adds what it did to `report`. Cgroups are checked as task_follow.h says.
  template <class Value>
  void apply(const decide::TaskPlan<Value>& plan, MonoTime now, executor::Report& report) {
    if (members_.empty() && plan.members.empty()) return;
    if (!plan.members.empty()) by_ = plan.by;
    now_ = now;
    report_ = &report;
    ++round_;
    for (const auto& member : plan.members) want(member.cgroup, number_of(member.value), member.why);
    finish();
  }
  void restore_all(MonoTime now, executor::Report& report) override;
  void add_managed(std::vector<executor::Managed>& out) const override;
  [[nodiscard]] executor::ActuatorTotals totals() const override {
    return {.refusals = counters_.refusals, .foreign = counters_.foreign, .held = counters_.members};
  }
  [[nodiscard]] const TaskValueCounters& counters() const { return counters_; }
  /// The last change was refused, so tasks lack their value until one succeeds. Retried after a pause.
  [[nodiscard]] bool refused() const { return refused_.has_value(); }

 private:
  struct Member : RefusableTasks {
    std::optional<std::int64_t> value{};     ///< absent: its tasks are to have their original
    std::optional<std::int64_t> original{};  ///< with only_raised; absent: not known yet
    std::optional<std::int64_t> ours{};      ///< the last value that was given here; absent: none yet
    std::optional<std::int64_t> earlier{};   ///< the one before it: tasks may still have it
    std::uint64_t round = 0;
    bool foreign_reported = false;
    Reason why{};
  };
  static std::int64_t number_of(Duration size) { return size.count(); }
  static std::int64_t number_of(int number) { return number; }
  void want(CgroupId cgroup, std::int64_t value, const Reason& why);
  void finish();
  void release_unnamed();
  void check(Member& member);
  enum class TaskState : std::uint8_t { kept, changed, foreign, refused };
  int give_tasks(Member& member);
  void learn_original(Member& member);
  TaskState give_task(Member& member, std::int32_t task);
  TaskState failed(Member& member, const Error& error);
  bool record(Member& member, std::int64_t value);
  void forget(const Member& member);
  [[nodiscard]] bool is_original(const Member& member, std::int64_t value) const;
  [[nodiscard]] std::optional<std::int64_t> target(const Member& member) const;
  [[nodiscard]] std::string original_text(const Member& member) const;
  void report_foreign(Member& member, const std::string& theirs);
  void record_change(const Member& member, int tasks);
  void refuse(Member& member, const Error& error);
  void accepted(Member& member, int tasks);
  [[nodiscard]] bool waits(const Member& member) const {
    return pause_.waits(now_) || member.pause.waits(now_);
  }

  const tree::CgroupTree& tree_;
  ResctrlFiles& files_;
  TaskSetting& setting_;
  executor::Journal& journal_;
  bool dry_run_;

  std::vector<Member> members_{};  ///< sorted by cgroup
  /// The kernel's own values seen so far: that of request sizes changes with the number of CPUs, and a
  /// sleeping task keeps the old one until it runs.
  std::vector<std::int64_t> defaults_{};
  tree::CheckTimer timer_;
  TaskValueCounters counters_{};
  std::uint64_t round_ = 0;
  decide::PolicyIndex by_ = decide::kNoPolicy;
  MonoTime now_{};
  executor::RetryBackoff pause_{};     ///< of all members
  std::optional<CgroupId> refused_{};  ///< whose tasks the last refusal was about; absent: nothing is refused
  executor::Report* report_ = nullptr;

  // Buffers, kept from round to round.
  tree::ThreadsRoom room_{};
  std::vector<std::int32_t> threads_{};
};

/// Why this process does not see the tasks of all cgroups by their ids; empty: it does.
std::string pid_namespace_problem(const Host& host);

/// Restores offline: tasks of the recorded cgroups that have the recorded value get their original. What the
/// kernel refuses stays on record.
void restore_task_values(ResctrlFiles& files, TaskSetting& setting, executor::Journal& journal,
                         executor::Report& report);

}  // namespace evenkeel::sched
