// Request sizes: how much CPU time the tasks of a cgroup ask the EEVDF scheduler for at a time
// (sched_setattr(2) with sched_runtime, Linux 6.12; Documentation/scheduler/sched-eevdf.rst). Does not decide
// who gets which size.
#pragma once

#include "cgroup/base/host.h"
#include "cgroup/sched/task_value_writer.h"
#include "qos/decide/intent.h"

namespace evenkeel::sched {

/// The interface to the request sizes of tasks. KernelRequestSizes makes the system calls; tests use a model.
class RequestSizes : public TaskSetting {
 public:
  /// The request size of a thread. ESRCH: it has ended. ENOTSUP: its scheduling class has none (real time,
  /// deadline), or the kernel does not have them.
  virtual Result<Duration> of(std::int32_t task) = 0;
  /// Sets it; zero: the kernel's own. The thread keeps its policy and nice value. EPERM: needs CAP_SYS_NICE.
  virtual Result<> set(std::int32_t task, Duration size) = 0;
  /// What the kernel gives to a task that asks for nothing.
  virtual Result<Duration> kernels_own() = 0;

  [[nodiscard]] const Names& names() const final;
  Result<std::int64_t> value_of(std::int32_t task) final;
  Result<> give(std::int32_t task, std::int64_t value) final { return set(task, Duration(value)); }
  std::optional<std::int64_t> kernels_own_value() final;
  [[nodiscard]] std::string text_of(std::int64_t value) const final;
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

class RequestSizeWriter final : public TaskValueWriter {
 public:
  /// A process that joins a pod from outside (kubectl exec) competes without its size until it is found, so a
  /// turn is short. A check reads one list per cgroup of the pod and asks for each task.
  static constexpr Duration kTurn = std::chrono::seconds(10);
  static constexpr std::size_t kMostPods = 16;  ///< that are checked in turn in a tick

  RequestSizeWriter(const tree::CgroupTree& tree, ResctrlFiles& files, RequestSizes& sizes,
                    executor::Journal& journal, bool dry_run)
      : TaskValueWriter(tree, files, sizes, journal, dry_run, tree::CheckTimer(kTurn, kMostPods)) {}
  void serve(const decide::Intents& intents, MonoTime now, executor::Report& report) override {
    apply(intents.request_sizes(), now, report);
  }
};

}  // namespace evenkeel::sched
