#include <sys/stat.h>

#include "cgroup/base/text.h"
#include "cgroup/sched/task_value_record.h"

namespace evenkeel::sched {

namespace {

constexpr ino_t kFirstPidNamespace = 0xEFFFFFFC;  ///< PROC_PID_INIT_INO: a constant of the kernel

std::optional<TaskRecord> parse_record(const TaskSetting::Names& names, const std::string& path) {
  const auto suffix = path.rfind(names.record);
  if (suffix == std::string::npos) return std::nullopt;
  Scanner scan(std::string_view(path).substr(suffix + names.record.size()));
  const auto ours = scan.number();
  if (!ours) return std::nullopt;
  TaskRecord record{path.substr(0, suffix), *ours, {}};
  if (scan.eat(kFromOriginal)) record.original = scan.number();
  if (!scan.done() || record.original.has_value() != names.only_raised) return std::nullopt;
  return record;
}

/// Gives the original to the tasks of the cgroup that have the recorded value. Returns the first refusal.
Error give_back(ResctrlFiles& files, TaskSetting& setting, const TaskRecord& record, int& tasks) {
  const auto& names = setting.names();
  tree::ThreadsRoom room;
  std::vector<std::int32_t> threads;
  Error refusal = tree::add_recorded_threads(files, record.dir, names.v2_file, names.v1_file, room, threads);
  const auto note = [&](const Error& error) {
    if (!is_gone(error) && refusal.code == 0) refusal = error;
  };
  for (const auto task : threads) {
    const auto value = setting.value_of(task);
    if (!value) note(value.error());
    if (!value || *value != record.ours) continue;
    const auto given = setting.give(task, record.original.value_or(0));
    if (given) ++tasks;
    if (!given) note(given.error());
  }
  return refusal;
}

}  // namespace

std::string pid_namespace_problem(const Host& host) {
  if (!host.on_kernel_fs("proc")) return "not tried: the host root is not this machine's";
  struct stat space {};
  if (::stat(host.absolute("proc/self/ns/pid").c_str(), &space) != 0 || space.st_ino != kFirstPidNamespace)
    return "the tasks are in another PID namespace: the agent needs the host's";
  return {};
}

void restore_task_values(ResctrlFiles& files, TaskSetting& setting, executor::Journal& journal,
                         executor::Report& report) {
  const auto records = journal.directories();  // by value: the loop removes records
  for (const auto& [path, unused] : records) {
    const auto record = parse_record(setting.names(), path);
    if (!record) continue;
    const std::string original = shown(setting, record->original);
    int tasks = 0;
    if (const Error refusal = give_back(files, setting, *record, tasks); refusal.code != 0) {
      report.refusals.push_back({.path = path, .error = refusal, .text = original});
      continue;
    }
    if (tasks > 0)
      report.writes.push_back(
          {.path = path,
           .old_text = setting.text_of(record->ours),
           .new_text = original + ": " + counted(tasks, setting.names()),
           .by = decide::kNoPolicy,
           .restored = true,
           .why =
               because("the journal says that the agent gave these tasks a value: they get their own back")});
    static_cast<void>(journal.unmade(path));
  }
}

}  // namespace evenkeel::sched
