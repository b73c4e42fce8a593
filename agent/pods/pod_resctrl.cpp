// Reads the annotation node.koordinator.sh/resctrl: the last-level cache and memory bandwidth that a pod
// requests, for every cache or for single ones.
#include "agent/pods/kube_text.h"
#include "agent/pods/pod_list.h"

namespace evenkeel::pods {
namespace {

constexpr const char* kKey = "node.koordinator.sh/resctrl";
constexpr std::size_t kMostParts = 256;

std::optional<std::int64_t> number(const document::Value& value, std::int64_t low, std::int64_t high) {
  const auto* scalar = value.scalar();
  if (scalar == nullptr || scalar->quoted) return std::nullopt;
  const auto out = whole_number(scalar->text);
  return out && *out >= low && *out <= high ? out : std::nullopt;
}

/// [start, end]; false when present but not such a pair.
bool read_range(const document::Value& from, ResctrlPart& part) {
  const auto* value = value_at(from, {"range"});
  if (value == nullptr) return true;
  const auto* list = value->list();
  if (list == nullptr || list->size() != 2) return false;
  const auto start = number((*list)[0], 0, 100), end = number((*list)[1], 0, 100);
  if (!start || !end || *start >= *end) return false;
  part.start = Percent(*start);
  part.end = Percent(*end);
  return true;
}
bool read_percent(const document::Value& from, ResctrlPart& part) {
  const auto* value = value_at(from, {"percent"});
  if (value == nullptr) return true;
  const auto percent = number(*value, 1, 100);
  if (percent) part.bandwidth = Percent(*percent);
  return percent.has_value();
}
bool read_cache(const document::Value& from, ResctrlPart& part) {
  const auto* value = value_at(from, {"cacheID"});
  const auto id = value != nullptr ? number(*value, 0, INT32_MAX) : std::nullopt;
  if (id) part.cache = static_cast<std::int32_t>(*id);
  return id.has_value();
}

bool read_resource(const document::Value& root, const char* name,
                   bool (*read)(const document::Value&, ResctrlPart&), std::vector<ResctrlPart>& parts) {
  const auto* resource = value_at(root, {name});
  if (resource == nullptr) return true;
  const auto each = list_at(*resource, {"schemataPerCache"});
  if (resource->map() == nullptr || !each || each->size() > kMostParts) return false;
  if (const auto* all = value_at(*resource, {"schemata"}); all != nullptr)
    if (all->map() == nullptr || !read(*all, parts.emplace_back())) return false;
  for (const auto& item : *each) {
    auto& part = parts.emplace_back();
    if (item.map() == nullptr || !read_cache(item, part) || !read(item, part)) return false;
  }
  return true;
}

bool says_something(const ResctrlPart& part) { return part.start || part.bandwidth; }

}  // namespace

void read_resctrl(Pod& pod, std::vector<std::string>& notices) {
  const auto parsed = annotation_object(pod.annotations, kKey);
  const auto ignored = [&](const std::string& why) {
    pod.resctrl.clear();
    notices.push_back("pod " + pod_title(pod) + ": annotation ignored, the pod's class applies: " + why);
  };
  if (!parsed.problems.empty()) return ignored(parsed.problems.front().text());
  const bool good = read_resource(parsed.root, "llc", read_range, pod.resctrl) &&
                    read_resource(parsed.root, "mb", read_percent, pod.resctrl);
  if (!good)
    return ignored(
        std::string(kKey) +
        ": legal: llc and mb, each with schemata and schemataPerCache (with cacheID); range [start, end] "
        "in percent, start below end; percent 1 to 100");
  std::erase_if(pod.resctrl, [](const ResctrlPart& part) { return !says_something(part); });
}

}  // namespace evenkeel::pods
