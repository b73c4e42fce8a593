// Runs the real program as a separate process on the real kernel.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "tests/support/process.h"

namespace evenkeel::test {

class LiveAgent {
 public:
  /// Starts `evenkeel run ARGS…`; its log goes to log_path().
  explicit LiveAgent(const std::vector<std::string>& args, MostFiles files = {});
  ~LiveAgent();
  LiveAgent(const LiveAgent&) = delete;
  LiveAgent& operator=(const LiveAgent&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] bool alive() const;
  /// Sends SIGTERM and waits for the exit. Returns how long that took.
  std::chrono::nanoseconds stop();
  void kill();
  [[nodiscard]] int exit_status() const { return exit_status_; }
  [[nodiscard]] std::string log() const;
  /// Waits until the log contains `text`; false after `patience`.
  [[nodiscard]] bool logged(const std::string& text, std::chrono::milliseconds patience) const;
  /// "http://127.0.0.1:PORT", where it listens (--listen 127.0.0.1:0); waits until it does. Empty: it does
  /// not.
  [[nodiscard]] std::string url() const;
  [[nodiscard]] long resident_kib() const;
  /// User and system time so far.
  [[nodiscard]] std::chrono::milliseconds cpu_time() const;

 private:
  void wait();
  pid_t pid_ = -1;
  int exit_status_ = -1;
  std::string log_path_{};
};

}  // namespace evenkeel::test
