// The machine of tests/run resctrl, whose counters feel who shares the cache: 1.0 cycles per instruction
// alone, 3.0 beside a neighbour who never sleeps.
#pragma once

#include <sched.h>

#include <fstream>
#include <string>

namespace evenkeel::test {

inline constexpr const char* kNoModelledCache = "not the machine with the modelled cache (tests/run resctrl)";

inline bool cache_is_modelled() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model\t") && line.ends_with(": 200")) return true;
  return false;
}

/// A process and the children that it makes from now on; 0: this one. Whoever is awake on another CPU is a
/// neighbour there, the test and the agent as well.
inline bool pin(pid_t pid, int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(cpu), &set);
  return ::sched_setaffinity(pid, sizeof set, &set) == 0;
}

}  // namespace evenkeel::test
