// The hand that carries out reclaim orders, on a thread of its own: a write to memory.reclaim may block for
// long, and neither a tick nor the end of the agent may wait for it. May not: decide who gives up memory.
//
// Nobody ever waits for the thread. It owns all that it touches together with the Reclaimer, so it is simply
// left behind at the end: the process's end interrupts its write. It begins with the first order.
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
    at_once,  ///< within follow(), each order in one write: stepped mode, so that what is due is done
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

  /// What the kernel has for it. Looks at files of the cgroups there are; false while there are none.
  ReclaimSupport ability();
  /// The orders from now on: what is not among them ends at its next step.
  void follow(const std::vector<ReclaimOrder>& orders);
  /// What came of them since the last call.
  void report(std::vector<ReclaimOutcome>& out);
  /// Of the last follow().
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
