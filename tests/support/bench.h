// How a bench says that it could not run: its exit status, and the last line that it prints.
#pragma once

#include <cstdio>
#include <string>

namespace evenkeel::test {

/// For main() to return, as scripts do (tests/README.md).
inline int cannot_run(const std::string& why) {
  std::printf("%s\n", why.c_str());
  return 77;
}

}  // namespace evenkeel::test
