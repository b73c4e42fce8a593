// The counters of all CPUs, and the program in the kernel that says whose events they count (collectors/bpf):
// its tables from our side. May not: decide who is counted, or for how long.
#pragma once

#include <span>
#include <vector>

#include "collectors/bpf/cpu_counters_shared.h"
#include "collectors/bpf/watched_cgroups.h"
#include "collectors/counters/group.h"
#include "qos/model/topology.h"

namespace evenkeel::counters {

/// The counters of one CPU, whoever runs there.
struct CpuGroup {
  CpuId cpu{};
  CounterGroup group;
};
/// Of all CPUs that are online; see CounterGroup::open() for its errors.
Result<std::vector<CpuGroup>> open_cpu_groups(const CpuTopology& topology, const CounterEvents& events);

class CpuCounters {
 public:
  struct Environment {
    bool unified = false;     ///< the cpu controller is on v2
    std::size_t cgroups = 0;  ///< that will be watched, roughly
  };
  /// Loads the program; see BpfProgram::load() for its errors. Milliseconds.
  static Result<CpuCounters> start(const Environment& machine, std::vector<CpuGroup> groups);

  /// From now on these are counted. Returns false while there is not room for all: try again at the next
  /// tick. Whoever is not watched counts for the cgroup above.
  bool watch(std::span<const bpf::WatchedCgroup> cgroups, MonoTime now);
  [[nodiscard]] std::optional<bpf::WatchSlot> slot_of(CgroupId cgroup) const {
    return table_.slots().find(cgroup);
  }

  /// By CPU, what was counted of it since the program was loaded, until this moment: CPUs on which it runs
  /// are asked to account for it now. Cells are to be compared with earlier ones of the same slot.
  void read(bpf::WatchSlot slot, std::vector<CountCell>& into) const;
  /// What happened between two cells of one CPU. Absent: a part of it is lost.
  [[nodiscard]] std::optional<GroupReading> difference(const CountCell& from, const CountCell& to) const;

  /// So many cgroups need bigger tables: start anew.
  [[nodiscard]] bool too_small_for(std::size_t cgroups) const { return table_.too_small_for(cgroups); }
  [[nodiscard]] std::size_t descriptors() const;  ///< perf events

 private:
  CpuCounters(bpf::BpfProgram program, std::vector<CpuGroup> groups, std::uint32_t slots, std::uint32_t cpus);
  void wait_for_first_switch(bpf::WatchSlot slot) const;
  [[nodiscard]] Result<> settle_cpu(CpuId cpu) const;

  bpf::BpfProgram program_;
  std::vector<CpuGroup> groups_;
  std::uint32_t slots_, cpus_;
  bpf::WatchedCgroups table_;
  std::span<const std::byte> cells_{}, rows_{};
  int settle_ = -1;
};

}  // namespace evenkeel::counters
