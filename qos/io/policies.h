// The policies of disks and of the network.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "qos/decide/policy.h"
#include "qos/model/disk_map.h"
#include "qos/model/ids.h"
#include "qos/model/units.h"

namespace evenkeel::io {

// Policy "network-qos": networkQOS under the policy tc. Classes are guaranteed their request and may take up
// to their limit of the node's bandwidth; unused bandwidth goes to system services first, then to LSR, LS and
// best effort. Incoming traffic can only be limited. A class that is not enabled has neither. Does not know
// queues.

/// Whether network bandwidth is shared at all.
bool shares_network(const NodeSlo& slo);

using NetworkPolicy = decide::Policy<decide::NoState>;
extern const NetworkPolicy network_qos_policy;

// Policy "blkio": limits what best effort as a whole, and single annotated pods, may read and write on a
// disk, sets latency targets for services' requests, and the parameters of the I/O cost model.
//
// Unlike Koordinator: a name that resolves to no disk disables that block alone; throttling needs no weights;
// a weight is written only if one is given; removing an annotation removes its limits; a limit written by
// another process stays; on cgroup v1, where a limit does not bind children, each container gets it; best
// effort's limits shrink while a service misses its objective and waits for disks. Does not know the kernel's
// file formats.

/// The disks that each name resolved to when that was last known.
struct BlkioState {
  struct Known {
    CgroupId cgroup{};
    std::string name{};
    BlockType type = BlockType::device;
    std::vector<DiskNumber> disks{};
    std::optional<MonoTime> unresolved{};  ///< since when it resolves to none
    bool reported = false;                 ///< that has been reported
    std::uint32_t round = 0;               ///< when it was last used
  };
  std::vector<Known> blocks{};
  std::uint32_t round = 0;
};

/// Calls f(cgroup) for each cgroup that needs a limit on a disk so that it binds what is in `cgroup`. cgroup
/// v1 is flat: there a limit binds the processes of that very cgroup and not those below it.
template <class F>
void for_each_bound(const NodeSnapshot& node, const CgroupSample& cgroup, F&& f) {
  f(cgroup);
  if (node.v2_io) return;
  const auto top = static_cast<CgroupIndex>(&cgroup - node.cgroups.data());
  for (const auto& sample : node.cgroups)
    if (node.is_within(sample.parent, top)) f(sample);
}

using BlkioPolicy = decide::Policy<BlkioState, decide::Reads<decide::ServiceObjectives>>;
extern const BlkioPolicy blkio_policy;

/// The blocks whose latencyTarget holds for this pod: its annotation's if it has such, else its class's. Best
/// effort has none: it is what is throttled.
std::span<const Block> latency_blocks(const Pod& pod, const NodeSlo& slo);
inline bool has_target(const Block& block) { return block.io.latency_target_us.value_or(0) > 0; }

/// Blocks that resolve to no disk now.
std::size_t unresolved_blocks(const BlkioState& state);
/// Whether such a block should be reported: a volume may be mounted a moment after its pod is listed.
bool should_report(const BlkioState::Known& block, MonoTime now);
/// The next such block, which then counts as reported. Null: there is none.
const BlkioState::Known* take_unreported(BlkioState& state, MonoTime now);
const char* unresolved_reason(const BlkioState::Known& block);

}  // namespace evenkeel::io
