// Limits on disks, given or found by measurement, and bandwidth on the network, as a NodeSLO and a pod ask
// for them, and the addresses and interface that they hold for.
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "qos/model/units.h"

namespace evenkeel {

// Limits of one disk, as given by blkioQOS of a class and by a pod's annotation. Does not know which disk a
// name resolves to (disk_map.h does).

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
/// How much may be read or written is limited on at least one disk. 0 is no limit.
inline bool limits_disks(const std::optional<BlkioQos>& qos) {
  return qos && qos->enable && std::ranges::any_of(qos->blocks, [](const Block& block) {
           const BlockIoConfig& io = block.io;
           return io.read_iops.value_or(0) > 0 || io.write_iops.value_or(0) > 0 ||
                  io.read_bps.value_or(Bytes{}) > Bytes{} || io.write_bps.value_or(Bytes{}) > Bytes{};
         });
}

/// extensions.evenkeel.diskSuppress: limits best effort on a disk for which services wait.
struct DiskSuppressSettings {
  bool enable = false;
  Percent stall_percent{10};  ///< of the time, stall of a service for disks that calls for limits
  Percent first_percent{2};   ///< of what the disk carried, that best effort keeps at first
};

// Network settings: bandwidth of classes and of pods, the addresses that a pod's packets carry, and the
// interface that leads out of the node. Does not know queues or packets.

/// A bandwidth: a percentage of the node's total, or bits per second.
struct Bandwidth {
  std::int64_t value = 0;
  bool is_percent = true;
  bool operator==(const Bandwidth&) const = default;
};

/// networkQOS of a class. A request of 0 guarantees nothing, a limit of 0 limits nothing.
struct NetworkQos {
  bool enable = false;
  Bandwidth ingress_request{}, ingress_limit{}, egress_request{}, egress_limit{};
};

/// koordinator.sh/networkQOS of a pod, within what its class has.
struct NetworkLimits {
  std::optional<Bandwidth> ingress{}, egress{};
  bool operator==(const NetworkLimits&) const = default;
};

struct IpAddress {
  std::array<std::uint8_t, 16> bytes{};  ///< of IPv4 the first four
  bool v6 = false;
  auto operator<=>(const IpAddress&) const = default;
};

/// How a pod's packets are identified: by its own addresses, or, if it uses the node's, by its processes.
struct PodNetwork {
  bool of_host = false;
  std::vector<IpAddress> addresses{};
  NetworkLimits limits{};
  bool operator==(const PodNetwork&) const = default;
};

/// The interface of the default route.
struct NetworkLink {
  std::string name{};
  int index = 0;
  std::optional<BitRate> speed{};  ///< as reported by the device; virtual ones report none
  bool operator==(const NetworkLink&) const = default;
};

}  // namespace evenkeel
