// Reads numbers for a test or benchmark from environment variables.
#pragma once

#include <cstdlib>

namespace evenkeel::test {

/// The variable's number; `otherwise` if it is not set.
inline int from_environment(const char* name, int otherwise) {
  const char* const text = std::getenv(name);
  return text != nullptr ? std::atoi(text) : otherwise;
}

}  // namespace evenkeel::test
