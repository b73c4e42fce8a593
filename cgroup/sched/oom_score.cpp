#include "cgroup/sched/oom_score.h"

#include <cerrno>

#include "cgroup/base/text.h"
#include "cgroup/executor/file_writer.h"

namespace evenkeel::sched {

const TaskSetting::Names& OomScores::names() const {
  static constexpr Names kNames{.record = "/oom-score-adj-",
                                .setting = "oom_score_adj",
                                .tasks = "processes",
                                .v2_file = "/cgroup.procs",
                                .v1_file = "/cgroup.procs",
                                .only_raised = true};
  return kNames;
}

std::string& OomScores::path_of(std::int32_t process) {
  path_.assign("proc/").append(std::to_string(process)).append("/oom_score_adj");
  return path_;
}

Result<std::int64_t> OomScores::value_of(std::int32_t process) {
  const auto text = files_.read(path_of(process), text_);
  if (!text) return tl::unexpected(text.error());
  const auto value = whole_number(*text);
  if (!value) return fail(EBADMSG, Op::read);
  return *value;
}

Result<> OomScores::give(std::int32_t process, std::int64_t value) {
  return files_.write(path_of(process), std::to_string(value) + '\n');
}

std::string oom_score_problem(const Host& host) {
  if (auto why = pid_namespace_problem(host); !why.empty()) return why;
  const auto writable = executor::may_write(host, "proc/1/oom_score_adj");
  return writable
             ? ""
             : std::string("that of process 1 is not writable here: ") + errno_name(writable.error().code);
}

}  // namespace evenkeel::sched
