// Pods that come and go without end, as real cgroups with real processes, and the pod list that tells of them
// as a kubelet does: a moment before they come, and until they are gone.
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
/// spins or hardly runs. One service at a time works all the time and lives for seconds. It has to wait for
/// another one on its CPU, "greedy", which is there for good.
class ChurningPods {
 public:
  static constexpr auto kEach = std::chrono::milliseconds(20);    ///< 50 pods a second
  static constexpr std::size_t kAtTheSameTime = 50;               ///< each lives for a second
  static constexpr auto kWorkerLives = std::chrono::seconds(20);  ///< the one that works
  static constexpr const char* kWorker = "churn/worker/main";     ///< its workload
  static constexpr std::size_t kWorkloads = 256;                  ///< of all the others

  /// `list`: the file that the agent reads.
  ChurningPods(LiveCgroups& cgroups, std::string list);
  /// Pods come and go for so long, and until it were so many; never longer than a minute more.
  void churn(std::chrono::seconds length, std::size_t least);
  /// All but the greedy one.
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
  /// Rewrites the list: who is there, and so many who are about to come.
  void tell(std::size_t coming) const;

  LiveCgroups& cgroups_;
  std::string list_;
  std::deque<PinnedTask> greedy_{};
  std::deque<Pod> pods_{};
  Worker worker_{};
  std::size_t made_ = 0;
};

}  // namespace evenkeel::test
