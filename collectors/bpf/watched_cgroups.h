// Whose tasks a program of ours in the kernel tells apart: its table `watched`, where each of them has a slot
// of the program's other tables. May not: know what is in those.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collectors/bpf/program.h"
#include "collectors/bpf/watched_slots.h"

namespace evenkeel::bpf {

/// A cgroup whose tasks are to be told apart.
struct WatchedCgroup {
  CgroupId id{};
  std::uint64_t inode = 0;  ///< of its directory where the cpu controller is
};

class WatchedCgroups {
 public:
  /// How many slots a program should have for so many cgroups and their successors.
  static std::uint32_t slots_for(std::size_t cgroups);

  /// Of a program with collectors/bpf/watched.h, which must outlive this.
  WatchedCgroups(const BpfProgram& program, std::uint32_t slots);

  /// From now on these are watched and nobody else; who was before keeps its slot. Returns false while there
  /// is not room for all: try again at the next tick. Whoever is not watched counts for the cgroup above.
  bool follow(std::span<const WatchedCgroup> cgroups, MonoTime now);
  [[nodiscard]] const WatchedSlots& slots() const { return slots_; }
  /// Bigger tables would have more room for so many.
  [[nodiscard]] bool too_small_for(std::size_t cgroups) const;

 private:
  bool add_slot(const WatchedCgroup& cgroup, MonoTime now);
  int table_;
  std::uint32_t* generation_;  ///< the program's variable
  WatchedSlots slots_;
  std::vector<std::uint64_t> inodes_;  ///< by slot
};

}  // namespace evenkeel::bpf
