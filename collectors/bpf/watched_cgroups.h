// Tells a BPF program which cgroups to watch: fills its table `watched`, which gives each cgroup a slot in
// the program's other tables. Does not know what those tables hold.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collectors/bpf/program.h"
#include "collectors/bpf/watched_slots.h"

namespace evenkeel::bpf {

/// A cgroup whose tasks are counted separately.
struct WatchedCgroup {
  CgroupId id{};
  std::uint64_t inode = 0;  ///< inode of its directory in the hierarchy with the cpu controller
};

class WatchedCgroups {
 public:
  /// How many slots a program needs for that many cgroups and their successors.
  static std::uint32_t slots_for(std::size_t cgroups);

  /// `program` includes collectors/bpf/watched.h and must outlive this object.
  WatchedCgroups(const BpfProgram& program, std::uint32_t slots);

  /// Watches exactly these cgroups from now on; one that was watched before keeps its slot. Returns false
  /// while there is not room for all: retry at the next tick. An unwatched cgroup counts for the one above
  /// it.
  bool follow(std::span<const WatchedCgroup> cgroups, MonoTime now);
  [[nodiscard]] const WatchedSlots& slots() const { return slots_; }
  /// Whether that many cgroups need bigger tables.
  [[nodiscard]] bool too_small_for(std::size_t cgroups) const;

 private:
  bool add_slot(const WatchedCgroup& cgroup, MonoTime now);
  int table_;
  std::uint32_t* generation_;  ///< the program's variable
  WatchedSlots slots_;
  std::vector<std::uint64_t> inodes_;  ///< by slot
};

}  // namespace evenkeel::bpf
