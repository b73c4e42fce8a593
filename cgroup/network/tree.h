// A plan for the network as queues and rules: which classes of HTB there are, and whose packets go where.
// May not: touch anything.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cgroup/network/kernel_port.h"
#include "cgroup/tree/tree.h"
#include "qos/decide/network_plan.h"

namespace evenkeel::network {

/// Where unnamed packets go: system's own.
inline constexpr std::uint16_t kSystemMinor = 2;
/// The common class of all pods that have no limit of their own.
std::uint16_t common_minor(decide::NetworkClass of);

/// Numbers of the classes of pods with a limit of their own; a pod keeps its number while it lives.
class OwnMinors {
 public:
  /// 0: all are taken.
  std::uint16_t of(CgroupId pod);
  /// Forgets those that were not asked for since the last call.
  void release_unused();

 private:
  static constexpr std::uint16_t kFirst = 0x100, kLast = 0xffff;
  struct Taken {
    std::uint16_t minor = 0;
    bool asked = false;
  };
  std::map<CgroupId, Taken> taken_{};
  std::uint16_t next_ = kFirst;
};

/// Parents before children.
void build_htb_classes(const decide::NetworkPlan& plan, OwnMinors& own, std::vector<HtbClass>& out);

/// Where the processes of a cgroup are in the unified hierarchy; inode 0: there is none that has pods.
struct UnifiedCgroup {
  std::uint64_t inode = 0;
  std::uint32_t level = 0;
};
UnifiedCgroup find_unified_cgroup(const tree::CgroupTree& tree, CgroupId cgroup);

/// How many members cannot be told by anything: those with the node's addresses where cgroups do not
/// tell.
int build_packet_rules(const decide::NetworkPlan& plan, const tree::CgroupTree& tree, bool cgroups_tell,
                       OwnMinors& own, PacketRules& out);

/// For the audit log.
std::string text_of(const HtbClass& one);
std::string text_of(const PacketRules& rules);

}  // namespace evenkeel::network
