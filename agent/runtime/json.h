// Writes JSON into a string, member by member, with escaping and commas.
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>

namespace evenkeel::runtime {

class Json {
 public:
  explicit Json(std::string& out) : out_(out) {}

  Json& begin_object() { return open('{'); }
  Json& end_object() { return close('}'); }
  Json& begin_array() { return open('['); }
  Json& end_array() { return close(']'); }
  Json& key(std::string_view name);

  /// Control characters are escaped, and each byte that is no part of a UTF-8 character becomes U+FFFD: names
  /// of cgroups and answers of servers are bytes of any kind.
  Json& value(std::string_view text);
  Json& value(const char* text) { return value(std::string_view(text)); }
  Json& value(const std::string& text) { return value(std::string_view(text)); }
  Json& value(bool flag) { return raw(flag ? "true" : "false"); }
  Json& value(std::integral auto number) { return raw(std::to_string(number)); }
  Json& value(double number);
  Json& null() { return raw("null"); }
  template <class T>
  Json& value(const std::optional<T>& maybe) {
    return maybe ? value(*maybe) : null();
  }

  template <class T>
  Json& member(std::string_view name, const T& content) {
    return key(name).value(content);
  }

 private:
  Json& open(char bracket);
  Json& close(char bracket);
  Json& raw(std::string_view text);
  void comma();
  std::string& out_;
  bool need_comma_ = false;
};

}  // namespace evenkeel::runtime
