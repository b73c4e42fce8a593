#include <algorithm>
#include <charconv>

#include "agent/kube/object_watch.h"
#include "agent/pods/kube_text.h"

namespace evenkeel::kube {
namespace {

constexpr std::size_t kLongestVersion = 64;

constexpr document::KeyFilter kMetadata[] = {{"name", {}}, {"resourceVersion", {}}};
constexpr document::KeyFilter kObject[] = {{"apiVersion", {}}, {"kind", {}}, {"metadata", kMetadata},
                                           {"spec", {}},       {"code", {}}, {"message", {}}};
constexpr document::KeyFilter kEvent[] = {{"type", {}}, {"object", kObject}};
constexpr document::KeyFilter kList[] = {{"metadata", kMetadata}, {"items", kObject}};

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

/// The version becomes part of a URL, so it must consist of letters and digits. Else empty.
std::string version_of(const document::Value& object) {
  auto text = pods::text_at(object, {"metadata", "resourceVersion"});
  const bool word = std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
  return word && text.size() <= kLongestVersion ? text : std::string();
}

int number_at(const document::Value& from, const char* key) {
  const auto text = pods::text_at(from, {key});
  int number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

}  // namespace

ListedObject parse_object_list(std::string_view body, const std::string& name) {
  ListedObject out;
  auto parsed = document::parse_json(body, "answer", kList);
  if (!parsed.problems.empty()) out.problem = parsed.problems.front().text();
  if (!out.problem.empty()) return out;
  out.version = version_of(parsed.root);
  const auto items = pods::list_at(parsed.root, {"items"});
  if (!items || out.version.empty()) {
    out.problem = "the answer is not a list of objects";
    return out;
  }
  for (const auto& item : *items) {
    if (pods::text_at(item, {"metadata", "name"}) != name) continue;
    out.object = item;
    out.object_version = version_of(item);
    if (out.object_version.empty()) out.problem = "the object has no version";
  }
  return out;
}

WatchEvent parse_watch_event(std::string_view line) {
  WatchEvent out;
  auto parsed = document::parse_json(line, "event", kEvent);
  const document::Value* object = parsed.problems.empty() ? pods::value_at(parsed.root, {"object"}) : nullptr;
  if (object == nullptr || object->map() == nullptr) return out;
  const auto* row = std::ranges::find(kKinds, pods::text_at(parsed.root, {"type"}), &KindRow::type);
  if (row == std::end(kKinds)) return out;
  out.name = pods::text_at(*object, {"metadata", "name"});
  out.version = version_of(*object);
  out.code = number_at(*object, "code");
  out.message = pods::text_at(*object, {"message"});
  out.object = *object;
  const bool complete = row->kind == Kind::error || !out.version.empty();
  if (complete) out.kind = row->kind;
  return out;
}

}  // namespace evenkeel::kube
