// CPU sets that pods copied from a directory that the agent held narrow, while no agent was running.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "cgroup/base/kernel_files.h"
#include "cgroup/executor/executor.h"
#include "cgroup/executor/journal.h"

namespace evenkeel::executor {

struct Copies {
  std::set<std::string> files{};    ///< their paths
  std::optional<Refused> unread{};  ///< a directory that could not be looked at: there may be copies in it
};

/// The CPUs of a directory on cgroup v1; ENOENT on cgroup v2, which calls that file cpuset.cpus.effective.
Result<std::string> v1_cpus(KernelFiles& files, const std::string& dir);

/// The CPU set of the directory above; absent: it cannot be read.
std::optional<CpuSet> v1_cpus_above(KernelFiles& files, const std::string& dir);

/// Puts pods and containers on cgroup v1 into the journal that were born after a crash and copied a CPU set
/// of the agent's from the directory above: their original is that of this directory. Changes no kernel file.
/// inherited.cpp says what is taken for a copy.
Copies record_copies(KernelFiles& files, Journal& journal);

}  // namespace evenkeel::executor
