#include "qos/cpu/suppress/share.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "qos/decide/policy.h"

namespace evenkeel::suppress {
namespace {

constexpr MilliCpu kBoundless{std::int64_t{1} << 60};

/// Pods are only below kubepods, which has no parent in the snapshot: identified by its path.
bool holds_pods(const NodeSnapshot& node, const CgroupSample& sample) {
  const CgroupSample* kubepods = node.cgroup(node.kubepods);
  if (!kubepods || sample.path.empty() || kubepods->path.size() <= sample.path.size()) return false;
  return kubepods->path.starts_with(sample.path) && kubepods->path[sample.path.size()] == '/';
}

/// A service inside would be limited as well. Two names for one directory: which setting counts is unknown.
bool holds_others(const NodeSnapshot& node, const HostApplicationSample& app) {
  return std::any_of(node.host_applications.begin(), node.host_applications.end(), [&](const auto& other) {
    if (&other == &app) return false;
    const bool service = other.spec->qos != QosClass::be;
    return other.cgroup == app.cgroup || (service && node.is_below(other.cgroup, app.cgroup));
  });
}

bool inside_of_a_share(const NodeSnapshot& node, const HostApplicationSample& app, AppLever lever) {
  return std::any_of(node.host_applications.begin(), node.host_applications.end(), [&](const auto& other) {
    return node.is_below(app.cgroup, other.cgroup) && has_share(node, other, lever);
  });
}

bool has_lever(const CgroupSample& sample, AppLever lever) {
  if (lever == AppLever::cpuset) return sample.applied.cpus.has_value();
  const auto& limit = sample.applied.cpu_limit;
  return limit && limit->period > Duration::zero();
}

/// The CPU that a quota allows, rounded up, so that quota_for() of it is not less.
MilliCpu rounded_up(QuotaTime quota, Duration period) {
  const MilliCpu cpu = cpu_of(quota, period);
  return quota_for(cpu, period) < quota ? cpu + MilliCpu(1) : cpu;
}

/// The kernel's limit is higher than the one we set.
bool is_loose(const SuppressShare& share) {
  if (share.directory || !share.requested) return false;
  return !share.in_force.quota || *share.in_force.quota > *share.requested;
}

/// From the smallest demand up: each gets it, or an even part of what is left.
MilliCpu pour(std::span<SuppressShare> shares, MilliCpu left, MilliCpu SuppressShare::*up_to) {
  const auto demand_of = [up_to](const SuppressShare& share) {
    return std::max(share.*up_to - share.next, MilliCpu{});
  };
  std::sort(shares.begin(), shares.end(), [&](const SuppressShare& a, const SuppressShare& b) {
    return std::tuple(demand_of(a), a.place) < std::tuple(demand_of(b), b.place);
  });
  auto waiting = static_cast<std::int64_t>(shares.size());
  for (SuppressShare& share : shares) {
    const MilliCpu part = std::min(demand_of(share), MilliCpu(left.count() / waiting--));
    share.next += part;
    left -= part;
  }
  return left;
}

}  // namespace

bool has_share(const NodeSnapshot& node, const HostApplicationSample& app, AppLever lever) {
  const CgroupSample* sample = node.cgroup(app.cgroup);
  if (app.spec->qos != QosClass::be || !sample || sample->kind != CgroupKind::host_application) return false;
  if (sample->hands_off || !has_lever(*sample, lever)) return false;
  if (node.is_below(app.cgroup, node.besteffort) || holds_pods(node, *sample)) return false;
  return !holds_others(node, app) && !inside_of_a_share(node, app, lever);
}

bool is_suppressed(const NodeSnapshot& node, const HostApplicationSample& app, AppLever lever) {
  if (app.spec->qos != QosClass::be) return false;
  const bool in_directory =
      app.spec->base == HostAppBase::kubepods_besteffort || node.is_below(app.cgroup, node.besteffort);
  return in_directory || has_share(node, app, lever) || inside_of_a_share(node, app, lever);
}

void bound(SuppressShare& share) {
  const Duration period = share.in_force.period;
  const MilliCpu least =
      rounded_up(std::max(quota_for(decide::kMinBesteffortCpu, period), kMinQuota), period);
  share.most = share.own.quota ? rounded_up(*share.own.quota, share.own.period) : kBoundless;
  share.least = std::min(least, share.most);
}

void update_peak_use(SuppressShare& share, std::optional<MilliCpu> use, MonoTime now, Duration memory) {
  share.use = use;
  share.measured = share.measured || use.has_value();
  if (now - share.watched >= memory) {
    share.earlier_peak = std::exchange(share.peak, MilliCpu{});
    share.watched = now;
  }
  share.peak = std::max(share.peak, use.value_or(MilliCpu{}));
}

void rate(std::span<SuppressShare> shares, MilliCpu allowance, MilliCpu capacity) {
  const auto count = static_cast<std::int64_t>(shares.size());
  // 4 % of the node may be noise; an eighth of an even part is what sleeping places may cost active ones.
  const MilliCpu to_wake = std::min(suppress_band(capacity) * 4, MilliCpu(allowance.count() / (8 * count)));
  for (SuppressShare& share : shares) {
    const MilliCpu use = share.use.value_or(MilliCpu{});
    const bool full = share.granted > MilliCpu{} && use * 16 >= share.granted * 15;
    const bool loose = is_loose(share);
    share.taken = loose ? std::min(use, share.most) : MilliCpu{};
    share.hungry = !loose && (!share.measured || full);
    const MilliCpu lately = std::max(share.peak, share.earlier_peak);
    share.demand = MilliCpu(lately.count() * 5 / 4) + to_wake;
    if (full) share.demand = std::max(share.demand, share.granted * 2 + to_wake);
    if (!share.measured) share.demand = share.most;
    if (loose) share.demand = use;
    share.demand = std::min(share.demand, share.most);
  }
}

void divide(std::span<SuppressShare> shares, MilliCpu allowance) {
  MilliCpu left = allowance;
  for (SuppressShare& share : shares) {
    share.next = share.least;
    left -= share.least;
  }
  left = pour(shares, std::max(left, MilliCpu{}), &SuppressShare::taken);
  left = pour(shares, left, &SuppressShare::demand);
  pour(shares, left, &SuppressShare::most);
}

}  // namespace evenkeel::suppress
