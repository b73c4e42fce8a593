// Builds the nf_tables messages for packet rules: one table, in which maps lead from addresses and cgroups to
// classes and limits (nft(8); Documentation of the kernel: include/uapi/linux/netfilter/nf_tables.h). Does
// not send anything.
#pragma once

#include <vector>

#include "cgroup/network/kernel_port.h"
#include "cgroup/network/netlink.h"

namespace evenkeel::network {

/// Creates the table, in place of an earlier one of the agent where `replaces`. `owned`: the kernel removes
/// it when the socket closes (Linux 5.12).
std::vector<NetlinkMessage> messages_to_put(const PacketRules& rules, bool replaces, bool owned);
std::vector<NetlinkMessage> messages_to_remove();
/// Creates another table and removes it in the same transaction.
std::vector<NetlinkMessage> messages_to_try();

}  // namespace evenkeel::network
