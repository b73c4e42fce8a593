// What a test in a guest (tests/vm) may rely on: its kernel is Debian's, and known. What is a reason to skip
// elsewhere is a failure there.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace evenkeel::test {

inline bool in_guest() { return std::getenv("EVENKEEL_IN_VM") != nullptr; }

/// To skip with, when programs were not loaded into the kernel and this is why. Debian's kernels take them.
inline std::string no_programs(const std::string& why) {
  if (in_guest() && !why.empty()) [&] { FAIL() << "the guest's kernel refuses our programs: " << why; }();
  return why;
}

}  // namespace evenkeel::test
