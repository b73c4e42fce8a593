// The exit status and last output line of a benchmark that cannot run here.
#pragma once

#include <cstdio>
#include <string>

namespace evenkeel::test {

/// The value for main() to return, as scripts expect (tests/README.md).
inline int cannot_run(const std::string& why) {
  std::printf("%s\n", why.c_str());
  return 77;
}

}  // namespace evenkeel::test
