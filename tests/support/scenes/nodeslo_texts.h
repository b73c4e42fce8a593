// NodeSLO texts that several tests read.
#pragma once

#include <string>

namespace evenkeel::test {

/// Uses every section of the schema, as a whole NodeSLO object.
std::string full_nodeslo();

/// Suppression by quota, burst, and cpu.idle of best-effort pods.
inline constexpr const char* kCpuFeatures =
    "resourceUsedThresholdWithBE: {enable: true, cpuSuppressThresholdPercent: 65, cpuSuppressPolicy: "
    "cfsQuota}\n"
    "cpuBurstStrategy: {policy: auto, cpuBurstPercent: 100}\n"
    "resourceQOSStrategy: {beClass: {cpuQOS: {enable: true}}}\n";

}  // namespace evenkeel::test
