// The reclaimer, which carries out reclaim orders on its own thread: a write to memory.reclaim may block for
// long, and neither a tick nor the end of the agent may wait for it. Does not decide which cgroups are
// reclaimed.
//
// No other thread waits for it. It owns its data together with the Reclaimer, so it is simply abandoned at
// the end: the process's exit interrupts its write. It starts with the first order.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cgroup/reclaim/reclaim_job.h"
#include "cgroup/tree/tree.h"

namespace evenkeel::reclaim {

struct ReclaimCounters {
  std::uint64_t chunks = 0, asked_bytes = 0, reclaimed_bytes = 0;
  std::uint64_t stopped_by_pressure = 0, budget_exhausted = 0, nothing_left = 0, failures = 0;
};

class Reclaimer {
 public:
  enum class How : std::uint8_t {
    by_thread,
    at_once,  ///< within follow(), each order in one write: stepped mode, so that orders are complete on
              ///< return
    not_at_all,
  };
  /// One order that follow() has carried out itself.
  struct Done {
    CgroupId target{};
    Bytes asked{};
    bool file_only = false;
  };

  /// `tree` must outlive it.
  Reclaimer(const tree::CgroupTree& tree, How how);
  ~Reclaimer();
  Reclaimer(const Reclaimer&) = delete;
  Reclaimer& operator=(const Reclaimer&) = delete;

  /// What the kernel supports. Reads files of the existing cgroups; false while there are none.
  ReclaimSupport ability();
  /// Sets the current orders: a cgroup not among them stops at its next step.
  void follow(const std::vector<ReclaimOrder>& orders);
  /// The outcomes since the last call.
  void report(std::vector<ReclaimOutcome>& out);
  /// From the last follow().
  [[nodiscard]] const std::vector<Done>& done() const { return done_; }
  [[nodiscard]] ReclaimCounters counters() const;

 private:
  struct Task;
  struct Shared;
  static void work(Shared& shared);
  static void* thread(void* shared);
  static void note(Task& task, const ReclaimJob::Step& step, ReclaimCounters& counters);
  void place(const ReclaimOrder& order);
  void run_synchronously();
  void start_thread();

  const tree::CgroupTree& tree_;
  How how_;
  ReclaimSupport ability_{};
  bool running_ = false;
  std::shared_ptr<Shared> shared_;
  std::vector<Done> done_{};
};

}  // namespace evenkeel::reclaim
