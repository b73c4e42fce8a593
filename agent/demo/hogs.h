// Best-effort hogs: real processes in the batch containers that take all the CPU they can get, by computing
// or by a storm of page faults, and count what they got done.
#pragma once

#include <cstdint>
#include <vector>

#include "agent/demo/child.h"
#include "agent/demo/figures.h"
#include "agent/demo/stage.h"

namespace evenkeel::demo {

class Hogs {
 public:
  Hogs(const Stage& stage, Scenario scenario, int count);
  /// Whether all of them are at work.
  [[nodiscard]] bool running();
  /// Work done so far: rounds of computing, or pages touched.
  [[nodiscard]] std::uint64_t work() const;

 private:
  /// Its own cache line, so that counting does not make hogs slow each other.
  struct alignas(64) Counter {
    std::uint64_t work = 0;
  };
  Shared<Counter> counters_;
  std::vector<Child> children_{};
};

}  // namespace evenkeel::demo
