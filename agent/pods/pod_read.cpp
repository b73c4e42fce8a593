#include <algorithm>
#include <charconv>
#include <utility>

#include "agent/document/names.h"
#include "agent/pods/kube_text.h"
#include "agent/pods/pod_list.h"

namespace evenkeel::pods {
namespace {

// What one pod may say. Kubernetes allows any number of labels and 256 KiB of annotations: whatever tenants
// write, the pods of a node must fit into the agent's memory.
constexpr std::size_t kMostLabels = 256;
constexpr std::size_t kLongestAnnotation = 16UL * 1024;
constexpr std::size_t kMostAnnotations = 256;
constexpr std::size_t kLongestAnnotations = 64UL * 1024;  ///< keys and values, all together
constexpr std::size_t kLongestNotice = 1024;              ///< more than any has that quotes nothing long

/// Whether some reader here knows annotations of this domain, or of one below it (kubernetes.io itself: the
/// kubelet's).
bool is_read(std::string_view key) {
  const auto domain = key.substr(0, std::min(key.find('/'), key.size()));
  if (domain == "kubernetes.io") return true;
  constexpr std::string_view kDomains[] = {"koordinator.sh", "evenkeel.io", "scheduling.k8s.io",
                                           "scheduling.volcano.sh", "scheduling.sigs.k8s.io"};
  return std::ranges::any_of(kDomains, [&](std::string_view known) {
    return domain == known || (domain.ends_with(known) && domain[domain.size() - known.size() - 1] == '.');
  });
}

TextMap read_annotations(const document::Value& item, const std::string& title,
                         std::vector<std::string>& notices) {
  TextMap out;
  const auto* all = value_at(item, {"metadata", "annotations"});
  if (all == nullptr || all->map() == nullptr) return out;
  std::size_t bytes = 0, left_out = 0;
  for (const auto& [key, value] : *all->map()) {
    if (value.scalar() == nullptr || !is_read(key)) continue;
    const auto& text = value.scalar()->text;
    if (text.size() > kLongestAnnotation) {
      notices.push_back("pod " + title + ": annotation " + key + " is left out: it has " +
                        std::to_string(text.size()) + " bytes; at most " +
                        std::to_string(kLongestAnnotation) + " are read");
    } else if (out.size() >= kMostAnnotations || bytes + key.size() + text.size() > kLongestAnnotations) {
      ++left_out;
    } else {
      bytes += key.size() + text.size();
      out.emplace(key, text);
    }
  }
  if (left_out > 0)
    notices.push_back("pod " + title + ": " + std::to_string(left_out) +
                      " annotations are left out: at most " + std::to_string(kMostAnnotations) + " with " +
                      std::to_string(kLongestAnnotations) + " bytes in all are read");
  return out;
}

/// Not empty: why the names cannot be those of a pod. A file may leave them out.
std::string refuse_names(const Pod& pod) {
  if (!pod.name.empty() && !document::is_dns_subdomain(pod.name))
    return "metadata.name is not a DNS name (RFC 1123)";
  if (!pod.namespace_.empty() && !document::is_dns_label(pod.namespace_))
    return "metadata.namespace is not a DNS label (RFC 1123)";
  return {};
}

PodPhase phase_of(const std::string& word) {
  if (word == "Pending") return PodPhase::pending;
  if (word == "Running") return PodPhase::running;
  if (word == "Succeeded") return PodPhase::succeeded;
  if (word == "Failed") return PodPhase::failed;
  return PodPhase::unknown;
}

std::optional<KubeQos> kube_qos_of(const std::string& word) {
  if (word == "Guaranteed") return KubeQos::guaranteed;
  if (word == "Burstable") return KubeQos::burstable;
  if (word == "BestEffort") return KubeQos::besteffort;
  return std::nullopt;
}

/// What names a static pod: the hash of its manifest, which the uid of no pod of the API looks like.
bool is_manifest_hash(const std::string& text) {
  constexpr std::size_t kLength = 32;
  return text.size() == kLength && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

std::string annotation(const Pod& pod, const char* key) {
  const auto found = pod.annotations.find(key);
  return found == pod.annotations.end() ? std::string() : found->second;
}
constexpr const char* kHash = "kubernetes.io/config.hash";
constexpr const char* kMirror = "kubernetes.io/config.mirror";

/// The kubelet starts static pods from its own files or URL, and sets this annotation of every pod itself,
/// whatever the pod's owner has written there.
bool is_not_of_the_api(const Pod& pod) {
  const auto source = annotation(pod, "kubernetes.io/config.source");
  return !source.empty() && source != "api";
}

/// What the API server has of a static pod: a copy that the kubelet makes. It names the hash twice, and the
/// Node as its owner (Kubernetes, pkg/kubelet/pod/mirror_client.go). Tenants can write all that too, but not
/// into a pod that runs: no kubelet runs a pod that is created with the second annotation, and the API server
/// lets nobody add it later. Only a manifest hash is believed, so that no pod can speak for one of the API.
bool is_mirror(const document::Value& item, const Pod& pod) {
  const auto hash = annotation(pod, kMirror);
  if (!is_manifest_hash(hash) || annotation(pod, kHash) != hash) return false;
  const auto owners =
      list_at(item, {"metadata", "ownerReferences"}).value_or(std::span<const document::Value>());
  return std::ranges::any_of(owners,
                             [](const document::Value& owner) { return text_at(owner, {"kind"}) == "Node"; });
}

/// The cgroup directory of a static pod is named by its manifest hash. That is its uid where the kubelet
/// lists it; its mirror pod has another one. A file may hold either.
void identify(const document::Value& item, Source source, Pod& pod) {
  pod.uid = text_at(item, {"metadata", "uid"});
  pod.is_static = source == Source::server ? is_mirror(item, pod) : is_not_of_the_api(pod);
  if (pod.is_static && source != Source::kubelet)
    for (const char* key : {kHash, kMirror})
      if (auto named = annotation(pod, key); !named.empty()) pod.uid = std::move(named);
  std::replace(pod.uid.begin(), pod.uid.end(), '_', '-');
}

/// Not empty: the priority is present but not a 32-bit number.
std::string read_priority(const document::Value& item, Pod& pod) {
  const auto text = text_at(item, {"spec", "priority"});
  if (text.empty()) return {};
  std::int32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return "spec.priority: found '" + text + '\'';
  pod.priority = value;
  return {};
}

/// A static pod has no creation time from the API server; the kubelet gives its start time.
void read_created(const document::Value& item, Pod& pod, std::vector<std::string>& notices) {
  auto text = text_at(item, {"metadata", "creationTimestamp"});
  if (text.empty()) text = text_at(item, {"status", "startTime"});
  if (text.empty()) return;
  pod.created_unix_seconds = parse_timestamp(text);
  if (pod.created_unix_seconds) return;
  notices.push_back("pod " + pod_title(pod) + ": its age is not known: found '" + text.substr(0, 40) +
                    "'; legal: a time such as 2026-01-31T23:59:59Z");
}

std::string fill(const document::Value& item, Source source, Pod& pod, std::vector<std::string>& notices) {
  if (item.map() == nullptr) return "it is not an object";
  pod.namespace_ = text_at(item, {"metadata", "namespace"});
  pod.name = text_at(item, {"metadata", "name"});
  if (auto why = refuse_names(pod); !why.empty()) {
    pod.namespace_ = pod.name = {};
    pod.uid = text_at(item, {"metadata", "uid"}).substr(0, 40);
    return why;
  }
  pod.labels = text_map(value_at(item, {"metadata", "labels"}));
  if (auto why = too_many("labels", pod.labels.size(), kMostLabels); !why.empty()) return why;
  pod.annotations = read_annotations(item, pod_title(pod), notices);
  identify(item, source, pod);
  if (!document::is_uid(pod.uid))
    return "metadata.uid: found '" + pod.uid.substr(0, 40) + "'; legal: letters, digits and -";
  pod.phase = phase_of(text_at(item, {"status", "phase"}));
  pod.terminating = value_at(item, {"metadata", "deletionTimestamp"}) != nullptr;
  read_owner(item, pod);
  if (auto why = read_priority(item, pod); !why.empty()) return why;
  if (auto why = read_containers(item, pod); !why.empty()) return why;
  const auto stated = kube_qos_of(text_at(item, {"status", "qosClass"}));
  if (!stated && pod.containers.empty()) return "neither status.qosClass nor spec.containers is there";
  pod.kube_qos = stated ? *stated : computed_kube_qos(item);
  return {};
}

std::optional<Pod> read_whole(const document::Value& item, Source source, std::vector<std::string>& notices) {
  Pod pod;
  if (const auto why = fill(item, source, pod, notices); !why.empty()) {
    notices.push_back("pod " + pod_title(pod) + " is left out: " + why);
    return std::nullopt;
  }
  read_created(item, pod, notices);
  read_pod_protocol(pod, notices);
  read_volumes(item, pod, notices);
  read_network(item, pod, notices);
  return pod;
}

/// A notice may quote a key of many kilobytes. What it is about stands at its beginning, what would be legal
/// at its end.
std::string shortened(std::string notice) {
  if (notice.size() > kLongestNotice)
    notice.replace(kLongestNotice / 2, notice.size() - kLongestNotice, " … ");
  return notice;
}

}  // namespace

bool has_ended(const document::Value& item) {
  return evenkeel::has_ended(phase_of(text_at(item, {"status", "phase"})));
}

std::optional<Pod> read_pod(const document::Value& item, Source source, std::vector<std::string>& notices) {
  std::vector<std::string> own;
  auto pod = read_whole(item, source, own);
  for (auto& notice : own) notices.push_back(shortened(std::move(notice)));
  return pod;
}

std::string pod_title(const Pod& pod) {
  if (!pod.name.empty()) return pod.namespace_.empty() ? pod.name : pod.namespace_ + '/' + pod.name;
  return pod.uid.empty() ? "without a name" : pod.uid;
}

}  // namespace evenkeel::pods
