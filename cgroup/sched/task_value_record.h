// How the writer for settings of tasks spells what it has done: in the journal and in messages.
#pragma once

#include <cerrno>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cgroup/base/result.h"
#include "cgroup/sched/task_value_writer.h"

namespace evenkeel::sched {

inline constexpr std::string_view kFromOriginal = "-from-";

/// One record of the journal: DIR, then the setting's name with the value, and the original where each cgroup
/// has one of its own.
struct TaskRecord {
  std::string dir{};
  std::int64_t ours = 0;
  std::optional<std::int64_t> original{};
};

inline std::string record_of(const TaskSetting::Names& names, const TaskRecord& record) {
  std::string path = record.dir + std::string(names.record) + std::to_string(record.ours);
  if (record.original) path.append(kFromOriginal).append(std::to_string(*record.original));
  return path;
}

/// A task that ended, or that lost the setting (it became a real-time task), is not a problem.
inline bool is_gone(const Error& error) {
  return error.code == ESRCH || error.code == ENOENT || error.code == ENOTSUP;
}

inline std::string shown(const TaskSetting& setting, const std::optional<std::int64_t>& original) {
  return original ? setting.text_of(*original) : "the kernel's own";
}

inline std::string counted(int tasks, const TaskSetting::Names& names) {
  return std::to_string(tasks) + ' ' + std::string(names.tasks);
}

}  // namespace evenkeel::sched
