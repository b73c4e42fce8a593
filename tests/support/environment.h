// Numbers that whoever runs a test or a bench gives by the environment.
#pragma once

#include <cstdlib>

namespace evenkeel::test {

/// The variable's number; `otherwise` when there is none.
inline int from_environment(const char* name, int otherwise) {
  const char* const text = std::getenv(name);
  return text != nullptr ? std::atoi(text) : otherwise;
}

}  // namespace evenkeel::test
