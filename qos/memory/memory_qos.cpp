#include <algorithm>
#include <initializer_list>

#include "qos/memory/memory_qos_terms.h"
#include "qos/memory/policies.h"
#include "qos/memory/watermarks.h"
#include "qos/model/capacity.h"
#include "qos/model/pod_resources.h"

namespace evenkeel::memory {
namespace {

// A container that is stalled for a fifth of the time gets a tenth more every ten seconds; the addition is
// removed by hundredths, so that it does not swing.
constexpr Duration kJudgeInterval = std::chrono::seconds(10);
constexpr double kStalledPercent = 20, kCalmPercent = 2;
constexpr Percent kMore{10}, kLess{1}, kMostRelief{1000};

/// The memory that the kernel can allocate, without reserved huge pages.
std::optional<Bytes> allocatable(const NodeSnapshot& node) {
  const auto said = memory_allocatable(node.object, node.node);
  return said ? said : memory_capacity(node.object, node.node);
}

std::size_t at(KubeQos qos) { return static_cast<std::size_t>(qos); }

/// One tick.
class Round {
 public:
  Round(const NodeSnapshot& node, const NodeSlo& slo, MemoryQosState& state, Bytes allocatable,
        decide::Intents& out)
      : node_(node), slo_(slo), state_(state), allocatable_(allocatable), out_(out) {}

  void decide() {
    add_up();
    protect_parents();
    add_vendor_directory_intents(node_, slo_.qos, out_);
    for (const auto& pod : node_.pods) decide_pod(pod);
    std::erase_if(state_.containers, [&](const auto& entry) { return entry.second.seen != node_.at; });
  }

 private:
  using Sums = std::array<MemoryProtection, 3>;  ///< by KubeQos

  void add_up() {
    for (const auto& pod : node_.pods) {
      const auto of_pod = pod.cgroup == kNoCgroup ? std::nullopt : memory_terms(*pod.spec, slo_.qos);
      if (!of_pod) continue;
      const auto request = memory_claim(*pod.spec).request;
      auto& sum = sums_[at(pod.spec->kube_qos)];
      // The parents' low is not raised to their min, unlike in Koordinator.
      sum.min = clamped_sum(sum.min, percent_of(request, of_pod->min));
      sum.low = clamped_sum(sum.low, percent_of(request, of_pod->low));
      requested_low_ = clamped_sum(requested_low_, protection(*of_pod, request).low);
    }
    for (const auto& sum : sums_) {
      all_.min = clamped_sum(all_.min, sum.min);
      all_.low = clamped_sum(all_.low, sum.low);
    }
  }

  /// More cannot be protected than there is: then all get the same share of their request.
  [[nodiscard]] Bytes fitted(Bytes amount, Bytes sum) const {
    return sum <= allocatable_ ? amount : Bytes(scaled(amount.count(), allocatable_.count(), sum.count()));
  }

  void protect_parents() {
    const auto& besteffort = sums_[at(KubeQos::besteffort)];
    const auto& burstable = sums_[at(KubeQos::burstable)];
    protect(node_.kubepods, all_, "the sum of what is protected in the pods below");
    protect(node_.burstable, burstable, "the sum of what is protected in the pods below");
    protect(node_.besteffort, besteffort, "the sum of what is protected in the pods below");
  }

  void protect(CgroupIndex index, const MemoryProtection& requested, const char* why) {
    const auto* cgroup = node_.cgroup(index);
    if (cgroup == nullptr) return;
    const MemoryProtection given{fitted(requested.min, all_.min), fitted(requested.low, requested_low_)};
    if (given.min > Bytes{} && cgroup->applied.plain.has(Knob::memory_min))
      out_.want(cgroup->id, Knob::memory_min, given.min.count(), because(why));
    if (given.low > Bytes{} && cgroup->applied.plain.has(Knob::memory_low))
      out_.want(cgroup->id, Knob::memory_low, given.low.count(), because(why));
  }

  void decide_pod(const PodSample& pod) {
    const auto of_pod = memory_terms(*pod.spec, slo_.qos);
    if (!of_pod || provisioning(node_, pod)) return;
    constexpr const char* kWhy = "a share of what is requested is protected from reclaim";
    protect(pod.cgroup, protection(*of_pod, memory_claim(*pod.spec).request), kWhy);
    if (of_pod->oom_group) kill_together(pod.cgroup);
    if (const auto* cgroup = node_.cgroup(pod.cgroup)) {
      add_vendor_file_intents(*cgroup, *of_pod, out_);
      add_page_cache_intents(*cgroup, *of_pod, memory_limit(*pod.spec), out_);
    }
    for (const auto& container : node_.containers_of(pod)) {
      const auto* cgroup = node_.cgroup(container.cgroup);
      if (container.spec == nullptr || cgroup == nullptr) continue;
      const auto claim = memory_claim(*pod.spec, *container.spec);
      protect(container.cgroup, protection(*of_pod, claim.request), kWhy);
      if (of_pod->oom_group) kill_together(container.cgroup);
      add_vendor_file_intents(*cgroup, *of_pod, out_);
      if (const auto point = throttling_point(*of_pod, claim, allocatable_)) throttle(*cgroup, *point, claim);
    }
  }

