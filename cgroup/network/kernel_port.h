// The interface to the kernel's network: a tree of queues on an interface (HTB), and rules that map packets
// to them. Does not decide how bandwidth is shared. KernelNetworkPort uses netlink; tests use a model of the
// kernel.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cgroup/base/result.h"
#include "qos/model/io_limits.h"

namespace evenkeel::network {

/// "e7e1:": the handle of the agent's queue; its classes are e7e1:MINOR.
inline constexpr std::uint32_t kOurQdisc = 0xE7E10000;

struct RootQdisc {
  std::string kind{};
  std::uint32_t handle = 0;  ///< 0: the kernel's default queue
};

/// A class of tc-htb(8).
struct HtbClass {
  std::uint16_t minor = 0;
  std::uint16_t parent = 0;  ///< 0: the queue itself
  BitRate rate{}, ceil{};
  std::uint8_t priority = 0;  ///< the order in which classes get spare bandwidth; leaves only
  bool operator==(const HtbClass&) const = default;
};

/// Matches packets of an address, or of the processes in a cgroup of the unified hierarchy.
struct PacketRule {
  bool by_cgroup = false;
  std::uint64_t cgroup = 0;  ///< the inode of its directory
  std::uint32_t level = 0;   ///< its depth below the hierarchy's root
  IpAddress address{};
  std::uint16_t minor = 0;               ///< the class of sent packets
  int class_limit = -1, own_limit = -1;  ///< for received packets: positions in PacketRules::limits; -1: none
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
  /// Adds an HTB as the interface's root, with the agent's handle; packets that no rule matches go into
  /// `fallback`.
  virtual Result<> make_qdisc(int link, std::uint16_t fallback) = 0;
  /// Removes the agent's; the kernel then installs its default again.
  virtual Result<> remove_qdisc(int link) = 0;
  /// Adds a class, or changes its rates.
  virtual Result<> put_class(int link, const HtbClass& wanted) = 0;
  virtual Result<> remove_class(int link, std::uint16_t minor) = 0;
  /// Makes a class without children serve its flows in turns with a short queue (fq_codel, RFC 8290); removed
  /// with the class.
  virtual Result<> add_fair_queue(int link, std::uint16_t minor) = 0;
  /// Replaces all previous rules, in one transaction.
  virtual Result<> put_rules(const PacketRules& wanted) = 0;
  virtual Result<> remove_rules() = 0;
  /// Whether they are still there: a firewall may flush all rules of the node.
  virtual Result<bool> has_rules() = 0;
  /// Whether the kernel counts cgroup levels as the agent does.
  [[nodiscard]] virtual bool supports_cgroup_match() const = 0;
  /// The kernel's message for the last refusal; usually empty.
  [[nodiscard]] virtual std::string words() const = 0;
};

}  // namespace evenkeel::network
