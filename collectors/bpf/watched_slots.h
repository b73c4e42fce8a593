// Which row of the kernel's tables belongs to which cgroup. A row whose cgroup is gone keeps its name for a
// while: what the kernel still remembers of it must not count for the next owner. May not: touch a table.
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
  /// The kernel remembers the last runners of a CPU, and whoever waits that long has waited too long anyway.
  static constexpr Duration kRetirement = std::chrono::seconds(4);

  /// In use are 1 … slots - 1: slot 0 is nobody.
  explicit WatchedSlots(std::uint32_t slots);

  /// A row for a cgroup that has none. Absent: all are taken, or not free for others yet.
  std::optional<WatchSlot> take(CgroupId cgroup, MonoTime now);
  /// The cgroup is gone.
  void retire(CgroupId cgroup, MonoTime now);
  [[nodiscard]] std::optional<WatchSlot> find(CgroupId cgroup) const;
  /// Who has the row, or had it last; none for slot 0 and what was never given away.
  [[nodiscard]] CgroupId owner(WatchSlot slot) const;
  [[nodiscard]] bool alive(WatchSlot slot) const;
  [[nodiscard]] std::size_t taken() const { return slot_by_cgroup_.size(); }
  /// Who has a row, in no order.
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
  std::deque<RetiredSlot> retired_{};  ///< the oldest first
  WatchSlot never_used_ = 1;
};

}  // namespace evenkeel::bpf
