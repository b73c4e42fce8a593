// What every fuzz target needs: the input as text, and a check that aborts when a property is violated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace evenkeel::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

inline void promise(bool kept) {
  if (!kept) __builtin_trap();
}

}  // namespace evenkeel::fuzz
