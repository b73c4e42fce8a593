// The CPU topology of the machine. A value; collectors/node/topology.cpp fills it.
#pragma once

#include <string>
#include <vector>

#include "qos/model/cpu_set.h"

namespace evenkeel {

struct CpuInfo {
  CpuId id = 0;
  int core = 0;    ///< unique on the machine: two CPUs with the same core are SMT siblings
  int socket = 0;  ///< physical package
  int numa = 0;    ///< NUMA node
  int l3 = 0;      ///< last-level cache domain
};

struct CpuTopology {
  std::vector<CpuInfo> cpus{};  ///< online CPUs, ascending by id; empty = unknown
  CpuSet online{};
  std::string model{};  ///< of the first CPU, as the kernel names it; empty: not given
};

}  // namespace evenkeel
