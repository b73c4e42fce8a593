// Assigns rows of the BPF tables to cgroups. A removed cgroup keeps its row for a while, because what the
// kernel still remembers of it must not count for the next owner. Does not touch the tables.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "qos/model/ids.h"
#include "qos/model/units.h"

namespace evenkeel::bpf {

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

}  // namespace evenkeel::bpf
