// Identifiers as values. A cgroup is a number that is never reused; its path is for display.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace evenkeel {

/// One lifetime of a cgroup directory (the same relative path in every hierarchy of a v1 host counts as one
/// cgroup). A directory that is removed and created again gets a new id. Zero is "none". With a disk it is a
/// target of its own: the cgroup's limits on that disk. Those of one cgroup sort directly behind the cgroup
/// itself.
struct CgroupId {
  std::uint32_t value = 0;
  std::uint32_t disk =
      0;  ///< the kernel's number of it (12 bits major, 20 bits minor); 0 = the cgroup itself
  auto operator<=>(const CgroupId&) const = default;
  [[nodiscard]] CgroupId itself() const { return {value, 0}; }
  explicit operator bool() const { return value != 0; }
};

/// The target for levers of the whole machine: no cgroup has this id.
inline constexpr CgroupId kNodeItself{UINT32_MAX};

/// The first of `at`, its parent, that one's parent and so on for which `found` holds; -1: none of them.
/// Positions in a table of cgroups, where a parent stands before its children and roots have the parent -1.
template <class ParentOf, class Found>
constexpr std::int32_t nearest_upwards(std::int32_t at, ParentOf parent_of, Found found) {
  while (at >= 0 && !found(at)) at = parent_of(at);
  return at;
}

}  // namespace evenkeel

template <>
struct std::hash<evenkeel::CgroupId> {
  std::size_t operator()(evenkeel::CgroupId id) const noexcept {
    return id.value ^ (std::size_t{id.disk} << 32U);
  }
};
