#include "agent/writers/writers.h"

#include <algorithm>
#include <filesystem>

#include "agent/record/audit.h"
#include "cgroup/base/text.h"
#include "cgroup/executor/file_writer.h"
#include "cgroup/network/kernel_network.h"
#include "cgroup/network/writer.h"
#include "cgroup/resctrl/writer.h"
#include "cgroup/sched/core_sched_writer.h"
#include "cgroup/sched/oom_score.h"
#include "cgroup/sched/request_size_writer.h"
#include "cgroup/sched/sched_feature_writer.h"

namespace evenkeel::writers {
namespace {

constexpr const char* kBootId = "proc/sys/kernel/random/boot_id";

/// Whether this is a directory that only looks like a host.
bool is_fake(const Host& host) { return host.root() != "/" && !host.on_kernel_fs("proc"); }

}  // namespace

Result<std::string> boot_id(const Host& host) {
  const auto text = host.slurp(kBootId);
  if (!text && text.error().code == ENOENT && is_fake(host)) return std::string();
  if (!text) return fail(text.error().code, text.error().op, kBootId);
  const auto id = trimmed(*text);
  if (id.empty()) return fail(ENODATA, Op::read, kBootId);
  return std::string(id);
}

namespace {

/// The cgroups that the journal has records of, once for each record.
std::vector<std::string> recorded_cgroups(const executor::Journal& journal) {
  std::vector<std::string> dirs;
  for (const auto& entry : journal.entries())
    if (entry.inode != 0) dirs.push_back(entry.dir);
  for (const auto& [path, inode] : journal.directories())
    if (path.starts_with("sys/fs/cgroup/")) dirs.push_back(path);
  return dirs;
}

/// Not empty: none of the recorded cgroups is there, not even what the first part of its path names, and that
/// need not mean that they were removed: a container with a cgroup namespace of its own sees no others.
std::string why_hidden(const Host& host, const executor::Journal& journal) {
  const auto layout = tree::detect_layout(host, "");
  const auto hierarchies = layout ? layout->hierarchies() : std::vector<std::string>();
  std::string hidden;
  for (const auto& dir : recorded_cgroups(journal)) {
    const auto is_above = [&](const std::string& root) { return dir.starts_with(root + '/'); };
    const auto root = std::ranges::find_if(hierarchies, is_above);
    const bool found = root != hierarchies.end();
    if (found && host.exists(dir.substr(0, dir.find('/', root->size() + 1)))) return {};
    if (!found || !tree::is_true_root(host, *layout, *root)) hidden = dir;
  }
  if (hidden.empty()) return {};
  return host.absolute(hidden) +
         " and all other cgroups of the journal are not visible here, and this is not the root of the cgroup "
         "hierarchy (a container's own cgroup namespace?): nothing was restored, and the journal is kept; "
         "run "
         "`evenkeel restore` on the node itself";
}

}  // namespace

executor::Report restore_leftovers(const Host& host, const KernelPorts& ports, executor::Journal& journal) {
  if (auto why = why_hidden(host, journal); !why.empty()) {
    executor::Report kept;
    kept.refusals.push_back({.path = "journal",
                             .error = {.code = ENOENT, .op = Op::open},
                             .text = "originals",
                             .detail = std::move(why)});
    return kept;
  }
  executor::Report report = executor::restore_from_journal(ports.files, journal);
  resctrl::restore_resctrl(ports.groups, journal, report);
  sched::restore_core_sched(ports.groups, ports.cookies, journal, report);
  sched::OomScores oom_scores(ports.groups);
  for (sched::TaskSetting* setting : {static_cast<sched::TaskSetting*>(&ports.request_sizes),
                                      static_cast<sched::TaskSetting*>(&oom_scores)})
    sched::restore_task_values(ports.groups, *setting, journal, report);
  sched::restore_sched_features(host, journal, report);
  network::restore_network(ports.network, journal, report);
  return report;
}

void log_damage(runtime::Log& log, const std::string& state_dir, const executor::Journal& journal) {
  log.error("journal-damaged")
      .with("records", journal.corrupt_records())
      .with("kept_in", state_dir + "/journal.damaged");
}

namespace {

std::string no_journal(const std::string& state_dir, int code) {
  const char* hint = code == EACCES || code == EPERM ? "; run it as root" : "";
  return "journal in " + state_dir + ": " + errno_name(code) + hint;
}

std::string no_boot_id(const Host& host, int code) {
  return host.absolute(kBootId) + ": " + errno_name(code) +
         ": without it, it is unknown whether the journal is of this boot; nothing was restored";
}

/// Values can be restored from a journal that cannot be written. `why_stale` is then set to the reason.
Result<executor::Journal> open_or_read(const std::string& state_dir, const std::string& boot,
                                       std::string& why_stale) {
  auto journal = executor::Journal::open(state_dir, boot);
  const int code = journal ? 0 : journal.error().code;
  if (code != EROFS && code != EACCES && code != EPERM) return journal;
  auto read = executor::Journal::open_to_read(state_dir, boot);
  if (read) why_stale = errno_name(code);
  return read;
}

void tell(const executor::Report& report, runtime::Log& log, Result<record::Audit>& audit) {
  for (const auto& write : report.writes) {
    log.info("restore").with("path", write.path).with("old", write.old_text).with("new", write.new_text);
    if (audit)
      audit->record({"restore", write.path, write.old_text, write.new_text, "restore", write.why.text(), {}},
                    {});
  }
  for (const auto& foreign : report.foreign)
    log.info("left").with("path", foreign.path).with("value", foreign.theirs).with("ours", foreign.ours);
  for (const auto& refusal : report.refusals)
    log.error("refused")
        .with("path", refusal.path)
        .with("value", refusal.text)
        .with("errno", errno_name(refusal.error.code));
}

}  // namespace

Restored restore_offline(const RestoreOptions& options, runtime::Log& log, const runtime::WallClock& wall) {
  std::error_code unknown;
  const bool has_journal = std::filesystem::exists(options.state_dir + "/journal", unknown);
  if (unknown) return {{}, no_journal(options.state_dir, unknown.value())};
  if (!has_journal) return {};  // nothing was ever written
  auto host = Host::open(options.host_root);
  if (!host) return {{}, "host root " + options.host_root + ": " + errno_name(host.error().code)};
  const auto boot = boot_id(*host);
  if (!boot || boot->empty()) return {{}, no_boot_id(*host, boot ? ENOENT : boot.error().code)};
  Restored done;
  auto journal = open_or_read(options.state_dir, *boot, done.stale);
  if (!journal && journal.error().code == EWOULDBLOCK) {
    return {{}, "an evenkeel is running on " + options.state_dir + "; stop it: it restores by itself"};
  }
  if (!journal) return {{}, no_journal(options.state_dir, journal.error().code)};
  if (journal->corrupt_records() > 0) log_damage(log, options.state_dir, *journal);
  if (auto why = why_hidden(*host, *journal); !why.empty()) return {{}, std::move(why)};
  auto audit = record::Audit::open(options.state_dir, &wall);
  executor::FileWriter files(*host);
  executor::ResctrlKernelFiles groups(*host);
  sched::KernelCookies cookies(*host);
  sched::KernelRequestSizes request_sizes(*host);
  network::KernelNetworkPort network(*host);
  done.unread = journal->corrupt_records();
  journal->keep_back();  // all values before anything that the disk may refuse
  done.report = restore_leftovers(*host, {files, groups, cookies, request_sizes, network}, *journal);
  if (const auto put = journal->write_kept_back(); !put) done.stale = errno_name(put.error().code);
  tell(done.report, log, audit);
  return done;
}

Writers::Writers(const tree::CgroupTree& tree, KernelAccess& kernel, bool dry_run)
    : io_cost_(tree, kernel.files, kernel.journal, dry_run),
      resctrl_(tree, kernel.resctrl, kernel.journal, dry_run),
      core_sched_(tree, kernel.resctrl, kernel.cookies, kernel.journal, dry_run),
      request_sizes_(tree, kernel.resctrl, kernel.request_sizes, kernel.journal, dry_run),
      oom_scores_(tree, kernel.resctrl, kernel.oom_scores, kernel.journal, dry_run),
      sched_features_(kernel.host, kernel.journal, dry_run),
      network_(tree, kernel.network, kernel.journal, dry_run) {}

void Writers::apply(const decide::Intents& intents, MonoTime now, executor::Report& report) {
  resctrl_.serve(intents, now, report);
  core_sched_.serve(intents, now, report);
  request_sizes_.serve(intents, now, report);
  oom_scores_.serve(intents, now, report);
  sched_features_.serve(intents, now, report);
  network_.serve(intents, now, report);
}

void Writers::restore_all(MonoTime now, executor::Report& report) {
  io_cost_.restore_all(now, report);
  resctrl_.restore_all(now, report);
  core_sched_.restore_all(now, report);
  request_sizes_.restore_all(now, report);
  oom_scores_.restore_all(now, report);
  sched_features_.restore_all(now, report);
  network_.restore_all(now, report);
}

void Writers::add_managed(std::vector<executor::Managed>& out) const {
  for (const executor::Actuator* writer : all()) writer->add_managed(out);
}

executor::ActuatorTotals Writers::totals() const {
  executor::ActuatorTotals sum;
  for (const executor::Actuator* writer : all()) sum += writer->totals();
  return sum;
}

}  // namespace evenkeel::writers
