// The network interface to the real kernel: HTB by rtnetlink, packet rules by nf_tables. Does not decide
// anything.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cgroup/base/host.h"
#include "cgroup/network/kernel_port.h"
#include "cgroup/network/netlink.h"

namespace evenkeel::network {

/// The nf_tables messages for packet rules: one table, in which maps lead from addresses and cgroups to
/// classes and limits (nft(8); include/uapi/linux/netfilter/nf_tables.h of the kernel). Creates the table, in
/// place of an earlier one of the agent where `replaces`. `owned`: the kernel removes it when the socket
/// closes (Linux 5.12).
std::vector<NetlinkMessage> messages_to_put(const PacketRules& rules, bool replaces, bool owned);
std::vector<NetlinkMessage> messages_to_remove();
/// Acknowledged if the table exists; else ENOENT.
NetlinkMessage message_to_find();
/// Creates another table and removes it in the same transaction.
std::vector<NetlinkMessage> messages_to_try();

/// The root queue of the interface, if this message of a dump of queues (RTM_NEWQDISC) is about it.
std::optional<RootQdisc> root_qdisc_in(const nlmsghdr& message, int link);

class KernelNetworkPort final : public NetworkPort {
 public:
  /// Below a fake root, and in a network namespace other than the node's, every call is refused. Opens no
  /// socket before the first call. `host` must outlive it.
  explicit KernelNetworkPort(const Host& host);

  Result<RootQdisc> root_qdisc(int link) override;
  Result<> make_qdisc(int link, std::uint16_t fallback) override;
  Result<> remove_qdisc(int link) override;
  Result<> put_class(int link, const HtbClass& wanted) override;
  Result<> remove_class(int link, std::uint16_t minor) override;
  Result<> add_fair_queue(int link, std::uint16_t minor) override;
  Result<> put_rules(const PacketRules& wanted) override;
  Result<> remove_rules() override;
  Result<bool> has_rules() override;
  /// Adds rules and removes them, in one transaction.
  Result<> try_rules();
  /// Checks again at each call.
  [[nodiscard]] bool supports_cgroup_match() const override;
  [[nodiscard]] std::string words() const override { return words_; }

 private:
  Result<> route(const NetlinkMessage& message);
  Result<> filter(std::vector<NetlinkMessage> messages);
  /// A socket's result, with the kernel's message.
  Result<> with(std::optional<NetlinkSocket>& socket, int protocol,
                const std::function<Result<>(NetlinkSocket&)>& f);

  const Host& host_;
  std::string unavailable_reason_{};                 ///< not empty: every call is refused
  std::optional<NetlinkSocket> route_{}, filter_{};  ///< an owned table (Linux 5.12) ends with filter_
  bool has_table_ = false, owned_ = true;
  std::string words_{};
};

/// Empty: rules can be made here; else why not. Tries it, and leaves nothing behind.
std::string network_unavailable_reason(const Host& host);

}  // namespace evenkeel::network
