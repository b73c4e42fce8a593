// The cgroups that BPF programs tell apart: the rows that they have, and the table that says so to a program.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "collectors/bpf/program.h"
#include "qos/model/ids.h"
#include "qos/model/units.h"

namespace evenkeel::bpf {

// Assigns rows of the BPF tables to cgroups. A removed cgroup keeps its row for a while, because what the
// kernel still remembers of it must not count for the next owner. Does not touch the tables.

using WatchSlot = std::uint32_t;

class WatchedSlots {
 public:
  /// The kernel remembers the last runners of a CPU; a longer wait is too long to matter here.
  static constexpr Duration kRetirement = std::chrono::seconds(4);

  /// Slots 1 … slots - 1 are used: slot 0 belongs to no cgroup.
  explicit WatchedSlots(std::uint32_t slots);

  /// Takes a row for a cgroup that has none. Absent: all are taken or still retired.
  std::optional<WatchSlot> take(CgroupId cgroup, MonoTime now);
  /// The cgroup was removed.
  void retire(CgroupId cgroup, MonoTime now);
  [[nodiscard]] std::optional<WatchSlot> find(CgroupId cgroup) const;
  /// The current or last owner of the row; none for slot 0 and for rows never assigned.
  [[nodiscard]] CgroupId owner(WatchSlot slot) const;
  [[nodiscard]] bool alive(WatchSlot slot) const;
  [[nodiscard]] std::size_t taken() const { return slot_by_cgroup_.size(); }
  /// All cgroups that have a row, in no order.
  [[nodiscard]] std::vector<CgroupId> owners() const;

 private:
  struct Row {
    CgroupId owner{};
    bool alive = false;
  };
  struct RetiredSlot {
    WatchSlot slot = 0;
    MonoTime reusable_at{};
  };
  std::vector<Row> rows_;
  std::unordered_map<CgroupId, WatchSlot> slot_by_cgroup_{};
  std::deque<RetiredSlot> retired_{};  ///< oldest first
  WatchSlot never_used_ = 1;
};

// Tells a BPF program which cgroups to watch: fills its table `watched`, which gives each cgroup a slot in
// the program's other tables. Does not know what those tables hold.

/// A cgroup whose tasks are counted separately.
struct WatchedCgroup {
  CgroupId id{};
  std::uint64_t inode = 0;  ///< inode of its directory in the hierarchy with the cpu controller
};

class WatchedCgroups {
 public:
  /// How many slots a program needs for that many cgroups, a quarter more, and their successors. The formula
  /// is in docs/permissions.md.
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
