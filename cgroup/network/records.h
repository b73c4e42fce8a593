// Names of the agent's network changes in the journal: "net/LINK/qdisc" with the interface's index, and
// "net/rules". Does not read the journal.
#pragma once

#include <string_view>

#include "cgroup/network/kernel_port.h"

namespace evenkeel::network {

inline constexpr std::string_view kNetworkRecords = "net/", kNetworkQdisc = "/qdisc",
                                  kNetworkRules = "net/rules";

inline bool is_ours(const RootQdisc& qdisc) { return qdisc.kind == "htb" && qdisc.handle == kOurQdisc; }

}  // namespace evenkeel::network
