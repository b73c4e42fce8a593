// Everything through which the agent writes to the kernel, besides the executor, and the restore from the
// journal.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/runtime/log.h"
#include "cgroup/base/kernel_files.h"
#include "cgroup/executor/executor.h"
#include "cgroup/executor/file_writer.h"
#include "cgroup/executor/journal.h"
#include "cgroup/iocost/cost_writer.h"
#include "cgroup/network/kernel_network.h"
#include "cgroup/network/kernel_port.h"
#include "cgroup/network/writer.h"
#include "cgroup/resctrl/writer.h"
#include "cgroup/sched/core_sched_writer.h"
#include "cgroup/sched/oom_score.h"
#include "cgroup/sched/request_size_writer.h"
#include "cgroup/sched/sched_feature_writer.h"

namespace evenkeel::writers {

// `evenkeel restore`: restores, without a running agent, every original in the journal.

struct RestoreOptions {
  std::string host_root = "/";
  std::string state_dir{};
};
struct Restored {
  executor::Report report{};
  std::string error{};  ///< set: nothing was done
  int unread = 0;       ///< lines of the journal that could not be read: their values were not restored
  std::string stale{};  ///< set: the journal could not be brought up to date; an errno's name
};
Restored restore_offline(const RestoreOptions& options, runtime::Log& log, const runtime::WallClock& wall);

/// The directory with the cgroups that an agent manages.
std::string claimed_dir(const tree::Layout& layout);
/// Claims the cgroups below claimed_dir() for this agent, until the descriptors are closed: two agents with
/// different state directories would fight. EWOULDBLOCK: another agent has them. ENOENT: the directory does
/// not exist yet; a lock on one above it would keep no agent away that starts later. It is an advisory lock
/// on the directory, which containers see as well, and one on a file that only root may open; it writes
/// nothing. A lock on the directory alone does not count if another user than root and this process's own has
/// it, or if the kernel does not say who has it: the agent then works without it, and says so.
struct CgroupClaim {
  Fd dir{}, roots_file{};
};
Result<CgroupClaim> claim_cgroups(const Host& host, const tree::Layout& layout, runtime::Log& log);
/// The processes that have locked a file by flock(2), from the text of /proc/locks (proc_locks(5)). Not those
/// that wait; the kernel leaves out those of other PID namespaces.
std::vector<int> flock_holders(std::string_view locks, std::uint64_t device, std::uint64_t inode);

/// Says which lines of the journal could not be read, and where they are.
void log_damage(runtime::Log& log, const std::string& state_dir, const executor::Journal& journal);

/// Restores every original in a journal, through all writers. Nothing, with a refusal, where none of the
/// recorded cgroups can be seen.
struct KernelPorts {
  KernelFiles& files;
  ResctrlFiles& groups;
  sched::CoreCookies& cookies;
  sched::RequestSizes& request_sizes;
  network::NetworkPort& network;
};
executor::Report restore_leftovers(const Host& host, const KernelPorts& ports, executor::Journal& journal);

/// The kernel's boot id (proc/sys/kernel/random/boot_id). Empty only on a root of plain files that does not
/// have that file. Any other failure is an error: an id that was not read is not another boot's.
Result<std::string> boot_id(const Host& host);

// Groups everything through which the agent writes to the kernel: the host's files, resctrl, core scheduling
// cookies, request sizes, the network, and the journal that makes each write reversible. Does not decide what
// to write.

struct KernelAccess {
  KernelAccess(Host opened_host, executor::Journal opened_journal)
      : host(std::move(opened_host)), journal(std::move(opened_journal)) {}
  KernelAccess(const KernelAccess&) = delete;
  KernelAccess& operator=(const KernelAccess&) = delete;
  [[nodiscard]] KernelPorts ports() { return {files, resctrl, cookies, request_sizes, network}; }

  Host host;
  executor::Journal journal;
  CgroupClaim claim{};
  executor::FileWriter files{host};
  executor::ResctrlKernelFiles resctrl{host};
  sched::KernelCookies cookies{host};
  sched::KernelRequestSizes request_sizes{host};
  sched::OomScores oom_scores{resctrl};
  network::KernelNetworkPort network{host};
};

// Runs the writers other than the executor: the I/O cost model, resctrl groups, core scheduling cookies,
// request sizes, oom_score_adj, scheduler features and network classes. Does not decide what to write.

class Writers {
 public:
  /// Both must outlive it.
  Writers(const tree::CgroupTree& tree, KernelAccess& kernel, bool dry_run);

  /// Before the executor: I/O weights have no effect on a disk until its cost model is on.
  void apply_io_cost(const decide::Intents& intents, MonoTime now, executor::Report& report) {
    io_cost_.serve(intents, now, report);
  }
  /// All others, after the executor.
  void apply(const decide::Intents& intents, MonoTime now, executor::Report& report);
  /// Puts every original back: orderly stop.
  void restore_all(MonoTime now, executor::Report& report);

  void add_managed(std::vector<executor::Managed>& out) const;
  [[nodiscard]] executor::ActuatorTotals totals() const;
  [[nodiscard]] const resctrl::ResctrlCounters& resctrl_counters() const { return resctrl_.counters(); }
  [[nodiscard]] const sched::CoreSchedCounters& core_sched_counters() const { return core_sched_.counters(); }
  [[nodiscard]] const sched::TaskValueCounters& request_size_counters() const {
    return request_sizes_.counters();
  }
  [[nodiscard]] bool request_sizes_refused() const { return request_sizes_.refused(); }
  [[nodiscard]] const sched::TaskValueCounters& oom_score_counters() const { return oom_scores_.counters(); }
  [[nodiscard]] executor::ActuatorTotals network_totals() const { return network_.totals(); }

 private:
  /// In the order in which they write.
  [[nodiscard]] std::array<const executor::Actuator*, 7> all() const {
    return {&io_cost_, &resctrl_, &core_sched_, &request_sizes_, &oom_scores_, &sched_features_, &network_};
  }
  iocost::IoCostWriter io_cost_;
  resctrl::ResctrlGroupWriter resctrl_;
  sched::CoreSchedWriter core_sched_;
  sched::RequestSizeWriter request_sizes_;
  sched::OomScoreWriter oom_scores_;
  sched::SchedFeatureWriter sched_features_;
  network::NetworkWriter network_;
};

}  // namespace evenkeel::writers
