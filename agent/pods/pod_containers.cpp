#include <algorithm>
#include <unordered_map>

#include "agent/pods/kube_text.h"
#include "agent/pods/pod_list.h"
#include "qos/model/pod_resources.h"

namespace evenkeel::pods {
namespace {

/// What one pod may have, whatever its owner writes; ephemeral containers are not read.
constexpr std::size_t kMostContainers = 256;

/// "containerd://abc" -> "abc", for any container runtime.
std::string bare_id(const std::string& id) {
  const auto scheme = id.find("://");
  return scheme == std::string::npos ? id : id.substr(scheme + 3);
}

/// The entries of a status list by the names of their containers. Of two with one name the first counts.
using Statuses = std::unordered_map<std::string, const document::Value*>;

Statuses statuses_of(const document::Value& item, std::string_view list) {
  Statuses out;
  const auto all = list_at(item, {"status", list}).value_or(std::span<const document::Value>());
  out.reserve(all.size());
  for (const auto& status : all) out.emplace(text_at(status, {"name"}), &status);
  return out;
}

/// `resources` of a container, or of a pod as a whole.
struct Asked {
  Resources requests{}, limits{};
};

std::string read_asked(const document::Value& spec, Asked& asked) {
  auto requests = read_resources(value_at(spec, {"resources", "requests"}));
  if (!requests.refusal.empty()) return "requests." + requests.refusal;
  auto limits = read_resources(value_at(spec, {"resources", "limits"}));
  if (!limits.refusal.empty()) return "limits." + limits.refusal;
  asked = {requests.resources, limits.resources};
  return {};
}

/// What the kubelet has carried out of a resize in place (since Kubernetes 1.27). The spec may ask for more
/// than the node can give: the resize is then deferred, or refused for good.
void take_actual_limits(const document::Value& status, Resources& limits) {
  if (value_at(status, {"resources"}) == nullptr) return;
  const auto actual = read_resources(value_at(status, {"resources", "limits"}));
  if (!actual.refusal.empty()) return;
  limits.cpu = actual.resources.cpu;
  limits.memory = actual.resources.memory;
}

template <class Q>
void lower(std::optional<Q>& limit, const std::optional<Q>& actual) {
  if (limit && actual) limit = std::min(*limit, *actual);
}

/// Whether the kubelet has yet to carry out what the spec asks for: it has deferred or refused it, is at it,
/// or has not seen it.
bool is_resize_pending(const document::Value& item) {
  const auto conditions =
      list_at(item, {"status", "conditions"}).value_or(std::span<const document::Value>());
  const auto seen = text_at(item, {"status", "observedGeneration"});
  return (!seen.empty() && seen != text_at(item, {"metadata", "generation"})) ||
         std::ranges::any_of(conditions, [](const document::Value& condition) {
           const auto type = text_at(condition, {"type"});
           return type == "PodResizePending" || type == "PodResizeInProgress";
         });
}

/// Pod-level resources (Kubernetes 1.32); only CPU and memory may be asked for in this way. Of every pod,
/// also without any, a current kubelet tells the limits as it finds them in the pod's cgroup: burst may have
/// raised them, normalization may have divided them. So they count only while a resize is pending, and for no
/// more than the pod asks for. Then the limit told may be burst's own, which burst recognizes
/// (qos/cpu/burst/resize.cpp).
std::string read_pod_level(const document::Value& item, Pod& pod) {
  const auto* spec = value_at(item, {"spec"});
  Asked asked;
  if (spec == nullptr) return {};
  if (const auto why = read_asked(*spec, asked); !why.empty()) return "spec.resources." + why;
  pod.pod_level_requests = asked.requests;
  pod.pod_level_limits = asked.limits;
  const auto* status = value_at(item, {"status"});
  if (status == nullptr || !is_resize_pending(item)) return {};
  Resources actual;
  take_actual_limits(*status, actual);
  lower(pod.pod_level_limits.cpu, actual.cpu);
  lower(pod.pod_level_limits.memory, actual.memory);
  pod.pending_pod_level_cpu = asked.limits.cpu;
  return {};
}

std::string read_container(const document::Value& spec, const Statuses& statuses, bool sidecar, Pod& pod) {
  Container container;
  container.name = text_at(spec, {"name"});
  if (container.name.empty()) return "found a container without a name";
  container.image = text_at(spec, {"image"});
  Asked asked;
  if (const auto why = read_asked(spec, asked); !why.empty())
    return "container " + container.name + ": " + why;
  container.requests = asked.requests;
  container.limits = asked.limits;
  if (const auto status = statuses.find(container.name); status != statuses.end()) {
    container.id = bare_id(text_at(*status->second, {"containerID"}));
    container.running = value_at(*status->second, {"state", "running"}) != nullptr;
    take_actual_limits(*status->second, container.limits);
    if (container.limits.cpu != asked.limits.cpu) container.pending_cpu_limit = asked.limits.cpu;
  }
  container.sidecar = sidecar;
  pod.containers.push_back(std::move(container));
  return {};
}

bool restarts_always(const document::Value& init) { return text_at(init, {"restartPolicy"}) == "Always"; }

/// A sidecar keeps running beside the init containers after it; the others end before the next one starts. An
/// unreadable one is skipped: the API server admits none.
std::string read_init_containers(const document::Value& item, std::span<const document::Value> specs,
                                 Pod& pod) {
  const Statuses statuses = statuses_of(item, "initContainerStatuses");
  Resources sidecars;
  for (const auto& spec : specs) {
    if (restarts_always(spec)) {
      if (auto why = read_container(spec, statuses, true, pod); !why.empty()) return why;
      add(sidecars, completed_requests(pod.containers.back().requests, pod.containers.back().limits));
      continue;
    }
    Asked init;
    if (!read_asked(spec, init).empty()) continue;
    auto together = completed_requests(init.requests, init.limits);
    add(together, sidecars);
    raise(pod.init_peak, together);
  }
  return {};
}

std::string read_overhead(const document::Value& item, Pod& pod) {
  auto overhead = read_resources(value_at(item, {"spec", "overhead"}));
  pod.overhead = overhead.resources;
  return overhead.refusal.empty() ? "" : "spec.overhead." + overhead.refusal;
}

/// A container's request for one resource as the API server completes it: a limit is also the default
/// request.
template <class T>
struct Pair {
  std::optional<T> request{}, limit{};
  Pair(std::optional<T> r, std::optional<T> l) : request(r ? r : l), limit(l) {
    if (request && *request == T(0)) request.reset();
    if (limit && *limit == T(0)) limit.reset();
  }
  [[nodiscard]] bool nothing() const { return !request && !limit; }
  [[nodiscard]] bool guaranteed() const { return limit && request == limit; }
};

struct QosVotes {
  bool nothing = true;
  bool guaranteed = true;
  void add(const Resources& requests, const Resources& limits) {
    const Pair<MilliCpu> cpu(requests.cpu, limits.cpu);
    const Pair<Bytes> memory(requests.memory, limits.memory);
    nothing = nothing && cpu.nothing() && memory.nothing();
    guaranteed = guaranteed && cpu.guaranteed() && memory.guaranteed();
  }
};

}  // namespace

std::string read_containers(const document::Value& item, Pod& pod) {
  const auto regular = list_at(item, {"spec", "containers"});
  const auto init = list_at(item, {"spec", "initContainers"});
  if (!regular || !init) return "spec.containers: found something else than a list";
  if (auto why = too_many("containers", regular->size() + init->size(), kMostContainers); !why.empty())
    return why;
  const Statuses statuses = statuses_of(item, "containerStatuses");
  for (const auto& spec : *regular) {
    if (auto why = read_container(spec, statuses, false, pod); !why.empty()) return why;
  }
  if (auto why = read_init_containers(item, *init, pod); !why.empty()) return why;
  if (auto why = read_pod_level(item, pod); !why.empty()) return why;
  return read_overhead(item, pod);
}

KubeQos computed_kube_qos(const document::Value& item) {
  QosVotes votes;
  Asked whole;
  if (const auto* spec = value_at(item, {"spec"}); spec && !read_asked(*spec, whole).empty()) whole = {};
  votes.add(whole.requests, whole.limits);
  if (!votes.nothing) return votes.guaranteed ? KubeQos::guaranteed : KubeQos::burstable;
  votes = {};
  for (const char* list : {"containers", "initContainers"}) {
    const auto specs = list_at(item, {"spec", list}).value_or(std::span<const document::Value>());
    for (const auto& spec : specs) {
      Asked asked;
      // An unreadable one can at most keep the pod out of Guaranteed.
      const bool readable = read_asked(spec, asked).empty();
      votes.add(asked.requests, asked.limits);
      votes.nothing = votes.nothing && readable;
    }
  }
  if (votes.nothing) return KubeQos::besteffort;
  return votes.guaranteed ? KubeQos::guaranteed : KubeQos::burstable;
}

}  // namespace evenkeel::pods
