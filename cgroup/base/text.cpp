#include "cgroup/base/text.h"

#include <array>
#include <cstdint>
#include <limits>

#include "cgroup/base/result.h"

namespace evenkeel {

std::optional<std::int64_t> whole_number(std::string_view text) {
  Scanner scan(trimmed(text));
  const auto value = scan.number();
  return scan.done() ? value : std::nullopt;
}

std::optional<std::string> normal_path(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    const auto end = path.find('/');
    const auto part = path.substr(0, end);
    path.remove_prefix(end == std::string_view::npos ? path.size() : end + 1);
    if (part == "..") return std::nullopt;
    if (part.empty() || part == ".") continue;
    if (!out.empty()) out += '/';
    out += part;
  }
  return out;
}

int append_threads(std::string_view text, std::vector<std::int32_t>& out) {
  int others = 0;
  for (Scanner scan(text); !scan.done();) {
    const auto line = trimmed(scan.line());
    if (line.empty()) continue;
    const auto id = whole_number(line);
    if (id && *id > 0 && *id <= std::numeric_limits<std::int32_t>::max()) {
      out.push_back(static_cast<std::int32_t>(*id));
    } else {
      ++others;
    }
  }
  return others;
}

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

std::string sealed_line(std::string_view body) {
  return checksum_text(body).append(" ").append(body).append("\n");
}

std::optional<std::string_view> body_of_line(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (line.size() < 10 || line[8] != ' ' || checksum_text(line.substr(9)) != line.substr(0, 8))
    return std::nullopt;
  return line.substr(9);
}

}  // namespace evenkeel
