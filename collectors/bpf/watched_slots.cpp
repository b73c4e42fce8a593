#include "collectors/bpf/watched_slots.h"

namespace evenkeel {

WatchedSlots::WatchedSlots(std::uint32_t slots) : rows_(slots) {}

std::optional<WatchSlot> WatchedSlots::take(CgroupId cgroup, MonoTime now) {
  WatchSlot slot = 0;
  if (untouched_ < rows_.size()) {
    slot = untouched_++;
  } else if (!graves_.empty() && graves_.front().free <= now) {
    slot = graves_.front().slot;
    graves_.pop_front();
  } else {
    return std::nullopt;
  }
  rows_[slot] = {.owner = cgroup, .alive = true};
  of_[cgroup] = slot;
  return slot;
}

void WatchedSlots::bury(CgroupId cgroup, MonoTime now) {
  const auto found = of_.find(cgroup);
  if (found == of_.end()) return;
  rows_[found->second].alive = false;
  graves_.push_back({found->second, now + kTombstone});
  of_.erase(found);
}

std::optional<WatchSlot> WatchedSlots::find(CgroupId cgroup) const {
  const auto found = of_.find(cgroup);
  return found == of_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<CgroupId> WatchedSlots::owners() const {
  std::vector<CgroupId> out;
  out.reserve(of_.size());
  for (const auto& [cgroup, slot] : of_) out.push_back(cgroup);
  return out;
}

CgroupId WatchedSlots::owner(WatchSlot slot) const {
  return slot < rows_.size() ? rows_[slot].owner : CgroupId{};
}

bool WatchedSlots::alive(WatchSlot slot) const { return slot < rows_.size() && rows_[slot].alive; }

}  // namespace evenkeel
