// Drives the real program in stepped mode line by line, as an operator can to find out what the agent would
// do.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "agent/document/document.h"

namespace evenkeel::test {

/// One answer of `advance` or `quit`.
struct Step {
  std::string line{};  ///< as printed
  document::Value json{};
  struct Write {
    std::string path{}, old_text{}, new_text{}, by{}, why{};
  };
  std::vector<Write> writes{};
  std::vector<std::string> errors{};  ///< "ERRNO path: why"
  /// The new text of the last write to a path that ends in `suffix`; "<none>" without one.
  [[nodiscard]] std::string written(const std::string& suffix) const;
};

class SteppedAgent {
 public:
  /// Starts `evenkeel run --stepped ARGS…`.
  explicit SteppedAgent(const std::vector<std::string>& args);
  ~SteppedAgent();
  SteppedAgent(const SteppedAgent&) = delete;
  SteppedAgent& operator=(const SteppedAgent&) = delete;

  Step advance(const std::string& duration = "1s");
  std::string metrics();
  std::string explain();
  /// Orderly shutdown; afterwards exit_status() is known.
  Step quit();
  /// Sends SIGKILL and waits for the exit.
  void kill();
  /// Sends SIGKILL after a delay from a separate process, whatever the agent is doing then.
  void kill_after(std::chrono::microseconds delay);
  [[nodiscard]] bool alive() const;
  /// As advance(), but the agent may die meanwhile.
  void try_advance(const std::string& duration);
  [[nodiscard]] int exit_status() const { return exit_status_; }
  [[nodiscard]] std::string stderr_text() const;

 private:
  void send(const std::string& line) const;
  std::string read_line();
  void wait();
  int pid_ = -1;
  int killer_ = -1;
  int to_ = -1, from_ = -1;
  int exit_status_ = -1;
  std::string buffer_{};
  std::string stderr_path_{};
};

/// Runs `evenkeel ARGS…` until it exits.
struct Ran {
  int exit_status = -1;
  std::string out{}, err{};
};
Ran run_evenkeel(const std::vector<std::string>& args);

}  // namespace evenkeel::test
