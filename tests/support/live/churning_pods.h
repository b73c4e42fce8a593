// Pods that come and go continuously, as real cgroups with real processes, with the pod list that a kubelet
// would give: a pod is listed a moment before it exists, and until it is gone.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <string>

#include "tests/support/live/live_cgroups.h"
#include "tests/support/live/live_pod.h"
#include "tests/support/live/pinned_task.h"

namespace evenkeel::test {

/// Every second pod is best effort, the others are services of many workloads. A few have a process, which
/// spins or is nearly idle. One service at a time, the worker, is always busy and lives for seconds. It
/// competes for its CPU with "greedy", which stays.
class ChurningPods {
 public:
  static constexpr auto kEach = std::chrono::milliseconds(20);    ///< 50 pods a second
  static constexpr std::size_t kAtTheSameTime = 50;               ///< each lives for one second
  static constexpr auto kWorkerLives = std::chrono::seconds(20);  ///< lifetime of the worker
  static constexpr const char* kWorker = "churn/worker/main";     ///< the worker's workload
  static constexpr std::size_t kWorkloads = 256;                  ///< workloads of all other services

  /// `list`: the pod list file that the agent reads.
  ChurningPods(LiveCgroups& cgroups, std::string list);
  /// Creates and removes pods for `length`, and until there were at least that many; at most a minute longer.
  void churn(std::chrono::seconds length, std::size_t least);
  /// Removes all pods except the greedy one.
  void all_go();
  [[nodiscard]] std::size_t made() const { return made_; }  ///< so far

 private:
  using Clock = std::chrono::steady_clock;
  struct Pod {
    std::size_t number = 0;
    std::string path{};
    std::unique_ptr<LiveProcess> process{};
  };
  struct Worker {
    std::size_t number = 0;
    std::string path{};
    std::unique_ptr<PinnedTask> task{};
    Clock::time_point goes{};
  };
  static bool best_effort(std::size_t number) { return number % 2 == 0; }
  static std::string uid(std::size_t number);
  static std::string path(std::size_t number, bool best_effort);
  static std::string entry(std::size_t number, bool best_effort, const std::string& owner,
                           const std::string& image);
  void come();
  void go();
  void remove(const std::string& container);
  void exchange_worker();
  /// Rewrites the list: the existing pods, and that many upcoming ones.
  void publish_list(std::size_t coming) const;

  LiveCgroups& cgroups_;
  std::string list_;
  std::deque<PinnedTask> greedy_{};
  std::deque<Pod> pods_{};
  Worker worker_{};
  std::size_t made_ = 0;
};

}  // namespace evenkeel::test
