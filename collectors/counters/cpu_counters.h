// Opens the counters of all CPUs, and reads the BPF program that attributes their events to cgroups. Does not
// decide which cgroups are counted, or for how long.
#pragma once

#include <span>
#include <vector>

#include "collectors/bpf/tables_shared.h"
#include "collectors/bpf/watched_cgroups.h"
#include "collectors/counters/group.h"
#include "qos/model/topology.h"

namespace evenkeel::counters {

/// The counters of one CPU, whatever runs there.
struct CpuGroup {
  CpuId cpu{};
  CounterGroup group;
};
/// For all online CPUs; see CounterGroup::open() for its errors.
Result<std::vector<CpuGroup>> open_cpu_groups(const CpuTopology& topology, const CounterEvents& events);

class CpuCounters {
 public:
  struct Environment {
    bool unified = false;     ///< the cpu controller is on v2
    std::size_t cgroups = 0;  ///< approximate number of cgroups to watch
  };
  /// Loads the program; see BpfProgram::load() for its errors. Takes milliseconds.
  static Result<CpuCounters> start(const Environment& machine, std::vector<CpuGroup> groups);

  /// Counts exactly these cgroups from now on. Returns false while there is not room for all: retry at the
  /// next tick. An unwatched cgroup counts for the one above it.
  bool watch(std::span<const bpf::WatchedCgroup> cgroups, MonoTime now);
  [[nodiscard]] std::optional<bpf::WatchSlot> slot_of(CgroupId cgroup) const {
    return table_.slots().find(cgroup);
  }

  /// The counts of a slot by CPU, from the loading of the program until now: CPUs on which the cgroup runs
  /// are settled first. Compare cells with earlier ones of the same slot.
  void read(bpf::WatchSlot slot, std::vector<CountCell>& into) const;
  /// The difference between two cells of one CPU. Absent: a part of it was lost.
  [[nodiscard]] std::optional<GroupReading> difference(const CountCell& from, const CountCell& to) const;

  /// Whether that many cgroups need bigger tables, and so a restart.
  [[nodiscard]] bool too_small_for(std::size_t cgroups) const { return table_.too_small_for(cgroups); }
  [[nodiscard]] std::size_t descriptors() const;  ///< perf events

 private:
  CpuCounters(bpf::BpfProgram program, std::vector<CpuGroup> groups, std::uint32_t slots, std::uint32_t cpus);
  void settle_cpus_of(bpf::WatchSlot slot) const;
  [[nodiscard]] Result<> settle_cpu(CpuId cpu) const;

  bpf::BpfProgram program_;
  std::vector<CpuGroup> groups_;
  std::uint32_t slots_, cpus_;
  bpf::WatchedCgroups table_;
  std::span<const std::byte> cells_{}, rows_{};
  int settle_ = -1;
};

}  // namespace evenkeel::counters
