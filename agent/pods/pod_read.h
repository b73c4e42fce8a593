// One v1 Pod object -> Pod. All or nothing where limits are concerned: half-understood limits are worse than
// none.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/document/document.h"
#include "qos/model/pod.h"

namespace evenkeel::pods {

/// Of a v1 PodList in JSON. A member that is not named there does not exist for read_pod().
std::span<const document::KeyFilter> pod_key_filter();

/// Absent: the pod is left out; `notices` says why. Annotations that cannot be read are left out alone.
std::optional<Pod> read_pod(const document::Value& item, std::vector<std::string>& notices);

/// pod_containers.cpp: containers and restartable init containers with what they request, their ids and
/// states. Not empty: why they cannot be understood.
std::string read_containers(const document::Value& item, Pod& pod);
/// The Kubernetes rule, for a pod whose status does not say its QoS class.
KubeQos computed_kube_qos(const document::Value& item, const Pod& pod);

/// pod_annotations.cpp: Koordinator's and our own labels and annotations, from pod.labels and
/// pod.annotations.
void read_pod_protocol(Pod& pod, std::vector<std::string>& notices);
/// pod_resctrl.cpp: node.koordinator.sh/resctrl, all of it or nothing and why.
void read_resctrl(Pod& pod, std::vector<std::string>& notices);
/// pod_blkio.cpp: koordinator.sh/blkioQOS, all of it or nothing and why; and, of pods that have it, which
/// volumes there are.
void read_blkio(Pod& pod, std::vector<std::string>& notices);
void read_volumes(const document::Value& item, Pod& pod);
/// pod_network.cpp: its addresses, and koordinator.sh/networkQOS, all of it or nothing and why.
void read_network(const document::Value& item, Pod& pod, std::vector<std::string>& notices);

/// pod_eviction.cpp: what decides whether the pod is asked to go, except for its owner.
void read_eviction(Pod& pod, std::vector<std::string>& notices);
/// The same: who makes such pods, by uid and by name, and how long they take to end. After the labels.
void read_owner(const document::Value& item, Pod& pod);

/// "koord-prod" and its kin; none for any other word.
PriorityClass priority_class_named(std::string_view word);
/// The other way round: "koord-prod", empty for none; "LSR".
std::string_view name_of(PriorityClass priority_class);
std::string_view name_of(QosClass qos);

/// "namespace/name" or the uid, for notices.
std::string pod_title(const Pod& pod);

}  // namespace evenkeel::pods
