// The checksum of lines that must survive a crash. Does not correct errors.
#pragma once

#include <string>
#include <string_view>

namespace evenkeel {

/// CRC-32 (IEEE 802.3) as eight hexadecimal digits.
std::string checksum_text(std::string_view text);

}  // namespace evenkeel
