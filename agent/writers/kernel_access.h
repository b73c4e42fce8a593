// Groups everything through which the agent writes to the kernel: the host's files, resctrl, core scheduling
// cookies, the network, and the journal that makes each write reversible. Does not decide what to write.
#pragma once

#include <utility>

#include "agent/writers/restore.h"
#include "cgroup/executor/file_writer.h"
#include "cgroup/executor/journal.h"
#include "cgroup/network/kernel_network.h"
#include "cgroup/sched/core_cookies.h"

namespace evenkeel::writers {

struct KernelAccess {
  KernelAccess(Host opened_host, executor::Journal opened_journal)
      : host(std::move(opened_host)), journal(std::move(opened_journal)) {}
  KernelAccess(const KernelAccess&) = delete;
  KernelAccess& operator=(const KernelAccess&) = delete;
  [[nodiscard]] KernelPorts ports() { return {files, resctrl, cookies, network}; }

  Host host;
  executor::Journal journal;
  executor::FileWriter files{host};
  executor::ResctrlKernelFiles resctrl{host};
  sched::KernelCookies cookies{host};
  network::KernelNetworkPort network{host};
};

}  // namespace evenkeel::writers
