// What the policy "blkio" remembers between ticks: where each name led when that was last known.
// May not: decide.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "qos/model/disk_map.h"
#include "qos/model/ids.h"
#include "qos/model/units.h"

namespace evenkeel::io {

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

}  // namespace evenkeel::io
