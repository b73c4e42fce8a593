#include "agent/runtime/json.h"

#include <array>
#include <charconv>
#include <cmath>

namespace evenkeel::runtime {
namespace {

constexpr unsigned char byte_at(std::string_view text, std::size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
}
constexpr bool is_within(unsigned char byte, int low, int high) { return byte >= low && byte <= high; }

/// The length of the UTF-8 character (RFC 3629) that the text begins with; 0: there is none. No surrogates,
/// no overlong forms, nothing above U+10FFFF.
std::size_t character_length(std::string_view text) {
  const auto first = byte_at(text, 0), second = byte_at(text, 1);
  if (first < 0x80) return 1;
  if (is_within(first, 0xc2, 0xdf)) return is_within(second, 0x80, 0xbf) ? 2 : 0;
  const bool third = is_within(byte_at(text, 2), 0x80, 0xbf);
  const int low3 = first == 0xe0 ? 0xa0 : 0x80, high3 = first == 0xed ? 0x9f : 0xbf;
  if (is_within(first, 0xe0, 0xef)) return is_within(second, low3, high3) && third ? 3 : 0;
  const bool fourth = third && is_within(byte_at(text, 3), 0x80, 0xbf);
  const int low4 = first == 0xf0 ? 0x90 : 0x80, high4 = first == 0xf4 ? 0x8f : 0xbf;
  return is_within(first, 0xf0, 0xf4) && is_within(second, low4, high4) && fourth ? 4 : 0;
}

/// The control characters of ASCII and of Latin-1 (U+0080 to U+009F), with which a text could steer a
/// terminal.
bool is_control(std::string_view character) {
  const auto first = byte_at(character, 0);
  return first < 0x20 || first == 0x7f || (first == 0xc2 && byte_at(character, 1) < 0xa0);
}

void append_escaped(std::string& out, std::string_view character) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  if (character == "\"" || character == "\\") {
    out.append("\\").append(character);
  } else if (character == "\n") {
    out += "\\n";
  } else if (is_control(character)) {
    const auto code = static_cast<unsigned char>(character.back());
    out += "\\u00";
    out += kHex[code >> 4];
    out += kHex[code & 15];
  } else {
    out += character;
  }
}

}  // namespace

void Json::comma() {
  if (need_comma_) out_ += ',';
  need_comma_ = true;
}

Json& Json::open(char bracket) {
  comma();
  out_ += bracket;
  need_comma_ = false;
  return *this;
}

Json& Json::close(char bracket) {
  out_ += bracket;
  need_comma_ = true;
  return *this;
}

Json& Json::raw(std::string_view text) {
  comma();
  out_ += text;
  return *this;
}

Json& Json::key(std::string_view name) {
  value(name);
  out_ += ':';
  need_comma_ = false;
  return *this;
}

Json& Json::value(std::string_view text) {
  comma();
  out_ += '"';
  while (!text.empty()) {
    const auto length = character_length(text);
    if (length == 0) {
      out_ += "\\ufffd";  // a byte that is no part of a character
    } else {
      append_escaped(out_, text.substr(0, length));
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out_ += '"';
  return *this;
}

Json& Json::value(double number) {
  if (!std::isfinite(number)) return null();
  std::array<char, 32> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  std::string_view text(digits.data(), static_cast<std::size_t>(end - digits.data()));
  raw(text);
  if (text.find_first_of(".e") == std::string_view::npos) out_ += ".0";  // stays a decimal for typed readers
  return *this;
}

}  // namespace evenkeel::runtime
