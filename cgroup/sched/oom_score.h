// oom_score_adj of the processes of a cgroup (proc_pid_oom_score_adj(5)): the higher, the earlier the kernel
// kills the process when memory runs out. Does not decide who gets which value.
//
// The kernel lets anyone who may write the file raise a value, and lower it to what a process with
// CAP_SYS_RESOURCE (the container runtime) wrote last. So an agent without that capability can restore what
// it raised. An agent that has it moves that mark and needs it to restore as well.
#pragma once

#include <string>

#include "cgroup/base/host.h"
#include "cgroup/base/kernel_files.h"
#include "cgroup/sched/task_value_writer.h"
#include "qos/decide/intent.h"

namespace evenkeel::sched {

class OomScores final : public TaskSetting {
 public:
  /// `files` must outlive it.
  explicit OomScores(ResctrlFiles& files) : files_(files) {}
  [[nodiscard]] const Names& names() const override;
  Result<std::int64_t> value_of(std::int32_t process) override;
  /// EACCES: it would be lower than the agent may set without CAP_SYS_RESOURCE.
  Result<> give(std::int32_t process, std::int64_t value) override;
  [[nodiscard]] std::string text_of(std::int64_t value) const override { return std::to_string(value); }

 private:
  std::string& path_of(std::int32_t process);
  ResctrlFiles& files_;
  std::string path_{}, text_{};  ///< buffers
};

/// Why this process cannot set the oom_score_adj of others here; empty: it can. Reads only.
std::string oom_score_problem(const Host& host);

class OomScoreWriter final : public TaskValueWriter {
 public:
  using TaskValueWriter::TaskValueWriter;
  void serve(const decide::Intents& intents, MonoTime now, executor::Report& report) override {
    apply(intents.oom_scores(), now, report);
  }
};

}  // namespace evenkeel::sched
