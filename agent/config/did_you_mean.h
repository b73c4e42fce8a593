// Suggests, for an unknown word, the known one that was probably meant.
#pragma once

#include <span>
#include <string_view>

namespace evenkeel::config {

/// Empty when no known word is close enough.
std::string_view did_you_mean(std::string_view word, std::span<const std::string_view> known);

}  // namespace evenkeel::config
