// Turns reasons to skip into failures in a guest (tests/vm), whose kernel is Debian's and known.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace evenkeel::test {

inline bool in_guest() { return std::getenv("EVENKEEL_IN_VM") != nullptr; }

/// The reason to skip when BPF programs were not loaded. Debian's kernels accept them, so in a guest it
/// fails.
inline std::string no_programs(const std::string& why) {
  if (in_guest() && !why.empty()) [&] { FAIL() << "the guest's kernel refuses our programs: " << why; }();
  return why;
}

}  // namespace evenkeel::test
