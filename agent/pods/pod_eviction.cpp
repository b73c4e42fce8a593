#include <algorithm>
#include <charconv>
#include <optional>

#include "agent/pods/kube_text.h"
#include "agent/pods/pod_list.h"
#include "qos/model/nodeslo.h"

namespace evenkeel::pods {
namespace {

const std::string* find(const TextMap& texts, const char* key) {
  const auto found = texts.find(key);
  return found == texts.end() ? nullptr : &found->second;
}

template <class T>
std::optional<T> number(const std::string* text) {
  if (text == nullptr) return std::nullopt;
  T value = 0;
  const char* end = text->data() + text->size();
  const auto [last, error] = std::from_chars(text->data(), end, value);
  if (error != std::errc{} || last != end || text->empty()) return std::nullopt;
  return value;
}

/// Absent: every eviction trigger may choose the pod. A text that names no triggers protects it from all.
void read_policy(Pod& pod, std::vector<std::string>& notices) {
  constexpr const char* kKey = "koordinator.sh/eviction-policy";
  const auto* given = find(pod.annotations, kKey);
  if (given == nullptr) return;
  pod.eviction.by = 0;
  const auto parsed = document::parse_json(*given, kKey);
  const auto* names = parsed.problems.empty() ? parsed.root.list() : nullptr;
  if (names == nullptr) {
    notices.push_back("pod " + pod_title(pod) + ": " + kKey +
                      ": legal: a JSON list of triggers such as [\"BEMemoryEvict\"]; the pod is not evicted");
    return;
  }
  for (std::size_t gate = 0; gate < kFeatureGates.size(); ++gate)
    for (const auto& name : *names)
      if (name.scalar() != nullptr && name.scalar()->text == kFeatureGates[gate])
        pod.eviction.by = static_cast<std::uint8_t>(pod.eviction.by | 1U << gate);
}

void read_order(Pod& pod, std::vector<std::string>& notices) {
  constexpr const char* kPriority = "koordinator.sh/eviction-priority";
  const auto* enabled = find(pod.labels, "koordinator.sh/eviction-enabled");
  pod.eviction.enabled = enabled != nullptr && *enabled == "true";
  pod.eviction.sub_priority = number<std::int64_t>(find(pod.labels, "koordinator.sh/priority"));
  const auto* given = find(pod.annotations, kPriority);
  const auto priority = number<std::int32_t>(given);
  pod.eviction.priority = priority.value_or(0);
  if (given != nullptr && !priority)
    notices.push_back("pod " + pod_title(pod) + ": " + kPriority + ": found '" + given->substr(0, 40) +
                      "'; legal: a 32-bit number; 0 is used");
}

/// How a batch scheduler marks pods as one group; the first mark that a pod has counts.
struct GangWords {
  const char* label;  ///< the label; null: it is an annotation
  const char* annotation;
  const char* min_available;  ///< a label or annotation of the pod; null: only in the PodGroup
  const char* total;
};
// Koordinator: docs "Gang Scheduling" (user manual), which also takes the label of "lightweight
// coscheduling". scheduler-plugins: docs of Coscheduling, KEP 42; the second name is that of its first
// releases. Volcano: pkg apis scheduling/v1beta1 labels.go; its min-member is in the PodGroup, seldom on the
// pod.
constexpr GangWords kGangWords[] = {
    {nullptr, "gang.scheduling.koordinator.sh/name", "gang.scheduling.koordinator.sh/min-available",
     "gang.scheduling.koordinator.sh/total-number"},
    {"pod-group.scheduling.sigs.k8s.io/name", nullptr, "pod-group.scheduling.sigs.k8s.io/min-available",
     nullptr},
    {"scheduling.x-k8s.io/pod-group", nullptr, nullptr, nullptr},
    {"pod-group.scheduling.sigs.k8s.io", nullptr, "pod-group.scheduling.sigs.k8s.io/min-available", nullptr},
    {nullptr, "scheduling.k8s.io/group-name", "scheduling.volcano.sh/group-min-member", nullptr},
    {nullptr, "scheduling.volcano.sh/group-name", "scheduling.volcano.sh/group-min-member", nullptr},
};

/// A number of members; any other text is ignored.
std::optional<std::int64_t> members(const Pod& pod, const char* key) {
  if (key == nullptr) return std::nullopt;
  auto count = number<std::int64_t>(find(pod.annotations, key));
  if (!count) count = number<std::int64_t>(find(pod.labels, key));
  return count && *count > 0 ? count : std::nullopt;
}

void read_gang(Pod& pod) {
  for (const auto& words : kGangWords) {
    const auto* name = words.label != nullptr ? find(pod.labels, words.label) : nullptr;
    if (words.annotation != nullptr) name = find(pod.annotations, words.annotation);
    if (name == nullptr || name->empty()) continue;
    pod.eviction.gang = {pod.namespace_ + '/' + *name, members(pod, words.min_available),
                         members(pod, words.total)};
    return;
  }
}

}  // namespace

void read_eviction(Pod& pod, std::vector<std::string>& notices) {
  read_policy(pod, notices);
  read_order(pod, notices);
  read_gang(pod);
}

namespace {

/// A Deployment creates a ReplicaSet NAME-HASH per release and labels its pods with the hash. A static pod
/// has no owner but its node.
std::string maker_of(const document::Value& owner, const Pod& pod) {
  const auto kind = text_at(owner, {"kind"});
  if (kind == "Node") return {};
  auto name = text_at(owner, {"name"});
  const auto hash = pod.labels.find("pod-template-hash");
  if (kind != "ReplicaSet" || hash == pod.labels.end()) return name;
  const auto release = "-" + hash->second;
  if (name.size() > release.size() && name.ends_with(release)) name.resize(name.size() - release.size());
  return name;
}

}  // namespace

/// At most one of several owners is the controller. Without a controller the first owner counts, but not as a
/// DaemonSet: whoever creates a pod can name one that knows nothing of the pod.
void read_owner(const document::Value& item, Pod& pod) {
  // The next pod is evicted when this time is over: a pod that does not go must not protect others for long.
  constexpr std::int64_t kLongestGrace = 300;
  const auto owners =
      list_at(item, {"metadata", "ownerReferences"}).value_or(std::span<const document::Value>());
  for (const auto& owner : owners) {
    const bool controls = text_at(owner, {"controller"}) == "true";
    if (!controls && !pod.eviction.owner_uid.empty()) continue;
    pod.eviction.owner_uid = text_at(owner, {"uid"});
    pod.eviction.daemon = controls && text_at(owner, {"kind"}) == "DaemonSet";
    pod.owner = maker_of(owner, pod);
    if (controls) break;
  }
  const auto text = text_at(item, {"spec", "terminationGracePeriodSeconds"});
  const auto grace = number<std::int64_t>(&text);
  if (grace && *grace >= 0) pod.eviction.grace = std::chrono::seconds(std::min(*grace, kLongestGrace));
}

}  // namespace evenkeel::pods
