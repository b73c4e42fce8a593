#include "cgroup/network/tree.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "qos/model/reason.h"

namespace evenkeel::network {

namespace {

constexpr std::uint16_t kRootMinor = 1;
/// A pod with a limit of its own is guaranteed a hundredth of that limit within its class.
constexpr std::int64_t kOwnShare = 100;

/// The class as a whole: the parent of its pods' classes.
std::uint16_t class_minor(decide::NetworkClass of) {
  return static_cast<std::uint16_t>(0x10 * static_cast<std::size_t>(of));
}

/// The number of a pod with a limit of its own; 0: it is in the common class.
std::uint16_t own_minor(const decide::NetworkMember& member, OwnMinors& own) {
  return member.egress_limit && member.of != decide::NetworkClass::system ? own.of(member.cgroup)
                                                                          : std::uint16_t{0};
}

/// Its position in PacketRules::limits; -1: no limit.
int add_limit(const std::optional<BitRate>& limit, PacketRules& out) {
  if (!limit) return -1;
  out.limits.push_back(*limit);
  return static_cast<int>(out.limits.size()) - 1;
}

bool same_packets(const PacketRule& a, const PacketRule& b) {
  return a.by_cgroup == b.by_cgroup && a.cgroup == b.cgroup && a.address == b.address;
}

/// An address that two pods claim identifies neither: one of the lists is outdated.
void leave_out_the_ambiguous(std::vector<PacketRule>& rules) {
  std::ranges::sort(rules, [](const PacketRule& a, const PacketRule& b) {
    return std::tie(a.by_cgroup, a.cgroup, a.address) < std::tie(b.by_cgroup, b.cgroup, b.address);
  });
  auto kept = rules.begin();
  for (auto at = rules.begin(); at != rules.end();) {
    const auto end =
        std::find_if_not(at, rules.end(), [&](const auto& rule) { return same_packets(rule, *at); });
    if (end - at == 1) *kept++ = *at;
    at = end;
  }
  rules.erase(kept, rules.end());
}

const std::string kCgroupMount = "sys/fs/cgroup";

}  // namespace

std::uint16_t common_minor(decide::NetworkClass of) {
  return of == decide::NetworkClass::system ? kSystemMinor : static_cast<std::uint16_t>(class_minor(of) + 1);
}

std::uint16_t OwnMinors::of(CgroupId pod) {
  const auto found = taken_.find(pod);
  if (found != taken_.end()) {
    found->second.requested = true;
    return found->second.minor;
  }
  if (taken_.size() > kLast - kFirst) return 0;
  const auto is_taken = [this](std::uint16_t minor) {
    return std::ranges::any_of(taken_, [&](const auto& row) { return row.second.minor == minor; });
  };
  while (is_taken(next_)) next_ = next_ == kLast ? kFirst : static_cast<std::uint16_t>(next_ + 1);
  taken_[pod] = {next_, true};
  return next_;
}

void OwnMinors::release_unused() {
  std::erase_if(taken_, [](const auto& row) { return !row.second.requested; });
  for (auto& row : taken_) row.second.requested = false;
}

void build_htb_classes(const decide::NetworkPlan& plan, OwnMinors& own, std::vector<HtbClass>& out) {
  out.clear();
  out.push_back({.minor = kRootMinor, .rate = plan.total, .ceil = plan.total});
  for (std::size_t i = 0; i < decide::kNetworkClasses; ++i) {
    const auto of = static_cast<decide::NetworkClass>(i);
    const auto& share = plan.classes[i];
    auto parent = kRootMinor;
    if (of != decide::NetworkClass::system) {
      parent = class_minor(of);
      out.push_back(
          {.minor = parent, .parent = kRootMinor, .rate = share.egress_request, .ceil = share.egress_limit});
    }
    out.push_back({.minor = common_minor(of),
                   .parent = parent,
                   .rate = share.egress_request,
                   .ceil = share.egress_limit,
                   .priority = static_cast<std::uint8_t>(i)});
  }
  for (const auto& member : plan.members) {
    const auto minor = own_minor(member, own);
    if (minor == 0) continue;
    const auto& share = plan.classes[static_cast<std::size_t>(member.of)];
    const BitRate most = std::min(*member.egress_limit, share.egress_limit);
    out.push_back({.minor = minor,
                   .parent = class_minor(member.of),
                   .rate = std::max(BitRate(most.count() / kOwnShare), decide::kLeastNetworkRate),
                   .ceil = std::max(most, decide::kLeastNetworkRate),
                   .priority = static_cast<std::uint8_t>(member.of)});
  }
}

UnifiedCgroup find_unified_cgroup(const tree::CgroupTree& tree, CgroupId id) {
  const auto* cgroup = tree.find(id);
  if (cgroup == nullptr || tree.layout().unified.empty()) return {};
  const auto dir = tree.unified_dir(*cgroup);
  const auto inode = tree.host().inode(dir);
  if (!inode) return {};
  // The mount itself may be one directory deeper (hybrid), and does not count as a level.
  const auto mount =
      tree.layout().unified.starts_with(kCgroupMount + "/unified") ? kCgroupMount + "/unified" : kCgroupMount;
  const auto below = std::string_view(dir).substr(std::min(mount.size(), dir.size()));
  return {*inode, static_cast<std::uint32_t>(std::ranges::count(below, '/'))};
}

int build_packet_rules(const decide::NetworkPlan& plan, const tree::CgroupTree& tree, bool cgroups_tell,
                       OwnMinors& own, PacketRules& out) {
  out.link = plan.link->index;
  out.limits.clear();
  out.rules.clear();
  std::array<int, decide::kNetworkClasses> of_class{};
  for (std::size_t i = 0; i < decide::kNetworkClasses; ++i)
    of_class[i] = add_limit(plan.classes[i].ingress_limit, out);
  int unknown = 0;
  for (const auto& member : plan.members) {
    const auto minor = own_minor(member, own);
    PacketRule rule{.minor = minor != 0 ? minor : common_minor(member.of),
                    .class_limit = of_class[static_cast<std::size_t>(member.of)],
                    .own_limit = add_limit(member.ingress_limit, out)};
    if (member.by_cgroup) {
      const auto place = cgroups_tell ? find_unified_cgroup(tree, member.cgroup) : UnifiedCgroup{};
      if (place.inode == 0) {
        ++unknown;
        continue;
      }
      rule.by_cgroup = true;
      rule.cgroup = place.inode;
      rule.level = place.level;
      out.rules.push_back(rule);
      continue;
    }
    for (const auto& address : member.addresses) {
      rule.address = address;
      out.rules.push_back(rule);
    }
  }
  leave_out_the_ambiguous(out.rules);
  return unknown;
}

std::string text_of(const HtbClass& one) {
  return because("{} guaranteed, {} at most", one.rate, one.ceil).text();
}

std::string text_of(const PacketRules& rules) {
  return std::to_string(rules.rules.size()) + " addresses and cgroups";
}

namespace {

class Sum {
 public:
  void add(std::uint64_t value) { sum_ = (sum_ ^ value) * 0x100000001b3U + (sum_ >> 47U); }
  void add(BitRate rate) { add(static_cast<std::uint64_t>(rate.count())); }
  void add(const std::optional<BitRate>& rate) { add(rate ? *rate : BitRate(-1)); }
  void add(const IpAddress& address) {
    add(address.v6 ? 1U : 2U);
    for (const auto byte : address.bytes) add(byte);
  }
  [[nodiscard]] std::uint64_t value() const { return sum_ == 0 ? 1 : sum_; }

 private:
  std::uint64_t sum_ = 0xcbf29ce484222325U;
};

}  // namespace

std::uint64_t sum_of(const decide::NetworkPlan& plan) {
  Sum sum;
  sum.add(plan.total);
  for (const auto& share : plan.classes) {
    sum.add(share.egress_request);
    sum.add(share.egress_limit);
    sum.add(share.ingress_limit);
  }
  for (const auto& member : plan.members) {
    sum.add(member.cgroup.value);
    sum.add(static_cast<std::uint64_t>(member.of) * 2 + (member.by_cgroup ? 1 : 0));
    sum.add(member.egress_limit);
    sum.add(member.ingress_limit);
    sum.add(member.addresses.size());
    for (const auto& address : member.addresses) sum.add(address);
  }
  return sum.value();
}

}  // namespace evenkeel::network
