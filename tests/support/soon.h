// Waits in tests until a condition holds, by polling. Does not measure how long it took.
#pragma once

#include <chrono>
#include <thread>

namespace evenkeel::test {

/// Whether it becomes true in the given time, which is long because test machines are busy.
template <class True>
bool soon(True is_true, std::chrono::seconds patience = std::chrono::seconds(20)) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!is_true()) {
    if (std::chrono::steady_clock::now() >= end) return is_true();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

}  // namespace evenkeel::test
