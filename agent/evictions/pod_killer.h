// Kills one pod without an API server: SIGTERM, the grace period, then SIGKILL until no process is left, one
// step a tick. Does not choose the pod or wait.
#pragma once

#include <optional>
#include <string>

#include "cgroup/tree/pod_processes.h"
#include "qos/model/units.h"

namespace evenkeel::evictions {

class PodKiller {
 public:
  /// Sends no signal before the first step().
  PodKiller(std::string uid, tree::PodProcesses processes, Duration grace)
      : uid_(std::move(uid)), processes_(std::move(processes)), grace_(grace) {}

  struct Step {
    enum class State : std::uint8_t { in_progress, ended, failed };
    State state = State::in_progress;
    std::size_t processes = 0;  ///< still running
    std::string why{};          ///< why it failed
  };
  Step step(MonoTime now);
  [[nodiscard]] const std::string& uid() const { return uid_; }
  [[nodiscard]] Duration grace() const { return grace_; }

 private:
  std::string uid_;
  tree::PodProcesses processes_;
  Duration grace_;
  std::optional<MonoTime> sigterm_at_{};
};

}  // namespace evenkeel::evictions
