// For a word that nobody knows, the known one that was probably meant.
#pragma once

#include <span>
#include <string_view>

namespace evenkeel::config {

/// Empty when nothing is near enough.
std::string_view did_you_mean(std::string_view word, std::span<const std::string_view> known);

}  // namespace evenkeel::config
