// Turns a network plan into queues and rules: which HTB classes exist, and which packets go into each. Does
// not touch anything.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cgroup/network/kernel_port.h"
#include "cgroup/tree/tree.h"
#include "qos/decide/io_plan.h"

namespace evenkeel::network {

/// A hash of everything relevant in the plan, to detect whether it equals the last one, whose pointers are
/// valid for one tick only; never 0.
std::uint64_t sum_of(const decide::NetworkPlan& plan);

/// The class of packets that no rule matches: the system's.
inline constexpr std::uint16_t kSystemMinor = 2;
/// The common class of all pods without a limit of their own.
std::uint16_t common_minor(decide::NetworkClass of);

/// Class numbers of the pods with a limit of their own; a pod keeps its number for life.
class OwnMinors {
 public:
  /// 0: no number is free.
  std::uint16_t of(CgroupId pod);
  /// Releases those not requested since the last call.
  void release_unused();

 private:
  static constexpr std::uint16_t kFirst = 0x100, kLast = 0xffff;
  struct Taken {
    std::uint16_t minor = 0;
    bool requested = false;
  };
  std::map<CgroupId, Taken> taken_{};
  std::uint16_t next_ = kFirst;
};

/// Parents before children.
void build_htb_classes(const decide::NetworkPlan& plan, OwnMinors& own, std::vector<HtbClass>& out);

/// A cgroup in the unified hierarchy that holds the processes of a given one; inode 0: none with pods.
struct UnifiedCgroup {
  std::uint64_t inode = 0;
  std::uint32_t level = 0;
};
UnifiedCgroup find_unified_cgroup(const tree::CgroupTree& tree, CgroupId cgroup);

/// Returns how many members cannot be matched: those with the node's addresses where cgroups cannot be
/// matched.
int build_packet_rules(const decide::NetworkPlan& plan, const tree::CgroupTree& tree, bool cgroups_tell,
                       OwnMinors& own, PacketRules& out);

/// For the audit log.
std::string text_of(const HtbClass& one);
std::string text_of(const PacketRules& rules);

}  // namespace evenkeel::network
