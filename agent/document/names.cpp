#include "agent/document/names.h"

#include <algorithm>

namespace evenkeel::document {
namespace {

constexpr std::size_t kLongestLabel = 63, kLongestSubdomain = 253, kLongestUid = 128;

constexpr bool is_small(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
constexpr bool is_letter_or_digit(char c) { return is_small(c) || (c >= 'A' && c <= 'Z'); }

/// Characters of `inner` or among `marks`, with one of `inner` at both ends.
bool is_word(std::string_view text, bool (*inner)(char), std::string_view marks) {
  return !text.empty() && inner(text.front()) && inner(text.back()) &&
         std::ranges::all_of(text, [&](char c) { return inner(c) || marks.find(c) != marks.npos; });
}

}  // namespace

bool is_dns_label(std::string_view name) {
  return name.size() <= kLongestLabel && is_word(name, is_small, "-");
}

bool is_dns_subdomain(std::string_view name) {
  if (name.size() > kLongestSubdomain) return false;
  for (auto dot = name.find('.'); dot != name.npos; dot = name.find('.')) {
    if (!is_word(name.substr(0, dot), is_small, "-")) return false;
    name.remove_prefix(dot + 1);
  }
  return is_word(name, is_small, "-");
}

bool is_qualified_name(std::string_view name) {
  if (const auto slash = name.find('/'); slash != name.npos) {
    if (!is_dns_subdomain(name.substr(0, slash))) return false;
    name.remove_prefix(slash + 1);
  }
  return !name.empty() && is_label_value(name);
}

bool is_label_value(std::string_view value) {
  return value.empty() || (value.size() <= kLongestLabel && is_word(value, is_letter_or_digit, "-_."));
}

bool is_uid(std::string_view uid) {
  return !uid.empty() && uid.size() <= kLongestUid &&
         std::ranges::all_of(uid, [](char c) { return is_letter_or_digit(c) || c == '-'; });
}

}  // namespace evenkeel::document
