#include "agent/kube/client/base64.h"

#include <cstdint>

namespace evenkeel::kube {
namespace {

constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::optional<std::string> decode_base64(std::string_view text) {
  std::string out;
  std::uint32_t bits = 0;
  int letters = 0, padding = 0;
  for (const char c : text) {
    if (c == '\n' || c == '\r') continue;
    const auto value = kLetters.find(c);
    if (c == '=' && (letters % 4 >= 2)) {
      ++padding;
    } else if (padding > 0 || value == std::string_view::npos) {
      return std::nullopt;
    }
    bits = (bits << 6) | static_cast<std::uint32_t>(c == '=' ? 0 : value);
    if (++letters % 4 != 0) continue;
    for (int shift = 16; shift >= 8 * padding; shift -= 8) out += static_cast<char>((bits >> shift) & 0xff);
  }
  if (letters % 4 != 0 || padding > 2) return std::nullopt;
  return out;
}

}  // namespace evenkeel::kube
