// Plans for disks and the network: parameters of the I/O cost model, and bandwidth of classes and pods.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "qos/model/disk_map.h"
#include "qos/model/ids.h"
#include "qos/model/io_limits.h"
#include "qos/model/reason.h"

namespace evenkeel::decide {

// Parameters of the kernel's I/O cost model (io.cost) for each disk of the node: latency targets, and what
// the disk can do. Keeps its memory from tick to tick. Does not know the kernel's file format.

struct DiskCost {
  DiskNumber disk = 0;
  std::int64_t read_percent = 95, write_percent = 95;  ///< percentage of requests that meet the target
  std::int64_t read_latency_us = 3000, write_latency_us = 3000;
  bool own_model = false;
  /// What the disk can do: bytes, sequential and random operations per second, for reads, then for writes. 0:
  /// not given.
  std::array<std::int64_t, 6> model{};
  bool operator==(const DiskCost&) const = default;
};

class CostPlan {
 public:
  struct Setting {
    DiskCost cost{};
    bool hold = false;  ///< leave this disk as it is
    Reason why{};
  };
  std::uint8_t by = 0;  ///< the policy, by its position in the registry

  void clear() { settings_.clear(); }
  void want(const DiskCost& cost, const Reason& why) { settings_.push_back({cost, false, why}); }
  void hold(DiskNumber disk) { settings_.push_back({{.disk = disk}, true, {}}); }
  [[nodiscard]] const std::vector<Setting>& settings() const { return settings_; }

 private:
  std::vector<Setting> settings_{};
};

// The network plan: classes with their guaranteed and maximum rates, and which pods' packets belong to which.
// Keeps its memory from tick to tick. Does not know queues or packets.

/// The lowest rate of any class: the kernel's queues need more than zero.
inline constexpr BitRate kLeastNetworkRate{8000};

/// In the order in which they are served while bandwidth is left beyond the guarantees.
enum class NetworkClass : std::uint8_t { system, lsr, ls, be };
inline constexpr std::size_t kNetworkClasses = 4;

struct NetworkShare {
  BitRate egress_request{}, egress_limit{};
  std::optional<BitRate> ingress_limit{};  ///< absent: unlimited
  bool operator==(const NetworkShare&) const = default;
};

struct NetworkMember {
  CgroupId cgroup{};
  NetworkClass of = NetworkClass::system;
  bool by_cgroup = false;  ///< it has the node's addresses: its packets are matched by process
  std::span<const IpAddress> addresses{};
  std::optional<BitRate> egress_limit{}, ingress_limit{};  ///< its own
};

struct NetworkPlan {
  enum class State : std::uint8_t {
    off,   ///< no policy needs it: our queues are removed
    hold,  ///< not enough is known: our queues stay as they are
    on
  };
  State state = State::off;
  std::uint8_t by = 0;       ///< the policy, by its position in the registry
  const char* why_not = "";  ///< hold: what is missing, if worth reporting
  const NetworkLink* link = nullptr;
  BitRate total{};
  std::array<NetworkShare, kNetworkClasses> classes{};
  std::vector<NetworkMember> members{};

  void clear() {
    state = State::off;
    why_not = "";
    link = nullptr;
    members.clear();
  }
};

}  // namespace evenkeel::decide
