// Patience of tests that watch something happen elsewhere: polled, and over as soon as it is true. May not:
// measure how long it took.
#pragma once

#include <chrono>
#include <thread>

namespace evenkeel::test {

/// Whether it became true in the given time, which is long since machines of tests are busy.
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
