#include "agent/config/schema.h"

namespace evenkeel::config {
namespace {

using namespace schema;
using T = ThresholdStrategy;

constexpr std::string_view kSuppressWords[] = {"cpuset", "cfsQuota"};
constexpr std::string_view kEvictWords[] = {"evictByRealLimit", "evictByAllocatable"};
constexpr Range kPriority{INT32_MIN, INT32_MAX};

constexpr Row kRows[] = {
    toggle<&T::enable>("enable", "suppress the CPU use of best effort; eviction also needs its feature gate"),
    number<&T::cpu_suppress_threshold_percent>(
        "cpuSuppressThresholdPercent", kPercent, "percent of the node's CPU",
        "CPU use of the whole node to stay below; best effort gets what services leave"),
    number<&T::cpu_suppress_min_percent>("cpuSuppressMinPercent", kPercent, "percent of the node's CPU",
                                         "CPU that best effort keeps even when the node is fully used"),
    word<&T::cpu_suppress_policy>(
        "cpuSuppressPolicy", kSuppressWords,
        "limit best effort by cpuset or by CFS quota; its host applications always by quota"),
    number<&T::memory_evict_threshold_percent>(
        "memoryEvictThresholdPercent", kPercent, "percent of the node's memory",
        "memory use that starts eviction; above memoryEvictLowerPercent"),
    number<&T::memory_evict_lower_percent>("memoryEvictLowerPercent", kPercent,
                                           "percent of the node's memory",
                                           "evict until use is below this; not set: the threshold minus 2"),
    number<&T::memory_allocatable_evict_threshold_percent>(
        "memoryAllocatableEvictThresholdPercent", kNotNegative, "percent of allocatable memory",
        "requested memory that starts eviction; needs the lower percentage and "
        "allocatableEvictPriorityThreshold"),
    number<&T::memory_allocatable_evict_lower_percent>("memoryAllocatableEvictLowerPercent", kNotNegative,
                                                       "percent of allocatable memory",
                                                       "evict until requests are below this"),
    number<&T::cpu_evict_be_satisfaction_upper_percent>(
        "cpuEvictBESatisfactionUpperPercent", kPercent, "percent of requested CPU",
        "evict until best effort gets at least this share of its requests"),
    number<&T::cpu_evict_be_satisfaction_lower_percent>(
        "cpuEvictBESatisfactionLowerPercent", kPercent, "percent of requested CPU",
        "best effort counts as starved below this share of its requests"),
    number<&T::cpu_evict_be_usage_threshold_percent>(
        "cpuEvictBEUsageThresholdPercent", kPercent, "percent of best effort's limit",
        "minimum use for best effort to count as starved; not set: 90"),
    number<&T::cpu_evict_time_window_seconds>("cpuEvictTimeWindowSeconds", kPositive, "seconds",
                                              "averaging window for eviction by CPU; not set: 10"),
    number<&T::cpu_evict_threshold_percent>("cpuEvictThresholdPercent", kPercent, "percent of the node's CPU",
                                            "CPU use that starts eviction by priority"),
    number<&T::cpu_evict_lower_percent>("cpuEvictLowerPercent", kPercent, "percent of the node's CPU",
                                        "evict until use is below this; not set: the threshold minus 2"),
    number<&T::cpu_allocatable_evict_threshold_percent>("cpuAllocatableEvictThresholdPercent", kNotNegative,
                                                        "percent of allocatable CPU",
                                                        "requested CPU that starts eviction; needs the lower "
                                                        "percentage and allocatableEvictPriorityThreshold"),
    number<&T::cpu_allocatable_evict_lower_percent>("cpuAllocatableEvictLowerPercent", kNotNegative,
                                                    "percent of allocatable CPU",
                                                    "evict until requests are below this"),
    word<&T::cpu_evict_policy>("cpuEvictPolicy", kEvictWords,
                               "what best effort's CPU is compared with: its real limit or its allocatable"),
    number<&T::evict_enabled_priority_threshold>("evictEnabledPriorityThreshold", kPriority, "pod priority",
                                                 "highest priority that eviction by use may choose"),
    number<&T::allocatable_evict_priority_threshold>("allocatableEvictPriorityThreshold", Range{0, 7999},
                                                     "pod priority",
                                                     "highest priority that eviction by requests may choose"),
};

}  // namespace

std::span<const Row> threshold_rows() { return kRows; }

}  // namespace evenkeel::config
