// Packet rules as messages for nf_tables: one table of ours, in which maps lead from addresses and cgroups to
// classes and limits (nft(8); Documentation of the kernel: include/uapi/linux/netfilter/nf_tables.h).
// May not: send anything.
#pragma once

#include <vector>

#include "cgroup/network/kernel_port.h"
#include "cgroup/network/netlink.h"

namespace evenkeel::network {

/// Makes the table, in place of an earlier one of ours where `replaces`. `owned`: the kernel itself takes it
/// away when the socket closes (Linux 5.12).
std::vector<NetlinkMessage> messages_to_put(const PacketRules& rules, bool replaces, bool owned);
std::vector<NetlinkMessage> messages_to_remove();
/// Makes another table and takes it away in the same step.
std::vector<NetlinkMessage> messages_to_try();

}  // namespace evenkeel::network
