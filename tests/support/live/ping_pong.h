// Generates context switches at the highest rate and measures the cost of each from the kernel's counts.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/live/pinned_task.h"

namespace evenkeel::test {

/// Two tasks of two containers on one CPU that pass a byte back and forth forever.
class PingPong {
 public:
  PingPong(const LiveCgroups& cgroups, const std::string& a, const std::string& b);
  ~PingPong();
  PingPong(const PingPong&) = delete;
  PingPong& operator=(const PingPong&) = delete;
  /// CPU time per switch during that time.
  [[nodiscard]] double ns_per_switch(std::chrono::milliseconds time) const;

 private:
  struct Game;
  std::unique_ptr<Game> game_;
};

double median(std::vector<double> all);

}  // namespace evenkeel::test
