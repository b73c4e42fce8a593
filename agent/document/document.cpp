#include "agent/document/document.h"

#include <algorithm>
#include <cstring>

namespace evenkeel::document {

const Value* Value::find(std::string_view key) const {
  const auto* members = map();
  if (members == nullptr) return nullptr;
  const auto member =
      std::find_if(members->begin(), members->end(), [&](const auto& m) { return m.first == key; });
  return member == members->end() ? nullptr : &member->second;
}

std::string Value::text(std::string_view key) const {
  const Value* member = find(key);
  return member != nullptr && member->scalar() != nullptr ? member->scalar()->text : std::string();
}

const Value* value_at(const Value& from, std::initializer_list<std::string_view> path) {
  const Value* at = &from;
  for (const auto key : path) {
    at = at->find(key);
    if (at == nullptr || at->null()) return nullptr;
  }
  return at;
}

std::string text_at(const Value& from, std::initializer_list<std::string_view> path) {
  const auto* value = value_at(from, path);
  return value != nullptr && value->scalar() != nullptr ? value->scalar()->text : std::string();
}

std::optional<std::span<const Value>> list_at(const Value& from,
                                              std::initializer_list<std::string_view> path) {
  const auto* value = value_at(from, path);
  if (value == nullptr) return std::span<const Value>();
  if (value->list() == nullptr) return std::nullopt;
  return std::span<const Value>(*value->list());
}

std::string Problem::text() const {
  std::string out = file;
  if (place.line > 0) {
    out += ':' + std::to_string(place.line) + ':' + std::to_string(place.column);
  }
  if (!key.empty()) out += ": " + key;
  return out + ": " + message;
}

Parsed parse_document(std::string_view text, const std::string& file, std::span<const KeyFilter> wanted) {
  const auto first = text.find_first_not_of(" \t\r\n");
  const bool braces = first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
  if (!braces) return parse_yaml(text, file);
  constexpr std::size_t kLongestFlowStyle = std::size_t{256} << 10;  // larger texts are not hand-written
  auto json = parse_json(text, file, wanted);
  if (json.problems.empty() || text.size() > kLongestFlowStyle) return json;
  auto yaml = parse_yaml(text, file);
  return yaml.problems.empty() ? yaml : json;
}

std::optional<Problem> refusal_message(std::string_view text, const std::string& file) {
  if (text.size() <= kLongestText) return std::nullopt;
  return Problem{file, {}, {}, "found " + std::to_string(text.size()) + " bytes; legal: at most 16 MiB"};
}

const std::pair<std::string, Value>* duplicate_key(const ValueMap& map) {
  constexpr std::size_t kFewMembers = 16;  // below, comparing all pairs is cheaper than sorting
  if (map.size() <= kFewMembers) {
    for (auto member = map.begin(); member != map.end(); ++member) {
      if (std::any_of(map.begin(), member, [&](const auto& m) { return m.first == member->first; }))
        return &*member;
    }
    return nullptr;
  }
  std::vector<const std::pair<std::string, Value>*> sorted;
  sorted.reserve(map.size());
  for (const auto& member : map) sorted.push_back(&member);
  std::stable_sort(sorted.begin(), sorted.end(), [](auto* a, auto* b) { return a->first < b->first; });
  const auto twin =
      std::adjacent_find(sorted.begin(), sorted.end(), [](auto* a, auto* b) { return a->first == b->first; });
  return twin == sorted.end() ? nullptr : *(twin + 1);
}

Place PlaceFinder::at(std::size_t offset) {
  while (offset_ < offset) {
    const void* end = std::memchr(text_.data() + offset_, '\n', offset - offset_);
    if (end == nullptr) break;
    offset_ = static_cast<std::size_t>(static_cast<const char*>(end) - text_.data()) + 1;
    line_start_ = offset_;
    ++line_;
  }
  offset_ = std::max(offset_, offset);
  return {line_, static_cast<int>(offset - line_start_) + 1};
}

}  // namespace evenkeel::document
