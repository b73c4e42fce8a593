// A redis-server of the demo's own.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "agent/demo/process.h"
#include "cgroup/base/result.h"

namespace evenkeel::demo {

/// The program that PATH leads to and that this user may run; relative directories in PATH do not count.
/// Empty: none.
std::string program_in_path(const std::string& name);

/// redis without persistence, without a port and without a configuration file, on a socket in a directory of
/// its own. Both are gone when the object is.
class RedisServer {
 public:
  /// `enter` is called in the new process, to move it into its cgroup. False: it is not started.
  RedisServer(const std::string& program, const std::function<bool()>& enter);

  /// Waits up to five seconds until it listens. False: it does not, or a signal asked the demo to stop.
  bool wait_until_ready(Console& console);
  /// Fewer than `count` where it takes no more.
  [[nodiscard]] std::vector<Fd> connect(int count) const;
  [[nodiscard]] bool running() { return process_.running(); }
  /// For failures.
  [[nodiscard]] std::string log() const;

 private:
  [[nodiscard]] std::string socket_path() const { return directory_.path() + "/socket"; }
  [[nodiscard]] std::string log_path() const { return directory_.path() + "/log"; }

  TemporaryDirectory directory_{};
  Child process_{};
};

}  // namespace evenkeel::demo
