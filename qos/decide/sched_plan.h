// Plans for the kernel's scheduler: core scheduling groups and scheduler features.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "qos/model/ids.h"
#include "qos/model/reason.h"
#include "qos/model/units.h"

namespace evenkeel::decide {

// The core scheduling plan: which groups may share a physical core, and which cgroups' tasks belong to each.
// Keeps its memory from tick to tick, so that an unchanged plan allocates nothing. Does not know cookies or
// tasks.

/// All tasks of this cgroup, those of cgroups inside of it too.
struct CoreSchedMember {
  CgroupId cgroup{};
  std::size_t group = 0;  ///< of CoreSchedPlan::group()
  Reason why{};
};

class CoreSchedPlan {
 public:
  std::uint8_t by = 0;  ///< the policy, by its position in the registry

  void clear() {
    groups_in_use_ = 0;
    members_.clear();
  }
  /// The group of this name; added if there is none.
  std::size_t group(std::string_view name) {
    const auto end = groups_.begin() + static_cast<std::ptrdiff_t>(groups_in_use_);
    const auto found = std::find(groups_.begin(), end, name);
    if (found != end) return static_cast<std::size_t>(found - groups_.begin());
    if (groups_in_use_ == groups_.size()) groups_.emplace_back();
    groups_[groups_in_use_] = name;
    return groups_in_use_++;
  }
  void add(const CoreSchedMember& member) { members_.push_back(member); }

  [[nodiscard]] const std::string& name(std::size_t group) const { return groups_[group]; }
  [[nodiscard]] std::span<const CoreSchedMember> members() const { return members_; }

 private:
  std::vector<std::string> groups_{};
  std::size_t groups_in_use_ = 0;
  std::vector<CoreSchedMember> members_{};
};

// Which features of the kernel's scheduler must be on or off; the names are the kernel's and free text here.
// Does not know which of them this kernel has.

struct SchedFeaturePlan {
  std::uint8_t by = 0;  ///< the policy, by its position in the registry
  /// From the NodeSLO of this tick; null: none are configured.
  const std::map<std::string, bool>* wanted = nullptr;
};

}  // namespace evenkeel::decide
