#include "cgroup/kernel/rules.h"

#include <algorithm>
#include <cerrno>
#include <limits>

#include "qos/model/units.h"

namespace evenkeel::kernel {
namespace {

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();  // RUNTIME_INF
constexpr auto kShortestUs = static_cast<std::uint64_t>(kMinQuota.count());    // quota and period
constexpr std::uint64_t kLongestPeriodUs = 1000000;
constexpr std::uint64_t kLargestRuntimeUs = (1ULL << 44U) - 1;  // MAX_BW
constexpr std::int64_t kDefaultShares = 1024, kIdleShares = 3, kFewestShares = 2, kMostShares = 1 << 18;

/// to_ratio(): the fraction of a period in 20 binary digits, truncated.
std::int64_t ratio(std::int64_t period_us, std::int64_t quota_us) {
  const auto scaled_up = static_cast<std::uint64_t>(quota_us) << 20U;
  return static_cast<std::int64_t>(scaled_up / static_cast<std::uint64_t>(period_us));
}

std::uint64_t as_runtime(std::int64_t quota_us) {
  return quota_us < 0 ? kNoLimit : static_cast<std::uint64_t>(quota_us);
}

}  // namespace

namespace {

/// A plain file of a cgroup, as opposed to one of the node or one with a line per disk.
bool is_plain_cgroup_file(const KnobRow& lever) {
  return is_plain(lever.knob) && lever.node_dir.empty() && !has_disk_lines(lever.knob);
}

}  // namespace

KnobBits mainline_plain_knobs(bool v2) {
  KnobBits out = 0;
  for (const auto& lever : knob_table())
    if (is_plain_cgroup_file(lever) && lever.in_mainline(v2)) out |= knob_bit(lever.knob);
  return out;
}

KnobBits vendor_plain_knobs() {
  KnobBits out = 0;
  for (const auto& lever : knob_table())
    if (is_plain_cgroup_file(lever) && lever.may_be_absent()) out |= knob_bit(lever.knob);
  return out;
}

KernelRules::KernelRules(KernelKind kind) { restart(kind); }

void KernelRules::restart(const KernelKind& kind) {
  groups_.clear();
  kind_ = kind;
  if (kind_.cpu_ids > 0) return;
  for (CpuId cpu = kind_.online.next(0); cpu >= 0; cpu = kind_.online.next(cpu + 1)) kind_.cpu_ids = cpu + 1;
}

int KernelRules::add(const KernelGroup& group) {
  groups_.push_back(group);
  return size() - 1;
}

bool KernelRules::fits_hierarchy(int group, std::int64_t period_us, std::int64_t quota_us) const {
  if (kind_.cpu_v2) return true;
  int limited = group;  // the group whose limit applies to those below `group`
  std::int64_t allowed = ratio(period_us, quota_us);
  const auto has_quota = [this](int at) { return groups_[index(at)].quota_us >= 0; };
  if (const int up = nearest(groups_[index(group)].parent, has_quota); up >= 0) {
    const auto& above = groups_[index(up)];
    const auto most = ratio(above.period_us, above.quota_us);
    if (quota_us < 0) allowed = most;
    if (allowed > most) return false;
    limited = up;
  }
  if (quota_us < 0 && limited == group) return true;
  for (int i = group + 1; i < size(); ++i) {
    const auto& child = groups_[index(i)];
    if (child.gone || child.quota_us < 0 || !is_within(i, group)) continue;
    if (ratio(child.period_us, child.quota_us) > allowed) return false;
  }
  return true;
}

int KernelRules::set_bandwidth(int group, std::uint64_t period_us, std::uint64_t quota_us,
                               std::uint64_t burst_us) {
  const bool limited = quota_us != kNoLimit;
  if (quota_us < kShortestUs || period_us < kShortestUs || period_us > kLongestPeriodUs) return EINVAL;
  if (burst_us > kNoLimit / 1000 || (limited && quota_us > kLargestRuntimeUs)) return EINVAL;
  if (limited && (burst_us > quota_us || burst_us + quota_us > kLargestRuntimeUs)) return EINVAL;
  const auto quota = limited ? static_cast<std::int64_t>(quota_us) : KernelGroup::kUnlimited;
  const auto period = static_cast<std::int64_t>(period_us);
  if (!fits_hierarchy(group, period, quota)) return EINVAL;
  auto& state = groups_[index(group)];
  state.quota_us = quota;
  state.period_us = period;
  state.burst_us = static_cast<std::int64_t>(burst_us);
  return 0;
}

int KernelRules::set_shares(int group, std::uint64_t shares) {
  auto& state = groups_[index(group)];
  if (state.idle) return EINVAL;
  const auto most = static_cast<std::uint64_t>(kMostShares);
  state.shares = std::max(kFewestShares, static_cast<std::int64_t>(std::min(shares, most)));
  return 0;
}

int KernelRules::set_weight(int group, std::uint64_t weight) {
  if (weight < 1 || weight > 10000) return ERANGE;
  return set_shares(group, (weight * 1024 + 50) / 100);
}

std::int64_t KernelRules::weight(int group) const {
  const auto& state = groups_[index(group)];
  return state.idle ? 0 : (state.shares * 100 + 512) / 1024;
}

int KernelRules::set_idle(int group, std::int64_t idle) {
  if (idle < 0 || idle > 1) return EINVAL;
  auto& state = groups_[index(group)];
  if (state.idle == (idle == 1)) return 0;
  state.idle = idle == 1;
  // Not the earlier shares: the kernel does not remember them.
  state.shares = state.idle ? kIdleShares : kDefaultShares;
  return 0;
}

bool KernelRules::populated(int group) const {
  for (int i = group; i < size(); ++i)
    if (!groups_[index(i)].gone && groups_[index(i)].tasks && is_within(i, group)) return true;
  return false;
}

int KernelRules::set_cpus(int group, const CpuSet& cpus) {
  auto& state = groups_[index(group)];
  if (state.cpus == cpus) return 0;
  if (!kind_.cpuset_v2) {
    for (int i = group + 1; i < size(); ++i) {
      const auto& child = groups_[index(i)];
      if (!child.gone && child.parent == group && !child.cpus.subset_of(cpus)) return EBUSY;
    }
    const auto& above = state.parent < 0 ? kind_.online : groups_[index(state.parent)].cpus;
    if (!cpus.subset_of(above)) return EACCES;
  }
  // On v2 as well: once set, the set of a group with processes can be changed but not emptied.
  if (cpus.empty() && populated(group)) return ENOSPC;
  state.cpus = cpus;
  return 0;
}

CpuSet KernelRules::effective_cpus(int group) const {
  if (group < 0) return kind_.online;
  const auto& state = groups_[index(group)];
  if (!kind_.cpuset_v2) return state.cpus;
  const auto above = effective_cpus(state.parent);
  const auto own = state.cpus & above;
  return own.empty() ? above : own;
}

int KernelRules::set_plain(int group, Knob knob, const KnobValue& value) {
  const auto& legal = row(knob).values;
  const auto number = plain_number(value);
  if ((kind_.plain & knob_bit(knob)) == 0) return ENOENT;
  const bool none = is_of_disk(knob) && number == kPlainMax;
  if (!none && (number < legal.lowest || number > legal.highest)) return EINVAL;
  groups_[index(group)].plain[plain_index(knob)] = number;
  return 0;
}

int KernelRules::set(int group, Knob knob, const KnobValue& value) {
  const auto& state = groups_[index(group)];
  const auto* number = std::get_if<std::int64_t>(&value);
  const auto* cpus = std::get_if<CpuSet>(&value);
  if (knob == Knob::cpuset_cpus) return cpus ? set_cpus(group, *cpus) : EINVAL;
  if (is_plain(knob)) return set_plain(group, knob, value);
  const auto period = static_cast<std::uint64_t>(state.period_us);
  if (knob == Knob::cpu_quota) {
    const auto quota = number ? as_runtime(*number) : kNoLimit;
    return set_bandwidth(group, period, quota, static_cast<std::uint64_t>(state.burst_us));
  }
  if (!number) return EINVAL;
  const auto unsigned_value = static_cast<std::uint64_t>(*number);
  if (knob == Knob::cpu_burst)
    return set_bandwidth(group, period, as_runtime(state.quota_us), unsigned_value);
  if (knob == Knob::cpu_idle) return set_idle(group, *number);
  return kind_.cpu_v2 ? set_weight(group, unsigned_value) : set_shares(group, unsigned_value);
}

void KernelRules::assume(int group, Knob knob, const KnobValue& value) {
  auto& state = groups_[index(group)];
  const auto* held = std::get_if<std::int64_t>(&value);
  if (is_plain(knob)) {
    state.plain[plain_index(knob)] = plain_number(value);
    return;
  }
  const std::int64_t number = held ? *held : KernelGroup::kUnlimited;
  switch (knob) {
    case Knob::cpu_quota:
      state.quota_us = number;
      break;
    case Knob::cpu_burst:
      state.burst_us = number;
      break;
    case Knob::cpu_shares:
      state.shares = kind_.cpu_v2 ? (number * 1024 + 50) / 100 : number;
      break;
    case Knob::cpu_idle:
      state.idle = number != 0;
      break;
    case Knob::cpuset_cpus:
      if (const auto* cpus = std::get_if<CpuSet>(&value)) state.cpus = *cpus;
      break;
    default:
      break;
  }
}

KnobValue KernelRules::value(int group, Knob knob) const {
  const auto& state = groups_[index(group)];
  if (is_plain(knob)) return plain_value(knob, state.plain[plain_index(knob)]);
  switch (knob) {
    case Knob::cpu_quota:
      if (state.quota_us < 0) return Unlimited{};
      return state.quota_us;
    case Knob::cpu_burst:
      return state.burst_us;
    case Knob::cpu_shares:
      return kind_.cpu_v2 ? weight(group) : state.shares;
    case Knob::cpu_idle:
      return std::int64_t{state.idle};
    case Knob::cpuset_cpus:
      return state.cpus;
    default:
      return Unlimited{};
  }
}

}  // namespace evenkeel::kernel
