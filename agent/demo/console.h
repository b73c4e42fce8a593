// What the person at the terminal sees while the demo runs, and how he stops it. May not: decide anything.
#pragma once

#include <csignal>
#include <string>

#include "qos/model/units.h"

namespace evenkeel::demo {

/// Takes SIGINT, SIGTERM and SIGHUP out of the usual way while it lives: they arrive in pause_until().
class Console {
 public:
  Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;
  ~Console();

  /// One line that updates itself on a terminal, else a line each time. The share done is 0..1.
  void progress(double done, const std::string& what);
  /// Removes the progress line.
  void clear();
  /// False when somebody asked us to stop: from then on at once.
  bool pause_until(Duration moment);
  [[nodiscard]] bool interrupted() const { return interrupted_by_ != 0; }
  /// "SIGINT"; empty if nobody did.
  [[nodiscard]] std::string interrupted_by() const;

 private:
  sigset_t ours_{}, before_{};
  bool terminal_ = false;
  int interrupted_by_ = 0;  ///< the signal
};

}  // namespace evenkeel::demo
