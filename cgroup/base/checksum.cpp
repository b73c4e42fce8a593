#include "cgroup/base/checksum.h"

#include <array>
#include <cstdint>

namespace evenkeel {
namespace {

constexpr std::array<std::uint32_t, 256> crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t rest = i;
    for (int bit = 0; bit < 8; ++bit) rest = (rest & 1U) ? (rest >> 1U) ^ 0xEDB88320U : rest >> 1U;
    table[i] = rest;
  }
  return table;
}
constexpr auto kCrcTable = crc_table();

std::uint32_t crc32(std::string_view text) {
  std::uint32_t crc = 0xFFFFFFFFU;
  for (const char c : text) crc = (crc >> 8U) ^ kCrcTable[(crc ^ static_cast<unsigned char>(c)) & 0xFFU];
  return ~crc;
}

}  // namespace

std::string checksum_text(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const auto crc = crc32(text);
  std::string out(8, '0');
  for (unsigned i = 0; i < 8; ++i) out[7 - i] = kHex[(crc >> (4 * i)) & 0xFU];
  return out;
}

}  // namespace evenkeel
