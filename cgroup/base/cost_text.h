// Formats lines of io.cost.qos and io.cost.model for writing, compares two of them, and turns a line read
// into one that can be written back. Does not touch files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "qos/decide/io_plan.h"

namespace evenkeel {

/// "8:16 enable=1 ctrl=user rpct=95 rlat=3000 wpct=95 wlat=3000"
std::string cost_qos_line(const decide::DiskCost& cost);
/// "8:16 ctrl=auto", or "8:16 ctrl=user rbps=… rseqiops=…" with the given numbers.
std::string cost_model_line(const decide::DiskCost& cost);

/// The default that an absent line stands for: "enable=0 ctrl=auto", "ctrl=auto".
std::string_view default_cost_line(std::string_view name);
bool is_cost_file(std::string_view name);
/// The disk's line such that writing it restores the same state: numbers that the kernel chose itself are
/// left out, since a written number counts as the user's.
std::string restorable_cost_line(std::string_view name, std::uint32_t device, std::string_view whole);
/// Whether two lines agree on every key that both have ("95" equals "95.00").
bool same_cost(std::string_view a, std::string_view b);

}  // namespace evenkeel
