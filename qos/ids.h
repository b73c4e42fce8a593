// Names for things, as values. A cgroup is a number that is never reused; its path is for people.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace evenkeel {

/// One life of one cgroup directory (the same relative path in every hierarchy of a v1 host counts as one
/// cgroup). A directory that is removed and made again gets a new id. Zero is "none".
struct CgroupId {
  std::uint32_t value = 0;
  auto operator<=>(const CgroupId&) const = default;
  explicit operator bool() const { return value != 0; }
};

/// Where levers of the whole machine are wished: no cgroup has this id.
inline constexpr CgroupId kNodeItself{UINT32_MAX};

}  // namespace evenkeel

template <>
struct std::hash<evenkeel::CgroupId> {
  std::size_t operator()(evenkeel::CgroupId id) const noexcept { return id.value; }
};
