#include "collectors/bpf/watched_cgroups.h"

#include <algorithm>

#include "collectors/bpf/tables_shared.h"

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

namespace {

/// For cgroups that come while the rows of gone ones are retired: fifty per second.
constexpr std::size_t kRoomForChurn = 256;
constexpr std::size_t kFewestSlots = 512;

}  // namespace

/// Every CPU has a row for each slot, so spare slots are dear on large machines.
std::uint32_t WatchedCgroups::slots_for(std::size_t cgroups) {
  const std::size_t wanted = cgroups + cgroups / 4 + kRoomForChurn;
  return static_cast<std::uint32_t>(std::clamp(wanted, kFewestSlots, std::size_t{kMostSlots}));
}

WatchedCgroups::WatchedCgroups(const BpfProgram& program, std::uint32_t slots)
    : table_(program.descriptor("watched")),
      generation_(reinterpret_cast<std::uint32_t*>(program.variables().data())),
      slots_(slots),
      inodes_(slots) {}

bool WatchedCgroups::too_small_for(std::size_t cgroups) const {
  return inodes_.size() < kMostSlots && cgroups + kRoomForChurn > inodes_.size();
}

bool WatchedCgroups::add_slot(const WatchedCgroup& cgroup, MonoTime now) {
  const auto slot = slots_.take(cgroup.id, now);
  if (!slot) return false;
  if (const auto put = put_row(table_, &cgroup.inode, &*slot); !put) {
    slots_.retire(cgroup.id, now);
    return false;
  }
  inodes_[*slot] = cgroup.inode;
  return true;
}

bool WatchedCgroups::follow(std::span<const WatchedCgroup> cgroups, MonoTime now) {
  std::vector<CgroupId> here(cgroups.size());
  std::ranges::transform(cgroups, here.begin(), &WatchedCgroup::id);
  std::ranges::sort(here);
  for (const CgroupId owner : slots_.owners()) {
    if (std::ranges::binary_search(here, owner)) continue;
    static_cast<void>(remove_row(table_, &inodes_[*slots_.find(owner)]));
    slots_.retire(owner, now);
  }
  bool all = true;
  for (const auto& cgroup : cgroups)
    if (!slots_.find(cgroup.id)) all = add_slot(cgroup, now) && all;
  // Invalidates the answers that the CPUs have cached.
  __atomic_fetch_add(generation_, 1U, __ATOMIC_RELEASE);
  return all;
}

}  // namespace evenkeel::bpf
