// The demo's terminal output: a progress line, and interruption by signals. Does not decide anything.
#pragma once

#include <csignal>
#include <string>

#include "qos/model/units.h"

namespace evenkeel::demo {

/// Blocks SIGINT, SIGTERM and SIGHUP while it lives; pause_until() receives them.
class Console {
 public:
  Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;
  ~Console();

  /// On a terminal one line that is updated in place, else a line per call. `done` is a fraction, 0..1.
  void progress(double done, const std::string& what);
  /// Removes the progress line.
  void clear();
  /// Waits until `moment`. False when a signal asked the demo to stop, and from then on at once.
  bool pause_until(Duration moment);
  [[nodiscard]] bool interrupted() const { return interrupted_by_ != 0; }
  /// "SIGINT"; empty if not interrupted.
  [[nodiscard]] std::string interrupted_by() const;

 private:
  sigset_t ours_{}, before_{};
  bool terminal_ = false;
  int interrupted_by_ = 0;  ///< the signal
};

}  // namespace evenkeel::demo
