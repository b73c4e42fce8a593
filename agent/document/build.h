// The limits and the duplicate-key check that the YAML and the JSON parser share. Does not know either
// library.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "agent/document/document.h"

namespace evenkeel::document {

inline constexpr int kDeepestNesting = 64;
inline constexpr std::size_t kLongestText = std::size_t{16} << 20;

/// Why the text must not be parsed; absent when it may.
std::optional<Problem> refusal_message(std::string_view text, const std::string& file);

/// The first member whose key the map already has; null when all keys differ.
const std::pair<std::string, Value>* duplicate_key(const ValueMap& map);

/// Line and column of `offset`, counted from the previous call's place, so that a whole document costs one
/// pass.
class PlaceFinder {
 public:
  explicit PlaceFinder(std::string_view text) : text_(text) {}
  Place at(std::size_t offset);

 private:
  std::string_view text_;
  std::size_t offset_ = 0;
  std::size_t line_start_ = 0;
  int line_ = 1;
};

}  // namespace evenkeel::document
