// Lines of io.cost.qos and io.cost.model: as we order them, and in a form in which two can be compared and
// one can be written back. May not: touch a file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "qos/decide/disk_cost.h"

namespace evenkeel {

/// "8:16 enable=1 ctrl=user rpct=95 rlat=3000 wpct=95 wlat=3000"
std::string cost_qos_line(const decide::DiskCost& cost);
/// "8:16 ctrl=auto", or "8:16 ctrl=user rbps=… rseqiops=…" with what is said.
std::string cost_model_line(const decide::DiskCost& cost);

/// What stands for a disk without a line: "enable=0 ctrl=auto", "ctrl=auto".
std::string_view default_cost_line(std::string_view name);
bool is_cost_file(std::string_view name);
/// The disk's line so that writing it gives the same again: numbers that the kernel chose itself are left
/// out, since writing one would make it ours.
std::string restorable_cost_line(std::string_view name, std::uint32_t device, std::string_view whole);
/// Whether two lines say the same as far as both say something ("95" is "95.00").
bool same_cost(std::string_view a, std::string_view b);

}  // namespace evenkeel
