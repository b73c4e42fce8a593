// Limits of one disk, as given by blkioQOS of a class and by a pod's annotation. Does not know which disk a
// name resolves to (disk_map.h does).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "qos/model/units.h"

namespace evenkeel {

struct BlockIoConfig {
  std::optional<std::int64_t> read_iops{}, write_iops{};
  std::optional<Bytes> read_bps{}, write_bps{};
  std::optional<std::int64_t> io_weight_percent{};
  std::optional<std::int64_t> latency_target_us{};
  std::optional<std::int64_t> read_latency_us{}, write_latency_us{};
  std::optional<Percent> read_latency_percent{}, write_latency_percent{};
  std::optional<bool> enable_user_model{};
  std::optional<Bytes> model_read_bps{}, model_write_bps{};
  std::optional<std::int64_t> model_read_seq_iops{}, model_write_seq_iops{};
  std::optional<std::int64_t> model_read_rand_iops{}, model_write_rand_iops{};
  bool operator==(const BlockIoConfig&) const = default;
};
enum class BlockType : std::uint8_t { device, volume_group, pod_volume };
struct Block {
  std::string name{};
  BlockType type = BlockType::device;
  BlockIoConfig io{};
  bool operator==(const Block&) const = default;
};
struct BlkioQos {
  bool enable = false;
  std::vector<Block> blocks{};
};

}  // namespace evenkeel
