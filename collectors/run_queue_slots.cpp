#include "collectors/run_queue_slots.h"

namespace evenkeel {

RunQueueSlots::RunQueueSlots(std::uint32_t slots) : rows_(slots) {}

std::optional<WaitSlot> RunQueueSlots::take(CgroupId cgroup, MonoTime now) {
  WaitSlot slot = 0;
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

void RunQueueSlots::bury(CgroupId cgroup, MonoTime now) {
  const auto found = of_.find(cgroup);
  if (found == of_.end()) return;
  rows_[found->second].alive = false;
  graves_.push_back({found->second, now + kTombstone});
  of_.erase(found);
}

std::optional<WaitSlot> RunQueueSlots::find(CgroupId cgroup) const {
  const auto found = of_.find(cgroup);
  return found == of_.end() ? std::nullopt : std::optional(found->second);
}

CgroupId RunQueueSlots::owner(WaitSlot slot) const {
  return slot < rows_.size() ? rows_[slot].owner : CgroupId{};
}

bool RunQueueSlots::alive(WaitSlot slot) const { return slot < rows_.size() && rows_[slot].alive; }

}  // namespace evenkeel
