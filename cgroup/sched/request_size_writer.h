// The writer for request sizes: how much CPU time the tasks of a cgroup ask the EEVDF scheduler for at a time
// (sched_setattr(2) with sched_runtime, Linux 6.12; Documentation/scheduler/sched-eevdf.rst). Follows tasks
// that join later, and gives every task the kernel's own size back. Does not decide who gets which size.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cgroup/base/host.h"
#include "cgroup/base/kernel_files.h"
#include "cgroup/base/result.h"
#include "cgroup/executor/contest.h"
#include "cgroup/executor/executor.h"
#include "cgroup/executor/journal.h"
#include "cgroup/tree/task_follow.h"
#include "qos/decide/sched_plan.h"

namespace evenkeel::sched {

/// The interface to the request sizes of tasks. KernelRequestSizes makes the system calls; tests use a model.
class RequestSizes {
 public:
  virtual ~RequestSizes() = default;
  /// The request size of a thread. ESRCH: it has ended. ENOTSUP: its scheduling class has none (real time,
  /// deadline), or the kernel does not have them.
  virtual Result<Duration> of(std::int32_t task) = 0;
  /// Sets it; zero: the kernel's own. The thread keeps its policy and nice value. EPERM: needs CAP_SYS_NICE.
  virtual Result<> set(std::int32_t task, Duration size) = 0;
  /// What the kernel gives to a task that asks for nothing.
  virtual Result<Duration> kernels_own() = 0;
};

class KernelRequestSizes final : public RequestSizes {
 public:
  /// Below a fake root task ids refer to no real task: everything is refused.
  explicit KernelRequestSizes(const Host& host) : real_(host.on_kernel_fs("proc")) {}
  Result<Duration> of(std::int32_t task) override;
  Result<> set(std::int32_t task, Duration size) override;
  Result<Duration> kernels_own() override;

 private:
  bool real_;
};

/// Why this process cannot set the request sizes of other tasks here; empty: it can. Reads only.
std::string request_size_problem(const Host& host);

/// Counted since the start; members are current.
struct RequestSizeCounters {
  std::uint64_t tasks = 0;  ///< that were given a size, or the kernel's own back
  std::uint64_t refusals = 0;
  std::uint64_t foreign = 0;  ///< cgroups with tasks that had a size of their own or of another process
  std::size_t members = 0;
};

class RequestSizeWriter final : public executor::Actuator {
 public:
  /// All must outlive it. `files` reads the tasks of cgroups.
  RequestSizeWriter(const tree::CgroupTree& tree, ResctrlFiles& files, RequestSizes& sizes,
                    executor::Journal& journal, bool dry_run)
      : tree_(tree), files_(files), sizes_(sizes), journal_(journal), dry_run_(dry_run) {}

  /// Applies the plan. Adds what it did to `report`. Cgroups are checked as task_follow.h says.
  void apply(const decide::RequestSizePlan& plan, MonoTime now, executor::Report& report);
  void serve(const decide::Intents& intents, MonoTime now, executor::Report& report) override {
    apply(intents.request_sizes(), now, report);
  }
  void restore_all(MonoTime now, executor::Report& report) override;
  void add_managed(std::vector<executor::Managed>& out) const override;
  [[nodiscard]] executor::ActuatorTotals totals() const override {
    return {.refusals = counters_.refusals, .foreign = counters_.foreign, .held = counters_.members};
  }
  [[nodiscard]] const RequestSizeCounters& counters() const { return counters_; }

 private:
  struct Member : tree::TrackedTasks {
    Duration size{};     ///< zero: its tasks are to have the kernel's own
    Duration ours{};     ///< the last size that was set here; zero: none yet
    Duration earlier{};  ///< the one before it: tasks may still have it
    std::uint64_t round = 0;
    bool foreign_reported = false;
    Reason why{};
  };
  void want(const decide::RequestSizeMember& planned);
  void release_unnamed();
  void check(Member& member);
  enum class TaskState : std::uint8_t { kept, changed, foreign, refused };
  int set_tasks(Member& member);
  TaskState set_task(Member& member, std::int32_t task);
  TaskState failed(const Member& member, const Error& error);
  bool record(Member& member);
  void forget(const Member& member);
  [[nodiscard]] bool is_default(Duration size) const;
  void report_foreign(Member& member, int tasks);
  void record_change(const Member& member, int tasks);
  void refuse(const Member& member, const Error& error);

  const tree::CgroupTree& tree_;
  ResctrlFiles& files_;
  RequestSizes& sizes_;
  executor::Journal& journal_;
  bool dry_run_;

  std::vector<Member> members_{};  ///< sorted by cgroup
  /// The kernel's own sizes seen so far: it changes with the number of CPUs, and a sleeping task keeps the
  /// old one until it runs.
  std::vector<Duration> defaults_{};
  tree::CheckTimer timer_{};
  RequestSizeCounters counters_{};
  std::uint64_t round_ = 0;
  decide::PolicyIndex by_ = 0;
  MonoTime now_{};
  executor::RetryBackoff pause_{};
  executor::Report* report_ = nullptr;

  // Buffers, kept from round to round.
  tree::ThreadsRoom room_{};
  std::vector<std::int32_t> threads_{};
};

/// Restores offline: tasks of the recorded cgroups that have the recorded size get the kernel's own. What the
/// kernel refuses stays on record.
void restore_request_sizes(ResctrlFiles& files, RequestSizes& sizes, executor::Journal& journal,
                           executor::Report& report);

}  // namespace evenkeel::sched
