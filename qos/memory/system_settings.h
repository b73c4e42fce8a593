// Policy "system-settings": systemStrategy, the levers of the whole machine (vm.min_free_kbytes and
// vm.watermark_scale_factor of Documentation/admin-guide/sysctl/vm.rst, switches of vendor kernels). Unlike
// Koordinator, it restores the original values, and a size out of bounds becomes the nearest sensible one
// instead of nothing.
#pragma once

#include "qos/decide/policy.h"

namespace evenkeel::memory {

/// `factor` ten-thousandths of memory, in KiB, within 10 MiB to 10 GiB and never more than a tenth of memory.
std::int64_t min_free_kbytes(Bytes memory, std::int64_t factor);

using SystemSettingsPolicy = decide::Policy<decide::NoState>;
extern const SystemSettingsPolicy system_settings_policy;

}  // namespace evenkeel::memory
