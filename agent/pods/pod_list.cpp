#include "agent/pods/pod_list.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "agent/document/names.h"
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
constexpr document::KeyFilter kCondition[] = {{"type"}};
constexpr document::KeyFilter kOwner[] = {{"uid"}, {"kind"}, {"name"}, {"controller"}};
constexpr document::KeyFilter kMetadata[] = {{"generation"},        {"name"},
                                             {"namespace"},         {"uid"},
                                             {"resourceVersion"},   {"labels"},
                                             {"annotations"},       {"ownerReferences", kOwner},
                                             {"creationTimestamp"}, {"deletionTimestamp"}};
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
                                           {"observedGeneration"},
                                           {"conditions", kCondition},
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

/// A server writes metadata first, and in it the name and the namespace before anything that a tenant wrote.
std::string too_long_notice(std::string_view beginning) {
  const auto text_of = [&](std::string_view key) {
    const auto at = beginning.find(key);
    const auto rest = beginning.substr(at == std::string_view::npos ? beginning.size() : at + key.size());
    const auto text = rest.substr(0, std::min(rest.find('"'), rest.size()));
    return std::string(document::is_dns_subdomain(text) ? text : std::string_view());
  };
  Pod pod;
  pod.name = text_of(R"("name":")");
  pod.namespace_ = text_of(R"("namespace":")");
  return "pod " + pod_title(pod) + " is left out: it has more than " +
         std::to_string(document::kLongestItem >> 20) + " MiB";
}

std::string too_many_notice(std::size_t most) {
  return "pods beyond " + std::to_string(most) + " are left out, ended ones first";
}

PodListReader::PodListReader(std::string file, Source source)
    : file_(std::move(file)),
      source_(source),
      reader_(
          {.file = file_, .rest = kPodList, .items = kPod},
          {.item = [this](const document::Value& item) { take(item); },
           .too_long = [this](std::string_view begin) { list_.notices.push_back(too_long_notice(begin)); }}) {
}

void PodListReader::take(const document::Value& item) {
  const bool full = ++items_ > kMostPods, ended = has_ended(item);
  if (full && (ended || ended_.empty())) return;
  auto pod = read_pod(item, source_, list_.notices);
  if (full) {
    if (pod) list_.pods[ended_.back()] = std::move(*pod);
    return ended_.pop_back();
  }
  if (!pod) return;
  if (ended) ended_.push_back(list_.pods.size());
  list_.pods.push_back(std::move(*pod));
}

void PodListReader::begin() {
  list_ = {};
  items_ = 0;
  ended_.clear();
  reader_.begin();
}

PodList PodListReader::end() {
  PodList out = std::exchange(list_, {});
  ended_.clear();
  if (std::exchange(items_, 0) > kMostPods) out.notices.push_back(too_many_notice(kMostPods));
  const auto parsed = reader_.end();
  out.problems = parsed.problems;
  if (auto why = out.problems.empty() ? refuse_root(parsed.root) : std::string(); !why.empty())
    out.problems.push_back({file_, parsed.root.place, {}, std::move(why)});
  if (!out.problems.empty()) return {.problems = std::move(out.problems)};
  normalize(out);
  return out;
}

PodList parse_pod_list(std::string_view text, const std::string& file, Source source) {
  if (source != Source::file) {
    PodListReader reader(file, source);
    reader.add(text);
    return reader.end();
  }
  PodList out;
  const auto parsed = document::parse_document(text, file, kPodList);
  out.problems = parsed.problems;
  if (!out.problems.empty()) return out;
  if (auto why = refuse_root(parsed.root); !why.empty()) {
    out.problems.push_back({file, parsed.root.place, {}, std::move(why)});
    return out;
  }
  const auto items = list_at(parsed.root, {"items"}).value_or(std::span<const document::Value>());
  for (const auto& item : items)
    if (auto pod = read_pod(item, source, out.notices)) out.pods.push_back(std::move(*pod));
  drop_namesakes(out);
  return out;
}

}  // namespace evenkeel::pods
