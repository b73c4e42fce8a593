// The seam between deciding and touching for the network: a tree of queues on an interface (HTB), and rules
// that say whose packets go into which. The real one asks the kernel by netlink; tests put a model of it
// here. May not: decide who gets what.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cgroup/base/result.h"
#include "qos/model/network.h"

namespace evenkeel::network {

/// "e7e1:": the number of our queue; its classes are e7e1:MINOR.
inline constexpr std::uint32_t kOurQdisc = 0xE7E10000;

struct RootQdisc {
  std::string kind{};
  std::uint32_t handle = 0;  ///< 0: what the kernel puts there by itself
};

/// A class of tc-htb(8).
struct HtbClass {
  std::uint16_t minor = 0;
  std::uint16_t parent = 0;  ///< 0: the queue itself
  BitRate rate{}, ceil{};
  std::uint8_t priority = 0;  ///< who is served first while there is something left; leaves only
  bool operator==(const HtbClass&) const = default;
};

/// Whose packets: of an address, or of the processes in a cgroup of the unified hierarchy.
struct PacketRule {
  bool by_cgroup = false;
  std::uint64_t cgroup = 0;  ///< the inode of its directory
  std::uint32_t level = 0;   ///< how deep it lies below the hierarchy's root
  IpAddress address{};
  std::uint16_t minor = 0;               ///< the class of what is sent
  int class_limit = -1, own_limit = -1;  ///< of what comes in: positions in PacketRules::limits; -1: none
  bool operator==(const PacketRule&) const = default;
};

struct PacketRules {
  int link = 0;
  std::vector<BitRate> limits{};
  std::vector<PacketRule> rules{};
  bool operator==(const PacketRules&) const = default;
};

class NetworkPort {
 public:
  virtual ~NetworkPort() = default;
  virtual Result<RootQdisc> root_qdisc(int link) = 0;
  /// An HTB as the interface's root, with our number; packets that no rule names go into `fallback`.
  virtual Result<> make_qdisc(int link, std::uint16_t fallback) = 0;
  /// Ours; what the kernel puts there by itself is there again.
  virtual Result<> remove_qdisc(int link) = 0;
  /// New, or with other rates.
  virtual Result<> put_class(int link, const HtbClass& wanted) = 0;
  virtual Result<> remove_class(int link, std::uint16_t minor) = 0;
  /// A class without children from now on sends its flows in turns and holds no long queue (fq_codel, RFC
  /// 8290); gone with the class.
  virtual Result<> add_fair_queue(int link, std::uint16_t minor) = 0;
  /// All of them in place of the last ones, in one step.
  virtual Result<> put_rules(const PacketRules& wanted) = 0;
  virtual Result<> remove_rules() = 0;
  /// Whether levels of cgroups mean to the kernel what they mean to us.
  [[nodiscard]] virtual bool supports_cgroup_match() const = 0;
  /// What the kernel had to say about the last refusal; usually nothing.
  [[nodiscard]] virtual std::string words() const = 0;
};

}  // namespace evenkeel::network