  void kill_together(CgroupIndex index) {
    const auto* cgroup = node_.cgroup(index);
    if (cgroup != nullptr && cgroup->applied.plain.has(Knob::memory_oom_group))
      out_.want(cgroup->id, Knob::memory_oom_group, 1,
                because("when memory runs out, all its processes are killed together"));
  }

  void throttle(const CgroupSample& cgroup, Bytes point, const MemoryClaim& claim) {
    const auto now = cgroup.applied.plain.bytes(Knob::memory_high);
    if (!now) return;
    const Percent relief = relieve(cgroup);
    Bytes target = clamped_sum(point, percent_of(point, relief));
    if (claim.limit && *claim.limit > Bytes{}) target = std::max(point, std::min(target, *claim.limit));
    if (!cgroup.memory.current)
      return out_.hold(cgroup.id, Knob::memory_high, because("it is not known how much is in use"));
    const Bytes used = *cgroup.memory.current;
    const Bytes next = limit_above_use(target, used, *now);
    if (next != target)
      return out_.want(cgroup.id, Knob::memory_high, next.count(),
                       because("{} are in use; it comes down to {} as the use does", used, target));
    out_.want(cgroup.id, Knob::memory_high, target.count(),
              relief > Percent{}
                  ? because("{} and {} more, because it was stalled at that limit", point, relief)
                  : because("allocations are throttled here, before the limit triggers an OOM kill"));
  }

  /// The container's relief because memory.high keeps it from running.
  Percent relieve(const CgroupSample& cgroup) {
    auto& entry = state_.containers[cgroup.id];
    const bool first = entry.seen == MonoTime{};
    entry.seen = node_.at;
    if (first) entry.judged = node_.at;
    if (first || node_.at - entry.judged < kJudgeInterval) return entry.relief;
    entry.judged = node_.at;
    const auto& pressure = cgroup.pressure.memory;
    const auto& events = cgroup.memory.events;
    if (!pressure || !pressure->full || !events) return entry.relief;
    const bool throttled = entry.high_events && events->high > *entry.high_events;
    entry.high_events = events->high;
    const double stalled = pressure->full->avg10_percent;
    if (throttled && stalled >= kStalledPercent) entry.relief = std::min(entry.relief + kMore, kMostRelief);
    if (stalled < kCalmPercent) entry.relief = std::max(entry.relief - kLess, Percent{});
    return entry.relief;
  }

  const NodeSnapshot& node_;
  const NodeSlo& slo_;
  MemoryQosState& state_;
  Bytes allocatable_;
  decide::Intents& out_;
  Sums sums_{};
  MemoryProtection all_{};
  Bytes requested_low_{};  ///< of all pods, each raised to its min
};

/// A pod may enable it for itself, whatever its class says.
bool enabled(const NodeSlo& /*slo*/) { return true; }

void hold(const NodeSnapshot& node, CgroupIndex index, std::initializer_list<Knob> knobs,
          decide::Intents& out) {
  if (const CgroupSample* cgroup = node.cgroup(index))
    for (const Knob knob : knobs)
      out.hold(cgroup->id, knob, because("it is not known how much memory the node has"));
}

/// What was protected stays protected.
void hold_all(const NodeSnapshot& node, const NodeSlo& slo, decide::Intents& out) {
  bool any = false;
  for (const PodSample& pod : node.pods) {
    if (!memory_terms(*pod.spec, slo.qos)) continue;
    any = true;
    hold(node, pod.cgroup, {Knob::memory_min, Knob::memory_low, Knob::memory_oom_group}, out);
    for (const ContainerSample& container : node.containers_of(pod))
      hold(node, container.cgroup,
           {Knob::memory_min, Knob::memory_low, Knob::memory_oom_group, Knob::memory_high}, out);
  }
  if (!any) return;
  for (const CgroupIndex parent : {node.kubepods, node.burstable, node.besteffort})
    hold(node, parent, {Knob::memory_min, Knob::memory_low}, out);
}

void decide(const NodeSnapshot& node, const NodeSlo& slo, MemoryQosState& state,
            MemoryQosPolicy::Facts /*facts*/, decide::Intents& out) {
  const auto memory = allocatable(node);
  if (!memory) return hold_all(node, slo, out);
  Round(node, slo, state, *memory, out).decide();
}

}  // namespace

constinit const MemoryQosPolicy memory_qos_policy{
    {"memory-qos",
     "memory.min and memory.low protect what is requested, memory.high slows growth towards the limit",
     enabled},
    decide};

}  // namespace evenkeel::memory
