#include "qos/trust/trust.h"

#include <algorithm>
#include <array>
#include <limits>
#include <tuple>
#include <utility>

#include "qos/cpu/burst/burst.h"
#include "qos/model/pod_resources.h"

namespace evenkeel::trust {
namespace {

constexpr std::uint8_t kAllTriggers = 0xff;
constexpr const char* kGroupLabel = "koordinator.sh/core-sched-group-id";

// Best effort is what the operator's rules are for: nobody leaves them by himself. A service that asks not to
// be touched gives up its own protection.
bool exempts_itself(const Pod& pod, const NodeSlo& /*slo*/) { return pod.hands_off && is_best_effort(pod); }
void manage(Pod& pod, const NodeSlo& /*slo*/) { pod.hands_off = false; }

bool avoids_eviction(const Pod& pod, const NodeSlo& /*slo*/) {
  return pod.eviction.by != kAllTriggers && is_best_effort(pod);
}
void make_evictable(Pod& pod, const NodeSlo& /*slo*/) { pod.eviction.by = kAllTriggers; }

bool takes_cache(const Pod& pod, const NodeSlo& /*slo*/) {
  return !pod.resctrl.empty() && is_best_effort(pod);
}
void return_cache(Pod& pod, const NodeSlo& /*slo*/) { pod.resctrl.clear(); }

/// The scheduler gives whole CPUs, as many as the pod requests.
bool takes_cpus(const Pod& pod, const NodeSlo& /*slo*/) {
  if (!pod.allocated_cpus || pod.from_cgroup_only) return false;
  const Resources requests = pod_requests(pod);
  const MilliCpu asked = requests.cpu.value_or(MilliCpu{}) + requests.batch_cpu.value_or(MilliCpu{}) +
                         requests.mid_cpu.value_or(MilliCpu{});
  return std::cmp_greater(pod.allocated_cpus->size(), asked.count() / 1000);
}
void return_cpus(Pod& pod, const NodeSlo& /*slo*/) { pod.allocated_cpus.reset(); }

/// The kernel throttles all siblings of a cgroup with a latency target.
bool slows_siblings(const Pod& pod, const NodeSlo& /*slo*/) {
  return std::ranges::any_of(pod.blocks,
                             [](const Block& block) { return block.io.latency_target_us.has_value(); });
}
void drop_latency(Pod& pod, const NodeSlo& /*slo*/) {
  for (Block& block : pod.blocks) block.io.latency_target_us.reset();
}

/// What a burst policy allows, one bit each.
unsigned allows(BurstPolicy policy) {
  switch (policy) {
    case BurstPolicy::none:
      return 0;
    case BurstPolicy::cpu_burst_only:
      return 1;
    case BurstPolicy::cfs_quota_burst_only:
      return 2;
    case BurstPolicy::automatic:
      break;
  }
  return 3;
}

bool policy_exceeds(const CpuBurstOverride& own, const CpuBurstStrategy& node) {
  return (allows(burst::burst_strategy(node, own).policy) & ~allows(node.policy)) != 0;
}

/// -1: without end.
bool lasts_longer(std::optional<std::int64_t> own, std::int64_t node) {
  return own && node >= 0 && (*own < 0 || *own > node);
}

bool bursts_more(const Pod& pod, const NodeSlo& slo) {
  const CpuBurstOverride& own = pod.cpu_burst;
  const CpuBurstStrategy& node = slo.cpu_burst;
  return policy_exceeds(own, node) || own.cpu_burst_percent > node.cpu_burst_percent ||
         own.cfs_quota_burst_percent > node.cfs_quota_burst_percent ||
         lasts_longer(own.cfs_quota_burst_period_seconds, node.cfs_quota_burst_period_seconds);
}
void burst_as_the_node(Pod& pod, const NodeSlo& slo) {
  CpuBurstOverride& own = pod.cpu_burst;
  const CpuBurstStrategy& node = slo.cpu_burst;
  if (policy_exceeds(own, node)) own.policy.reset();
  if (own.cpu_burst_percent > node.cpu_burst_percent) own.cpu_burst_percent.reset();
  if (own.cfs_quota_burst_percent > node.cfs_quota_burst_percent) own.cfs_quota_burst_percent.reset();
  if (lasts_longer(own.cfs_quota_burst_period_seconds, node.cfs_quota_burst_period_seconds))
    own.cfs_quota_burst_period_seconds.reset();
}

/// '/' is in no label, so no pod can name a group of another namespace.
bool names_a_group(const Pod& pod, const NodeSlo& /*slo*/) {
  const auto label = pod.labels.find(kGroupLabel);
  return label != pod.labels.end() && !label->second.empty();
}
void group_by_namespace(Pod& pod, const NodeSlo& /*slo*/) {
  std::string& group = pod.labels.find(kGroupLabel)->second;
  group = pod.namespace_ + '/' + group;
}

/// A class that is off protects nothing.
MemoryQos memory_of_class(const Pod& pod, const NodeSlo& slo) {
  const auto& of_class = strategy_of(slo.qos, default_qos(pod)).memory;
  return of_class && of_class->enable ? *of_class : MemoryQos{};
}

/// Whether a value counts for more than that of the class.
template <class Value>
bool exceeds(const std::optional<Value>& own, const std::optional<Value>& of_class) {
  return own && *own > of_class.value_or(Value{});
}

/// What is protected of the memory that was lent to best effort is missing to services. A service may protect
/// what it requests, but not put itself before others.
MemoryQosOverride as_far_as_the_class(const Pod& pod, const NodeSlo& slo) {
  MemoryQosOverride own = pod.memory_qos;
  const MemoryQos of_class = memory_of_class(pod, slo);
  const bool lent = is_best_effort(pod);
  if (lent && exceeds(own.min_limit_percent, of_class.min_limit_percent)) own.min_limit_percent.reset();
  if (lent && exceeds(own.low_limit_percent, of_class.low_limit_percent)) own.low_limit_percent.reset();
  if (exceeds(own.priority, of_class.priority)) own.priority.reset();
  return own;
}
bool protects_memory(const Pod& pod, const NodeSlo& slo) {
  return as_far_as_the_class(pod, slo) != pod.memory_qos;
}
void protect_as_the_class(Pod& pod, const NodeSlo& slo) { pod.memory_qos = as_far_as_the_class(pod, slo); }

/// Of a class that is off 0, which is what the kernel gives to a new cgroup.
std::int64_t identity_of_class(const Pod& pod, const NodeSlo& slo) {
  const CpuQos* const of_class = cpu_strategy_of(slo.qos, default_qos(pod));
  return of_class != nullptr && of_class->enable ? of_class->group_identity : 0;
}

/// The kernel lets a task of a higher identity preempt those of lower ones.
bool preempts_more(const Pod& pod, const NodeSlo& slo) {
  return pod.group_identity && *pod.group_identity > identity_of_class(pod, slo);
}
void preempt_as_the_class(Pod& pod, const NodeSlo& /*slo*/) { pod.group_identity.reset(); }

struct ClaimRow {
  bool (*made)(const Pod&, const NodeSlo&);
  void (*take_away)(Pod&, const NodeSlo&);
  const char* sentence;  ///< null: nothing is lost
};

/// In the order of Claim.
constexpr std::array<ClaimRow, kClaims.size()> kRows = {{
    {exempts_itself, manage, "evenkeel.io/hands-off does not count: best effort cannot exempt itself"},
    {avoids_eviction, make_evictable,
     "koordinator.sh/eviction-policy does not count: best effort cannot protect itself from eviction"},
    {takes_cache, return_cache,
     "node.koordinator.sh/resctrl does not count: best effort cannot give itself cache or memory bandwidth"},
    {takes_cpus, return_cpus,
     "the CPUs of scheduling.koordinator.sh/resource-status do not count: they are more than the whole CPUs "
     "that it "
     "requests"},
    {slows_siblings, drop_latency,
     "latencyTarget of koordinator.sh/blkioQOS does not count: the kernel would throttle all other pods for "
     "it"},
    {bursts_more, burst_as_the_node,
     "koordinator.sh/cpuBurst counts only as far as the node's cpuBurstStrategy goes"},
    {names_a_group, group_by_namespace, nullptr},
    {protects_memory, protect_as_the_class,
     "koordinator.sh/memoryQOS counts only as far as it protects no more than the pod's class"},
    {preempts_more, preempt_as_the_class,
     "groupIdentity of koordinator.sh/cpuQOS does not count: it is above that of the pod's class"},
}};

const char* kube_word(KubeQos qos) {
  return qos == KubeQos::guaranteed ? "Guaranteed" : qos == KubeQos::burstable ? "Burstable" : "BestEffort";
}

bool has(const std::vector<std::string>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

bool fits(const TrustRule& rule, const Pod& pod) {
  return (rule.namespaces.empty() || has(rule.namespaces, pod.namespace_)) &&
         (rule.kube_qos.empty() || has(rule.kube_qos, kube_word(pod.kube_qos))) &&
         (!rule.min_priority || (pod.priority && *pod.priority >= *rule.min_priority));
}

bool is_trusted(const Pod& pod, const NodeSlo& slo, std::size_t claim) {
  return std::ranges::any_of(slo.evenkeel.trust, [&](const TrustRule& rule) {
    return has(rule.claims, kClaims[claim]) && fits(rule, pod);
  });
}

bool is_refused(const Pod& pod, const NodeSlo& slo, std::size_t claim) {
  return kRows[claim].made(pod, slo) && !is_trusted(pod, slo, claim);
}

std::string refusal(const Pod& pod, const char* sentence, std::size_t claim) {
  return "pod " + pod.namespace_ + '/' + pod.name + ": " + sentence + " (extensions.evenkeel.trust, " +
         kClaims[claim] + ')';
}

constexpr auto kCpus = static_cast<std::size_t>(Claim::cpus);

/// A pod with CPUs of its own, of those that count one by one.
struct CpuOwner {
  bool untrusted = false;
  std::int64_t created = 0;
  std::size_t place = 0;
  [[nodiscard]] auto rank() const { return std::tuple(untrusted, created, place); }
};

/// The API server sets the time of creation. Without one a pod counts as the newest.
std::vector<CpuOwner> cpu_owners(const std::vector<Pod>& pods, const NodeSlo& slo) {
  std::vector<CpuOwner> owners;
  for (std::size_t place = 0; place < pods.size(); ++place) {
    const Pod& pod = pods[place];
    if (has_ended(pod.phase) || !has_own_cpus(pod) || is_refused(pod, slo, kCpus)) continue;
    const auto created = pod.created_unix_seconds.value_or(std::numeric_limits<std::int64_t>::max());
    owners.push_back({!is_trusted(pod, slo, kCpus), created, place});
  }
  std::ranges::sort(owners, {}, &CpuOwner::rank);
  return owners;
}

}  // namespace

bool is_restricted(const Pod& pod, const NodeSlo& slo) {
  for (std::size_t claim = 0; claim < kRows.size(); ++claim)
    if (is_refused(pod, slo, claim)) return true;
  return false;
}

void restrict(Pod& pod, const NodeSlo& slo, std::vector<std::string>& refused) {
  for (std::size_t claim = 0; claim < kRows.size(); ++claim) {
    if (!is_refused(pod, slo, claim)) continue;
    kRows[claim].take_away(pod, slo);
    if (kRows[claim].sentence == nullptr) continue;
    refused.push_back(refusal(pod, kRows[claim].sentence, claim));
  }
}

std::vector<std::size_t> pods_on_others_cpus(const std::vector<Pod>& pods, const NodeSlo& slo) {
  std::vector<std::size_t> out;
  CpuSet taken;
  for (const CpuOwner& owner : cpu_owners(pods, slo)) {
    const CpuSet& named = *pods[owner.place].allocated_cpus;
    if (owner.untrusted && !(named & taken).empty())
      out.push_back(owner.place);
    else
      taken = taken | named;
  }
  return out;
}

void return_others_cpus(Pod& pod, std::vector<std::string>& refused) {
  pod.allocated_cpus.reset();
  refused.push_back(refusal(
      pod,
      "the CPUs of scheduling.koordinator.sh/resource-status do not count: an older pod has some of them",
      kCpus));
}

}  // namespace evenkeel::trust
