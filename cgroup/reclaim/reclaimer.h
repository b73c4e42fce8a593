// Reclaims memory: ReclaimJob in small steps in one cgroup, and the Reclaimer, which carries out all orders
// on its own thread, since a write to memory.reclaim may block for long, and neither a tick nor the end of
// the agent may wait for it. Does not decide which cgroups are reclaimed.
//
// No other thread waits for that one. It owns its data together with the Reclaimer, so it is simply abandoned
// at the end: the process's exit interrupts its write. It starts with the first order.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "cgroup/base/result.h"
#include "cgroup/tree/tree.h"
#include "qos/model/reclaim_order.h"

namespace evenkeel::reclaim {

inline constexpr const char* kReclaimFile = "memory.reclaim";

/// Files of one cgroup; they give ENODEV after its removal.
struct ReclaimFiles {
  static Result<ReclaimFiles> open(const tree::CgroupTree& tree, const tree::Cgroup& cgroup);
  Fd current{}, pressure{}, reclaim{};
};

/// Reclaims memory of one cgroup in small steps: between two of them it reads how much is in use and whether
/// the cgroup's own tasks are stalled. Does not know other cgroups, threads or clocks. A step may block while
/// the kernel looks for pages.
class ReclaimJob {
 public:
  struct Step {
    Bytes requested{}, reclaimed{};
    ReclaimEnd end = ReclaimEnd::going;
    int error = 0;
  };

  explicit ReclaimJob(ReclaimFiles files) : files_(std::move(files)) {}
  /// The same cgroup's files, reopened.
  void use(ReclaimFiles files) { files_ = std::move(files); }
  /// Starts the order of a new tick. Stalls since the last reading count.
  void begin(const ReclaimOrder& order);
  /// Reads the state, and reclaims one chunk if one is due: with `whole` all that is left of the order.
  Step step(bool whole);

 private:
  [[nodiscard]] bool stalled(Bytes used);
  [[nodiscard]] Bytes chunk(Bytes used, bool whole) const;
  Step ask(Bytes used, Bytes amount);

  ReclaimFiles files_;
  ReclaimOrder order_{};
  Bytes spent_{};
  bool begun_ = false;  ///< use was above the upper mark, and not yet below the lower one
  int misses_ = 0;      ///< chunks in a row that reclaimed little
  std::optional<std::int64_t> stall_from_us_{}, stall_seen_us_{};
};

struct ReclaimCounters {
  std::uint64_t chunks = 0, requested_bytes = 0, reclaimed_bytes = 0;
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
    Bytes requested{};
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
