#include "collectors/bpf/watched_slots.h"

namespace evenkeel::bpf {

WatchedSlots::WatchedSlots(std::uint32_t slots) : rows_(slots) {}

std::optional<WatchSlot> WatchedSlots::take(CgroupId cgroup, MonoTime now) {
  WatchSlot slot = 0;
  if (never_used_ < rows_.size()) {
    slot = never_used_++;
  } else if (!retired_.empty() && retired_.front().reusable_at <= now) {
    slot = retired_.front().slot;
    retired_.pop_front();
  } else {
    return std::nullopt;
  }
  rows_[slot] = {.owner = cgroup, .alive = true};
  slot_by_cgroup_[cgroup] = slot;
  return slot;
}

void WatchedSlots::retire(CgroupId cgroup, MonoTime now) {
  const auto found = slot_by_cgroup_.find(cgroup);
  if (found == slot_by_cgroup_.end()) return;
  rows_[found->second].alive = false;
  retired_.push_back({found->second, now + kRetirement});
  slot_by_cgroup_.erase(found);
}

std::optional<WatchSlot> WatchedSlots::find(CgroupId cgroup) const {
  const auto found = slot_by_cgroup_.find(cgroup);
  return found == slot_by_cgroup_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<CgroupId> WatchedSlots::owners() const {
  std::vector<CgroupId> out;
  out.reserve(slot_by_cgroup_.size());
  for (const auto& [cgroup, slot] : slot_by_cgroup_) out.push_back(cgroup);
  return out;
}

CgroupId WatchedSlots::owner(WatchSlot slot) const {
  return slot < rows_.size() ? rows_[slot].owner : CgroupId{};
}

bool WatchedSlots::alive(WatchSlot slot) const { return slot < rows_.size() && rows_[slot].alive; }

}  // namespace evenkeel::bpf
