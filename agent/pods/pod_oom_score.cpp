// Reads koordinator.sh/oom-score-adj, which holds for all containers of a pod, and oom-score-adj-spec, which
// holds for single ones and comes first.
#include "agent/pods/kube_text.h"
#include "agent/pods/pod_list.h"

namespace evenkeel::pods {
namespace {

constexpr const char* kOfPod = "koordinator.sh/oom-score-adj";
constexpr const char* kOfContainers = "koordinator.sh/oom-score-adj-spec";
constexpr std::int64_t kLeast = -1000, kMost = 1000;  // OOM_SCORE_ADJ_MIN and _MAX of the kernel

/// Koordinator reads all of the object's members or none: each must be a whole number.
bool is_legal_spec(const document::Value& root) {
  for (const auto& [container, value] : *root.map()) {
    const auto* scalar = value.scalar();
    if (scalar == nullptr || scalar->quoted || !whole_number(scalar->text)) return false;
  }
  return true;
}

}  // namespace

void read_oom_score(Pod& pod, std::vector<std::string>& notices) {
  const auto ignored = [&](const char* key, const std::string& why) {
    notices.push_back("pod " + pod_title(pod) + ": annotation ignored: " + key + ": " + why);
  };
  const auto of_pod = pod.annotations.find(kOfPod);
  const bool has_default = of_pod != pod.annotations.end() && !of_pod->second.empty();
  const auto spec = pod.annotations.find(kOfContainers);
  const bool has_spec = spec != pod.annotations.end() && !spec->second.empty();
  if (!has_default && !has_spec) return;
  const auto parsed = has_spec ? annotation_object(pod.annotations, kOfContainers) : document::Parsed{};
  if (!parsed.problems.empty()) return ignored(kOfContainers, parsed.problems.front().text());
  if (has_spec && !is_legal_spec(parsed.root))
    return ignored(kOfContainers, "legal: an object of container names and whole numbers");
  const auto common = has_default ? whole_number(of_pod->second) : std::nullopt;
  if (has_default && !common) ignored(kOfPod, "legal: a whole number, -1000 to 1000");
  for (auto& container : pod.containers) {
    const auto* own = has_spec ? value_at(parsed.root, {container.name}) : nullptr;
    const auto wanted = own != nullptr ? whole_number(own->scalar()->text) : common;
    if (!wanted) continue;
    if (*wanted >= kLeast && *wanted <= kMost)
      container.oom_score_adj = static_cast<int>(*wanted);
    else
      ignored(own != nullptr ? kOfContainers : kOfPod,
              "container " + container.name + ": legal: -1000 to 1000");
  }
}

}  // namespace evenkeel::pods
