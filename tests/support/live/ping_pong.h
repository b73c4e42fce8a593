// Context switches, as many as a CPU can do, and what each costs by the kernel's own count.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/live/pinned_task.h"

namespace evenkeel::test {

/// Two tasks of two containers on one CPU that hand a byte to and fro for ever.
class PingPong {
 public:
  PingPong(const LiveCgroups& cgroups, const std::string& a, const std::string& b);
  ~PingPong();
  PingPong(const PingPong&) = delete;
  PingPong& operator=(const PingPong&) = delete;
  /// CPU time per switch during so long.
  [[nodiscard]] double ns_per_switch(std::chrono::milliseconds time) const;

 private:
  struct Game;
  std::unique_ptr<Game> game_;
};

double median(std::vector<double> all);

}  // namespace evenkeel::test
