// How much memory a process has.
#pragma once

#include <unistd.h>

#include <fstream>
#include <string>

namespace evenkeel::test {

/// Resident memory by /proc/PID/statm, in KiB. `process`: its number; "self": of this one.
inline long resident_kib(const std::string& process = "self") {
  std::ifstream pages("/proc/" + process + "/statm");
  long size = 0, resident = 0;
  pages >> size >> resident;
  return resident * ::sysconf(_SC_PAGESIZE) / 1024;
}

}  // namespace evenkeel::test
