#include "agent/runtime/json.h"

#include <array>
#include <charconv>
#include <cmath>

namespace evenkeel::runtime {

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
  static constexpr std::string_view kHex = "0123456789abcdef";
  comma();
  out_ += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out_ += '\\';
      out_ += c;
    } else if (c == '\n') {
      out_ += "\\n";
    } else if (byte < 0x20 || byte == 0x7f) {
      out_ += "\\u00";
      out_ += kHex[byte >> 4];
      out_ += kHex[byte & 15];
    } else {
      out_ += c;
    }
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
