// Reads one v1 Pod object into a Pod. Limits are read completely or not at all: half-understood limits are
// worse than none.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/document/document.h"
#include "qos/model/pod.h"

namespace evenkeel::pods {

/// The keys of a v1 PodList to keep. read_pod() cannot see a member that is not named there.
std::span<const document::KeyFilter> pod_key_filter();

/// Absent: the pod is left out; `notices` says why. An unreadable annotation is left out alone.
std::optional<Pod> read_pod(const document::Value& item, std::vector<std::string>& notices);

/// pod_containers.cpp: containers and restartable init containers with their requests, ids and states. Not
/// empty: why they cannot be parsed.
std::string read_containers(const document::Value& item, Pod& pod);
/// The QoS class by the Kubernetes rule, for a pod whose status does not give it.
KubeQos computed_kube_qos(const document::Value& item, const Pod& pod);

/// pod_annotations.cpp: Koordinator's and this agent's labels and annotations, from pod.labels and
/// pod.annotations.
void read_pod_protocol(Pod& pod, std::vector<std::string>& notices);
/// pod_resctrl.cpp: node.koordinator.sh/resctrl, completely or not at all with a notice.
void read_resctrl(Pod& pod, std::vector<std::string>& notices);
/// pod_blkio.cpp: koordinator.sh/blkioQOS, completely or not at all with a notice; for pods that have it,
/// also their volumes.
void read_blkio(Pod& pod, std::vector<std::string>& notices);
void read_volumes(const document::Value& item, Pod& pod);
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

}  // namespace evenkeel::pods
