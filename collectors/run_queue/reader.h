// The reader of the run-queue program, and its choice of the blame that is reported pair by pair.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cgroup/base/result.h"
#include "collectors/bpf/program.h"
#include "collectors/bpf/tables_shared.h"
#include "collectors/bpf/watched_cgroups.h"
#include "qos/model/snapshot.h"
#include "qos/model/task_measurements.h"

namespace evenkeel::run_queue {

// Chooses which blame of a tick is reported pair by pair when there are too many pairs: the longest, but some
// of every victim. The rest is summed for each victim. Arithmetic only.

class BlameSelection {
 public:
  /// The most pairs reported per tick.
  static constexpr std::size_t kMaxPairs = 1024;
  /// The minimum for each victim, waits and shared cores separately, if there is room for all victims;
  /// otherwise every victim's longest pairs come first, then the second longest, and so on.
  static constexpr std::uint32_t kMinPerVictim = 3;
  /// The size of the kernel's table; beyond it, the shortest are summed early.
  static constexpr std::size_t kMaxCandidates = 4096;

  BlameSelection();
  /// Adds one pair of this tick.
  void add(const WaitBlame& blame);
  /// Adds blame of this tick that is not known pair by pair.
  void add_rest(const BlameRest& rest);
  /// Reports what was added since the last call. Allocates only when `into` needs more capacity than ever.
  void emit(RunQueue& into);

 private:
  struct Candidate {
    WaitBlame blame{};
    std::uint32_t place = 0;  ///< rank within its victim, 0 is the longest; never above kMinPerVictim
  };
  void cut();
  void add_up_rests();
  std::vector<Candidate> candidates_{};
  std::vector<BlameRest> rests_{};
  std::uint64_t cut_ = 0;
};

// Loads the run-queue program of collectors/bpf, sets the watched cgroups, and reads their measurements. Does
// not decide whether it is wanted (collectors/run_queue/collector.cpp does).

/// The features to load; others cost nothing.
struct RunQueueFeatures {
  bool measure = true;  ///< read()
  bool brake = false;   ///< see collectors/run_queue/alarms.h
  bool operator==(const RunQueueFeatures&) const = default;
};

/// The share of a task's time on a CPU during which it really ran; a hypervisor may stop the virtual CPU
/// unnoticed and run other guests.
struct CpuShare {
  MilliCpu ran{1}, of{1};
  bool operator==(const CpuShare&) const = default;
};
/// Over all CPUs in the last tick; 1 if unknown.
CpuShare cpu_share(const NodeSample& node);

class RunQueueReader {
 public:
  struct Environment {
    bool unified = false;     ///< the cpu controller is on v2
    std::size_t cgroups = 0;  ///< approximate number of cgroups to watch
    const CpuTopology* topology = nullptr;
    RunQueueFeatures use{};
    std::uint32_t pairs = 4096;  ///< of victim and runner that the kernel distinguishes between two readings
  };
  /// Loads the program; see BpfProgram::load() for its errors. Takes milliseconds.
  static Result<RunQueueReader> start(const Environment& machine);

  /// Watches exactly these cgroups from now on, in the order of NodeSnapshot::cgroups. Returns false while
  /// there is not room for all: retry at the next tick. An unwatched cgroup counts for the one above it.
  bool watch(std::span<const bpf::WatchedCgroup> cgroups, MonoTime now);
  /// What happened since the last reading; blame is scaled to the share that the runners really ran.
  /// Allocates nothing after watch().
  void read(RunQueue& into, std::vector<TaskStalls>& stalls, const CpuShare& share = {});

  /// Whether that many cgroups need bigger tables, and so a restart.
  [[nodiscard]] bool too_small_for(std::size_t cgroups) const { return table_.too_small_for(cgroups); }
  [[nodiscard]] std::size_t bytes() const;  ///< size of the tables that we read
  [[nodiscard]] const bpf::BpfProgram& program() const { return program_; }
  [[nodiscard]] const bpf::WatchedSlots& slots() const { return table_.slots(); }

 private:
  struct Sums {
    std::uint64_t waited_ns = 0, waits = 0, reclaim_ns = 0, block_io_ns = 0;
    std::array<std::uint32_t, kWaitBuckets> histogram{};
  };
  struct Watched {
    CgroupId id{};
    bpf::WatchSlot slot = 0;
    Sums seen{};
    std::array<std::uint64_t, kWaitBuckets> histogram{};
    std::array<std::uint64_t, 2> unnamed_ns{};  ///< see WaitCell
  };

  RunQueueReader(bpf::BpfProgram program, std::uint32_t cpus, std::uint32_t slots);
  [[nodiscard]] const WaitCell& cell(std::uint32_t cpu, bpf::WatchSlot slot) const;
  [[nodiscard]] Sums sums(bpf::WatchSlot slot) const;
  void add_histogram(bpf::WatchSlot slot, Sums& sums) const;
  void read_one(Watched& watched, RunQueueWait& wait, TaskStalls& stall) const;
  void read_blame(RunQueue& into);
  void record_blame(std::uint32_t key, std::span<const std::uint64_t> times);
  [[nodiscard]] std::uint64_t unnamed_ns(bpf::WatchSlot slot, std::size_t sibling) const;
  void record_unnamed();
  /// The time without what the hypervisor took.
  [[nodiscard]] Duration ran(std::uint64_t time_ns) const;
  /// The sum over all CPUs.
  [[nodiscard]] std::uint64_t total(unsigned long long CpuRow::*what) const;

  bpf::BpfProgram program_;
  std::uint32_t cpus_, slots_;
  bpf::WatchedCgroups table_;
  std::span<const std::byte> cells_{}, cpu_rows_{};
  int blame_fd_ = -1;
  std::vector<Watched> watched_{};
  std::vector<std::uint32_t> keys_{};
  std::vector<std::uint64_t> times_{};
  BlameSelection pick_{};
  CpuShare share_{};           ///< for this reading
  std::uint64_t unnamed_ = 0;  ///< how often blame found no room for its pair
};

}  // namespace evenkeel::run_queue
