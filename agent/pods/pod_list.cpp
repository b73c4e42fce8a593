#include "agent/pods/pod_list.h"

#include <algorithm>
#include <unordered_map>

#include "agent/pods/kube_text.h"

namespace evenkeel::pods {
namespace {

// The members that read_pod() reads; it cannot see any other. The version is for watches. The rest of a pod,
// managedFields above all, is most of its bytes.
constexpr document::KeyFilter kResources[] = {{"requests"}, {"limits"}};
constexpr document::KeyFilter kContainer[] = {
    {"name"}, {"image"}, {"restartPolicy"}, {"resources", kResources}};
constexpr document::KeyFilter kState[] = {{"running"}};
constexpr document::KeyFilter kActual[] = {{"limits"}};
constexpr document::KeyFilter kContainerStatus[] = {
    {"name"}, {"containerID"}, {"state", kState}, {"resources", kActual}};
constexpr document::KeyFilter kOwner[] = {{"uid"}, {"kind"}, {"name"}, {"controller"}};
constexpr document::KeyFilter kMetadata[] = {{"name"},
                                             {"namespace"},
                                             {"uid"},
                                             {"resourceVersion"},
                                             {"labels"},
                                             {"annotations"},
                                             {"ownerReferences", kOwner},
                                             {"creationTimestamp"},
                                             {"deletionTimestamp"}};
constexpr document::KeyFilter kVolume[] = {{"name"}, {"persistentVolumeClaim"}, {"ephemeral"}};
constexpr document::KeyFilter kSpec[] = {{"priority"},
                                         {"hostNetwork"},
                                         {"volumes", kVolume},
                                         {"overhead"},
                                         {"resources", kResources},
                                         {"terminationGracePeriodSeconds"},
                                         {"containers", kContainer},
                                         {"initContainers", kContainer}};
constexpr document::KeyFilter kStatus[] = {{"phase"},
                                           {"podIPs"},
                                           {"qosClass"},
                                           {"startTime"},
                                           {"resources", kActual},
                                           {"containerStatuses", kContainerStatus},
                                           {"initContainerStatuses", kContainerStatus}};
constexpr document::KeyFilter kPod[] = {{"metadata", kMetadata}, {"spec", kSpec}, {"status", kStatus}};
constexpr document::KeyFilter kPodList[] = {{"kind"}, {"items", kPod}};

/// Not empty: why the document is not a list of pods.
std::string refuse_root(const document::Value& root) {
  if (root.map() == nullptr)
    return root.null() ? "found nothing; legal: a v1 PodList" : "legal: a v1 PodList";
  const auto kind = text_at(root, {"kind"});
  const bool list = kind.empty() || kind == "PodList" || kind == "List";
  if (!list) return "found kind '" + kind.substr(0, 40) + "'; legal: PodList";
  if (kind.empty() && root.find("items") == nullptr)
    return "found neither kind nor items; legal: a v1 PodList";
  if (!list_at(root, {"items"})) return "items: found something else than a list";
  return {};
}

/// One of two pods with the same uid is an error or a forgery, and nothing says which: neither is served.
void drop_namesakes(PodList& list) {
  std::unordered_map<std::string, int> times;
  for (const Pod& pod : list.pods) ++times[pod.uid];
  std::erase_if(list.pods, [&](const Pod& pod) {
    const bool again = times[pod.uid] > 1;
    if (again)
      list.notices.push_back("pod " + pod_title(pod) + " is left out: another one has its uid " + pod.uid);
    return again;
  });
}

}  // namespace

void normalize(PodList& list) {
  drop_namesakes(list);
  std::sort(list.pods.begin(), list.pods.end(), [](const Pod& a, const Pod& b) { return a.uid < b.uid; });
  std::sort(list.notices.begin(), list.notices.end());
}

std::span<const document::KeyFilter> pod_key_filter() { return kPod; }

PodList parse_pod_list(std::string_view text, const std::string& file, Source source) {
  PodList out;
  const auto parsed = source == Source::server ? document::parse_json(text, file, kPodList)
                                               : document::parse_document(text, file, kPodList);
  out.problems = parsed.problems;
  if (!out.problems.empty()) return out;
  if (auto why = refuse_root(parsed.root); !why.empty()) {
    out.problems.push_back({file, parsed.root.place, {}, std::move(why)});
    return out;
  }
  const auto items = list_at(parsed.root, {"items"}).value_or(std::span<const document::Value>());
  for (const auto& item : items)
    if (auto pod = read_pod(item, source, out.notices)) out.pods.push_back(std::move(*pod));
  if (source == Source::server) {
    normalize(out);
  } else {
    drop_namesakes(out);
  }
  return out;
}

}  // namespace evenkeel::pods
