// Parses Pod and Node objects, and the kubelet's record of pinned CPUs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/document/document.h"
#include "agent/document/list_reader.h"
#include "qos/model/pod.h"
#include "qos/model/topology.h"

namespace evenkeel::pods {

// Parses v1 PodList and v1 Node texts (JSON or YAML) into the values that policies read.

/// A file is YAML or JSON and keeps its order. The kubelet and the API server (`server`) send JSON with its
/// list in arbitrary, changing order: it is sorted, so that no decision depends on the order. The kubelet
/// knows which pods it runs, and says itself which are static; the annotations that an API server has are its
/// tenants' words.
enum class Source : std::uint8_t { file, kubelet, server };

struct PodList {
  std::vector<Pod> pods{};
  std::vector<std::string> notices{};         ///< a pod or annotation that was ignored, and why
  std::vector<document::Problem> problems{};  ///< not empty: the whole text is unusable
  std::string origin{};  ///< not empty: which server gave it instead of the first, and why
};
PodList parse_pod_list(std::string_view text, const std::string& file, Source source = Source::file);
/// A server's list as it is compared: sorted, and without pods that share a uid.
void normalize(PodList& list);
/// The notice that a server's pod is left out because it is too long, of which only the beginning was kept.
std::string too_long_notice(std::string_view beginning);

/// Of a server's list; no node runs nearly as many, but a cluster keeps thousands that have ended. Further
/// ones are left out, with a notice, and an ended one for each that has not ended.
inline constexpr std::size_t kMostPods = 5000;
std::string too_many_notice(std::size_t most);

/// Reads the v1 PodList of the API server, or of the kubelet, while it arrives: as ListReader.
class PodListReader {
 public:
  explicit PodListReader(std::string file = "answer", Source source = Source::server);
  PodListReader(const PodListReader&) = delete;
  PodListReader& operator=(const PodListReader&) = delete;
  void begin();
  bool add(std::string_view piece) { return reader_.add(piece); }
  PodList end();

 private:
  void take(const document::Value& item);

  std::string file_;
  Source source_;
  PodList list_{};
  std::size_t items_ = 0;
  std::vector<std::size_t> ended_{};  ///< where in the list those are that may be replaced
  document::ListReader reader_;
};

struct NodeFile {
  NodeObject node{};
  std::vector<std::string> notices{};
  std::vector<document::Problem> problems{};
};
NodeFile parse_node(std::string_view text, const std::string& file, Source source = Source::file);

// Reads one v1 Pod object into a Pod. Limits are read completely or not at all: half-understood limits are
// worse than none.

/// The members of a v1 Pod to keep. read_pod() cannot see a member that is not named there.
std::span<const document::KeyFilter> pod_key_filter();

/// Succeeded or failed. Such a pod stays in the API for long, and in a list while there is room: a failed
/// member breaks its gang, and the directory of one that has just ended is no unknown pod's.
bool has_ended(const document::Value& item);

/// Absent: the pod is left out; `notices` says why. An unreadable annotation is left out alone. Of an API
/// server's pods none can speak for another one, and none is static but a mirror pod.
std::optional<Pod> read_pod(const document::Value& item, Source source, std::vector<std::string>& notices);

/// pod_containers.cpp: containers and restartable init containers with their requests, ids and states. Not
/// empty: why they cannot be parsed.
std::string read_containers(const document::Value& item, Pod& pod);
/// The QoS class by the Kubernetes rule, for a pod whose status does not give it.
KubeQos computed_kube_qos(const document::Value& item);

/// pod_annotations.cpp: Koordinator's and this agent's labels and annotations, from pod.labels and
/// pod.annotations.
void read_pod_protocol(Pod& pod, std::vector<std::string>& notices);
/// pod_resctrl.cpp: node.koordinator.sh/resctrl, completely or not at all with a notice.
void read_resctrl(Pod& pod, std::vector<std::string>& notices);
/// pod_oom_score.cpp: koordinator.sh/oom-score-adj and oom-score-adj-spec, into the pod's containers.
void read_oom_score(Pod& pod, std::vector<std::string>& notices);
/// pod_blkio.cpp: koordinator.sh/blkioQOS, completely or not at all with a notice; for pods that have it,
/// also their volumes. Of a pod with more than 256 volumes it does not count.
void read_blkio(Pod& pod, std::vector<std::string>& notices);
void read_volumes(const document::Value& item, Pod& pod, std::vector<std::string>& notices);
/// pod_network.cpp: the pod's addresses, and koordinator.sh/networkQOS, completely or not at all with a
/// notice.
void read_network(const document::Value& item, Pod& pod, std::vector<std::string>& notices);

/// pod_eviction.cpp: what decides whether the pod may be evicted, except for its owner.
void read_eviction(Pod& pod, std::vector<std::string>& notices);
/// pod_eviction.cpp: the pod's owner, by uid and by name, and its grace period. Call it after the labels are
/// read.
void read_owner(const document::Value& item, Pod& pod);

/// "koord-prod" and the other classes; none for any other word.
PriorityClass priority_class_named(std::string_view word);
/// The inverse: "koord-prod", empty for none; "LSR".
std::string_view name_of(PriorityClass priority_class);
std::string_view name_of(QosClass qos);

/// "namespace/name" or the uid, for notices.
std::string pod_title(const Pod& pod);

// Parses the checkpoint of the kubelet's CPU manager (cpu_manager_state in the kubelet's directory): which
// CPUs it has pinned. Does not read files.

struct CpuManagerState {
  bool is_static = false;  ///< static policy: it rewrites every container's CPU set periodically
  CpuSet pinned{};         ///< CPUs that containers use exclusively
  std::string problem{};   ///< not empty: why the text is not a checkpoint; the rest is then invalid
};
/// Both forms: entries as {POD: {CONTAINER: CPUS}} (since 1.18) and as {CONTAINER_ID: CPUS}.
CpuManagerState parse_cpu_manager_state(std::string_view text, const std::string& file);

}  // namespace evenkeel::pods
