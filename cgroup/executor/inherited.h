// CPU sets that pods copied from a directory that the agent held narrow, while no agent was running.
#pragma once

#include <set>
#include <string>

#include "cgroup/base/kernel_files.h"
#include "cgroup/executor/journal.h"

namespace evenkeel::executor {

/// Puts pods and containers on cgroup v1 into the journal that were born after a crash and copied a CPU set
/// of the agent's from the directory above: their original is that of this directory. Returns their files'
/// paths. Changes no kernel file. inherited.cpp says what is taken for a copy.
std::set<std::string> record_copies(KernelFiles& files, Journal& journal);

}  // namespace evenkeel::executor
