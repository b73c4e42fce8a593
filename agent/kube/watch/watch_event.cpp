#include "agent/kube/watch/watch_event.h"

#include <algorithm>
#include <charconv>

#include "agent/document/document.h"

namespace evenkeel::kube {
namespace {

constexpr std::size_t kLongestVersion = 64;

constexpr document::KeyFilter kListMetadata[] = {{"resourceVersion"}};
constexpr document::KeyFilter kList[] = {{"metadata", kListMetadata}, {"items"}};
constexpr document::KeyFilter kStatus[] = {{"code"}, {"message"}};

using Kind = WatchEvent::Kind;
struct KindRow {
  std::string_view type;
  Kind kind;
};
constexpr KindRow kKinds[] = {{"ADDED", Kind::current},
                              {"MODIFIED", Kind::current},
                              {"DELETED", Kind::gone},
                              {"BOOKMARK", Kind::bookmark},
                              {"ERROR", Kind::error}};

int number_at(const document::Value& from, const char* key) {
  const auto text = document::text_at(from, {key});
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

document::Parsed parse_event(std::string_view line, std::span<const document::KeyFilter> kept) {
  const document::KeyFilter event[] = {{"type", {}}, {"object", kept}};
  return document::parse_json(line, "event", event);
}

}  // namespace

std::string version_of(const document::Value& object) {
  auto text = document::text_at(object, {"metadata", "resourceVersion"});
  const bool word = std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
  return word && text.size() <= kLongestVersion ? text : std::string();
}

std::span<const document::KeyFilter> list_head_filter() { return kList; }

ListHead read_list_head(const document::Parsed& rest) {
  ListHead out;
  if (!rest.problems.empty()) {
    out.problem = rest.problems.front().text();
    return out;
  }
  out.version = version_of(rest.root);
  if (out.version.empty() || !document::list_at(rest.root, {"items"}))
    out.problem = "the answer is not a list of objects";
  return out;
}

WatchEvent parse_watch_event(std::string_view line, std::span<const document::KeyFilter> kept) {
  WatchEvent out;
  const auto parsed = parse_event(line, kept);
  const document::Value* object =
      parsed.problems.empty() ? document::value_at(parsed.root, {"object"}) : nullptr;
  if (object == nullptr || object->map() == nullptr) return out;
  const auto* row = std::ranges::find(kKinds, document::text_at(parsed.root, {"type"}), &KindRow::type);
  if (row == std::end(kKinds)) return out;
  if (row->kind == Kind::error) {
    const auto status = parse_event(line, kStatus);
    object = status.problems.empty() ? document::value_at(status.root, {"object"}) : nullptr;
    if (object == nullptr) return out;
    return {.kind = Kind::error,
            .code = number_at(*object, "code"),
            .message = document::text_at(*object, {"message"})};
  }
  out.version = version_of(*object);
  out.object = *object;
  if (!out.version.empty()) out.kind = row->kind;
  return out;
}

}  // namespace evenkeel::kube
