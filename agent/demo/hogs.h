// Best-effort hogs: real processes in the batch containers that use all the CPU they get, by computing or by
// a storm of page faults, and count their work.
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
  /// Whether all hogs are running.
  [[nodiscard]] bool running();
  /// Work done so far: rounds of computing, or touched pages.
  [[nodiscard]] std::uint64_t work() const;

 private:
  /// On its own cache line, so that counting does not slow the other hogs.
  struct alignas(64) Counter {
    std::uint64_t work = 0;
  };
  Shared<Counter> counters_;
  std::vector<Child> children_{};
};

}  // namespace evenkeel::demo
