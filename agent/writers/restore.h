// `evenkeel restore`: restores, without a running agent, every original in the journal.
#pragma once

#include <string>

#include "agent/runtime/log.h"
#include "cgroup/base/resctrl_files.h"
#include "cgroup/executor/executor.h"
#include "cgroup/network/kernel_port.h"
#include "cgroup/sched/core_cookies.h"

namespace evenkeel::writers {

struct RestoreOptions {
  std::string host_root = "/";
  std::string state_dir{};
};
struct Restored {
  executor::Report report{};
  std::string error{};  ///< set: nothing was done
};
Restored restore_offline(const RestoreOptions& options, runtime::Log& log, const runtime::WallClock& wall);

/// Restores every original in a journal, through all writers.
struct KernelPorts {
  KernelFiles& files;
  ResctrlFiles& groups;
  sched::CoreCookies& cookies;
  network::NetworkPort& network;
};
executor::Report restore_leftovers(const Host& host, const KernelPorts& doors, executor::Journal& journal);

/// The kernel's boot id; empty where the host root has none (a fake root).
std::string boot_id(const Host& host);

}  // namespace evenkeel::writers
