// The machine of tests/run resctrl, whose counters model a shared cache: 1.0 cycles per instruction alone,
// 3.0 beside a busy neighbour.
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

/// Pins a process and its future children; 0: the calling one. Anything awake on another CPU counts as a
/// neighbour, including the test and the agent.
inline bool pin(pid_t pid, int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(cpu), &set);
  return ::sched_setaffinity(pid, sizeof set, &set) == 0;
}

}  // namespace evenkeel::test
