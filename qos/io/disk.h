// Policy "blkio": what best effort as a whole, and single annotated pods, may read and write on a disk, how
// long services' requests may take there, and what the I/O cost model is to keep for everybody.
//
// Other than Koordinator's: a name that leads nowhere costs that block alone; throttling needs no weights; a
// weight is written only where one is given; an annotation that goes takes its limits along; what somebody
// else has limited stays his; on cgroup v1, where a limit binds nobody below, each container has it.
// May not: know how a kernel spells any of it.
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

/// Where each name led when that was last known.
struct BlkioState {
  struct Known {
    CgroupId cgroup{};
    std::string name{};
    BlockType type = BlockType::device;
    std::vector<DiskNumber> disks{};
    std::optional<MonoTime> unresolved{};  ///< since when it leads nowhere
    bool told = false;                     ///< that it does
    std::uint32_t round = 0;               ///< when somebody last named it
  };
  std::vector<Known> blocks{};
  std::uint32_t round = 0;
};

using BlkioPolicy = decide::Policy<BlkioState>;
extern const BlkioPolicy blkio_policy;

/// The blocks whose latencyTarget holds for this pod: its annotation's where one has such, else its class's.
/// Best effort has none: it is who is held back.
std::span<const Block> latency_blocks(const Pod& pod, const NodeSlo& slo);
inline bool has_target(const Block& block) { return block.io.latency_target_us.value_or(0) > 0; }

/// Blocks that lead to no disk now.
std::size_t unresolved_blocks(const BlkioState& state);
/// Whether such a one is news: a volume may be mounted a moment after its pod is listed.
bool should_report(const BlkioState::Known& block, MonoTime now);
/// The next such block, which then counts as reported. Null: there is none.
const BlkioState::Known* take_unreported(BlkioState& state, MonoTime now);
const char* unresolved_reason(const BlkioState::Known& block);

}  // namespace evenkeel::io
