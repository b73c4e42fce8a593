// The checksum in front of lines that have to survive a crash. May not: correct what is broken.
#pragma once

#include <string>
#include <string_view>

namespace evenkeel {

/// CRC-32 (IEEE 802.3) as eight hexadecimal digits.
std::string checksum_text(std::string_view text);

}  // namespace evenkeel
