// The resctrl plan: the groups with their schemata, and which cgroups' tasks belong to each. Keeps its memory
// from tick to tick, so that an unchanged plan allocates nothing. Does not know what the machine holds now.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "qos/model/ids.h"
#include "qos/model/reason.h"

namespace evenkeel::decide {

/// Position in ResctrlPlan::groups().
using ResctrlGroupIndex = std::int32_t;
/// The kernel's root group: every task that belongs to no other group is in it.
inline constexpr ResctrlGroupIndex kRootGroup = -1;

/// For best effort that slows a service (qos/interference/remedy.cpp).
inline constexpr std::string_view kLimitedGroup = "evenkeel-limited";

struct ResctrlGroup {
  std::string name{};      ///< of its directory
  std::string schemata{};  ///< every line of it that we set: "L3:0=f;1=f\nMB:0=30;1=30\n"
  /// The group that its tasks join while it does not exist: an earlier one, or the root's.
  ResctrlGroupIndex instead = kRootGroup;
  bool wanted = true;  ///< false: the hardware has too few classes of service for it
  Reason why{};
};

/// All tasks of this cgroup, those of cgroups inside of it too.
struct ResctrlMember {
  CgroupId cgroup{};
  ResctrlGroupIndex group = kRootGroup;
};

class ResctrlPlan {
 public:
  std::uint8_t by = 0;  ///< the policy, by its position in the registry

  void clear() {
    groups_in_use_ = 0;
    members_.clear();
    hold_ = false;
  }
  /// Leave everything as it is: the plan cannot be computed now.
  void hold() { hold_ = true; }
  [[nodiscard]] bool holds() const { return hold_; }

  /// Adds a group; its texts still have their content of an earlier tick. Valid until the next call.
  ResctrlGroup& add_group() {
    if (groups_in_use_ == groups_.size()) groups_.emplace_back();
    auto& group = groups_[groups_in_use_++];
    group.instead = kRootGroup;
    group.wanted = true;
    return group;
  }
  void add_member(CgroupId cgroup, ResctrlGroupIndex group) { members_.push_back({cgroup, group}); }

  [[nodiscard]] std::span<const ResctrlGroup> groups() const { return {groups_.data(), groups_in_use_}; }
  std::span<ResctrlGroup> groups() { return {groups_.data(), groups_in_use_}; }
  [[nodiscard]] const std::vector<ResctrlMember>& members() const { return members_; }
  [[nodiscard]] const ResctrlGroup* find(std::string_view name) const {
    for (const auto& group : groups())
      if (group.wanted && group.name == name) return &group;
    return nullptr;
  }

 private:
  std::vector<ResctrlGroup> groups_{};
  std::size_t groups_in_use_ = 0;
  std::vector<ResctrlMember> members_{};
  bool hold_ = false;
};

}  // namespace evenkeel::decide
