#include <algorithm>

#include "qos/decide/policy.h"

namespace evenkeel::decide {
namespace {

/// `quota` per `period`, converted to another period, not rounded up.
QuotaTime per(Duration other, QuotaTime quota, Duration period) {
  return QuotaTime(scaled(quota.count(), other.count(), period.count()));
}

// On v1 the kernel refuses a directory less than any of its children has, so a batch pod with its own limit
// would make the cut fail. Children with more than the directory are narrowed as well, and later restored to
// exactly their original value. On v2 the tighter ancestor simply wins.
void narrow_child(const CgroupSample& child, MonoTime now, const CpuLimit& parent, NarrowedChildren& narrowed,
                  Intents& out) {
  const auto& limit = child.applied.cpu_limit;
  const auto known = narrowed.children.find(child.id);
  // Another policy has narrowed it in this round, or the kernel holds what we set.
  const bool ours = known != narrowed.children.end() && limit && known->second.period == limit->period &&
                    (known->second.seen == now || known->second.requested == limit->quota);
  if (!limit || (!limit->quota && !ours)) return;
  const QuotaTime original = ours ? known->second.original : *limit->quota;
  const QuotaTime share = std::max(per(limit->period, *parent.quota, parent.period), kMinQuota);
  if (original <= share) return;
  const bool again = ours && known->second.seen == now;
  const QuotaTime requested = again ? std::min(share, known->second.requested) : share;
  narrowed.children.insert_or_assign(child.id,
                                     NarrowedChildren::Child{original, requested, limit->period, now});
  out.want(child.id, Knob::cpu_quota, share.count(),
           because("no more than its parent, which has {} per {}: cgroup v1 would refuse that", *parent.quota,
                   parent.period));
}

void narrow_children(const NodeSnapshot& node, const CpuLimit& parent, NarrowedChildren& narrowed,
                     Intents& out) {
  // A child that was not narrowed in the last round has its own quota again, or is gone.
  if (narrowed.last_round != node.at)
    std::erase_if(narrowed.children,
                  [&](const auto& entry) { return entry.second.seen != narrowed.last_round; });
  narrowed.last_round = node.at;
  for (const CgroupSample& sample : node.cgroups)
    if (node.is_within(sample.parent, node.besteffort)) narrow_child(sample, node.at, parent, narrowed, out);
}

/// The kernel's own request size, by the number of CPUs: 0.7 or 0.75 ms with one, four times as much with
/// eight or more (kernel/sched/fair.c, sysctl_sched_base_slice).
constexpr Duration kLongestOwn = std::chrono::milliseconds(3);

}  // namespace

QuotaHarm quota_harm(const NodeSnapshot& node, const NodeSlo& slo, const HarmfulLevers& harmful) {
  if (harmful.besteffort_quota) return QuotaHarm::found;
  if (node.scheduler.fair != FairScheduler::eevdf) return QuotaHarm::none;
  const auto& request = slo.evenkeel.request_size;
  const Duration longest_of_services = std::max(kLongestOwn, request.services);
  const bool longer =
      node.scheduler.request_sizes && request.enable && request.best_effort > longest_of_services;
  if (!longer) return QuotaHarm::no_request_sizes;
  return node.scheduler.request_sizes_refused ? QuotaHarm::refused_request_sizes : QuotaHarm::none;
}

std::string_view sentence(QuotaHarm harm) {
  switch (harm) {
    case QuotaHarm::none:
      break;
    case QuotaHarm::no_request_sizes:
      return "a quota on best effort harms services on an EEVDF kernel without longer request sizes";
    case QuotaHarm::refused_request_sizes:
      return "a quota on best effort harms services without longer request sizes, and the kernel refuses "
             "them";
    case QuotaHarm::found:
      return "proof has found that a quota on best effort harms services on this node";
  }
  return "";
}

void limit_besteffort(const NodeSnapshot& node, const CpuLimit& limit, const Reason& why,
                      NarrowedChildren& narrowed, Intents& out) {
  out.want(node.cgroup(node.besteffort)->id, Knob::cpu_quota, limit.quota->count(), why);
  if (!node.v2_cpu) narrow_children(node, limit, narrowed, out);
}

void hold_besteffort_limit(const NodeSnapshot& node, const NarrowedChildren& narrowed, const Reason& why,
                           Intents& out) {
  out.hold(node.cgroup(node.besteffort)->id, Knob::cpu_quota, why);
  for (const auto& [child, known] : narrowed.children) out.hold(child, Knob::cpu_quota, why);
}

}  // namespace evenkeel::decide
