#include "agent/config/schema.h"

namespace evenkeel::config {

namespace {

using namespace schema;
using T = ThresholdStrategy;

constexpr std::string_view kSuppressWords[] = {"cpuset", "cfsQuota", "auto"};
constexpr std::string_view kEvictWords[] = {"evictByRealLimit", "evictByAllocatable"};
constexpr Range kPriority{INT32_MIN, INT32_MAX};

constexpr Row kRows[] = {
    toggle<&T::enable>("enable", "suppress the CPU use of best effort; eviction also needs its feature gate"),
    number<&T::cpu_suppress_threshold_percent>("cpuSuppressThresholdPercent", kPercent,
                                               "percent of the node's CPU",
                                               "CPU use of the whole node to stay below with cfsQuota and "
                                               "cpuset; best effort gets what services leave"),
    number<&T::cpu_suppress_min_percent>("cpuSuppressMinPercent", kPercent, "percent of the node's CPU",
                                         "CPU that best effort keeps even when the node is fully used"),
    word<&T::cpu_suppress_policy>(
        "cpuSuppressPolicy", kSuppressWords,
        "how best effort is limited: cpuset; cfsQuota (on EEVDF kernels only with longer request sizes, else "
        "cpuset); auto: the kernel's weights alone, cpuset in fork storms"),
    number<&T::memory_evict_threshold_percent>(
        "memoryEvictThresholdPercent", kPercent, "percent of the node's memory",
        "memory use that starts eviction; above memoryEvictLowerPercent"),
    number<&T::memory_evict_lower_percent>("memoryEvictLowerPercent", kPercent,
                                           "percent of the node's memory",
                                           "evict until use is below this; not set: the threshold minus 2"),
    number<&T::memory_allocatable_evict_threshold_percent>(
        "memoryAllocatableEvictThresholdPercent", kNotNegative,
        "percent of the Node's batch-memory or mid-memory",
        "requested batch-memory or mid-memory that starts eviction; needs the lower percentage and "
        "allocatableEvictPriorityThreshold"),
    number<&T::memory_allocatable_evict_lower_percent>("memoryAllocatableEvictLowerPercent", kNotNegative,
                                                       "percent of the Node's batch-memory or mid-memory",
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
    number<&T::cpu_allocatable_evict_threshold_percent>(
        "cpuAllocatableEvictThresholdPercent", kNotNegative, "percent of the Node's batch-cpu or mid-cpu",
        "requested batch-cpu or mid-cpu that starts eviction; needs the lower "
        "percentage and allocatableEvictPriorityThreshold"),
    number<&T::cpu_allocatable_evict_lower_percent>("cpuAllocatableEvictLowerPercent", kNotNegative,
                                                    "percent of the Node's batch-cpu or mid-cpu",
                                                    "evict until requests are below this"),
    word<&T::cpu_evict_policy>(
        "cpuEvictPolicy", kEvictWords,
        "what best effort's CPU is compared with: its real limit or its allocatable amount"),
    number<&T::evict_enabled_priority_threshold>("evictEnabledPriorityThreshold", kPriority, "pod priority",
                                                 "highest priority that eviction by use may choose"),
    number<&T::allocatable_evict_priority_threshold>("allocatableEvictPriorityThreshold", Range{0, 7999},
                                                     "pod priority",
                                                     "highest priority that eviction by requests may choose"),
};

}  // namespace

std::span<const Row> threshold_rows() { return kRows; }

namespace {

using namespace schema;

constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::int64_t kSecond = 1000 * kMillisecond;

using B = BrakeSettings;
constexpr Row kBrakeRows[] = {
    toggle<&B::enable>("enable",
                       "cut best effort for a short time as soon as a service waits for CPU or memory"),
    toggle<&B::run_queue>(
        "runQueue",
        "also detect by BPF, where available, that a service waits for a CPU that best effort uses"),
    number<&B::window>("window", Range{50 * kMillisecond, 10 * kSecond}, "duration",
                       "PSI window, raised to the kernel's minimum: 500ms before Linux 6.4, 2s without "
                       "CAP_SYS_RESOURCE (before Linux 6.5 none then); the run queue uses half of it",
                       Kind::duration),
    number<&B::cpu_pressure_percent>("cpuPressurePercent", Range{1, 100}, "percent of the window",
                                     "brake when tasks of a service wait for a CPU this long (PSI some; "
                                     "run queue: for one that best effort uses)"),
    number<&B::memory_pressure_percent>("memoryPressurePercent", Range{1, 100}, "percent of the window",
                                        "brake when tasks of a service wait for memory this long (PSI some)"),
    number<&B::cpu_percent>("cpuPercent", Range{1, 100}, "percent of the node's CPU",
                            "CPU that best effort keeps while braked"),
    number<&B::least_cpu_per_pod>("leastMilliCPUPerPod", Range{0, 1'000'000}, "thousandths of a CPU",
                                  "minimum for each best effort pod that uses more than 2 ms of CPU a "
                                  "second, and for the others together, "
                                  "so that their probes are answered"),
    number<&B::lease>("lease", Range{100 * kMillisecond, 30 * kSecond}, "duration",
                      "time after the last alarm at which the brake is released", Kind::duration),
    number<&B::max_duty_percent>("maxDutyPercent", Range{1, 100}, "percent of any minute",
                                 "maximum time that best effort may be braked"),
};

using Pr = ProofSettings;
constexpr Row kProofRows[] = {
    toggle<&Pr::enable>(
        "enable", "withhold one lever after the other for some seconds, and compare what services feel"),
    number<&Pr::budget_percent>("budgetPercent", Range{1, 20}, "percent of any hour",
                                "time in which a lever is withheld for a test"),
    toggle<&Pr::withdraw>("withdraw", "withhold a lever for good when it was found to harm services"),
};

using Q = RequestSizeSettings;
constexpr Row kRequestSizeRows[] = {
    toggle<&Q::enable>("enable", "set request sizes where the kernel has them (EEVDF, Linux 6.12)"),
    span_of_time<&Q::best_effort>(
        "bestEffort", Range{0, 100'000'000},
        "request size of best effort's tasks, 100us to 100ms; 0s: the kernel's own"),
    span_of_time<&Q::services>("services", Range{0, 100'000'000},
                               "request size of services' tasks, 100us to 100ms; 0s: the kernel's own"),
};

using C = ContentionSettings;
constexpr std::int64_t kMinute = 60 * kSecond, kHour = 60 * kMinute;
constexpr Row kContentionRows[] = {
    toggle<&C::enable>("enable", "publish the Node condition EvenkeelContended while it lasts"),
    toggle<&C::taint>("taint",
                      "also keep the taint evenkeel.io/contended:PreferNoSchedule on the Node; needs the "
                      "right to patch nodes"),
    number<&C::cpu_percent>(
        "cpuPercent", Range{0, 100}, "percent of the time",
        "a service waits for a CPU longer than its own quotas explain; 0: does not count"),
    number<&C::memory_percent>(
        "memoryPercent", Range{0, 100}, "percent of the time",
        "a service that is not near its own limit waits for memory; 0: does not count"),
    number<&C::io_percent>("ioPercent", Range{0, 100}, "percent of the time",
                           "a service without limits on disks waits for disks; 0: does not count"),
    span_of_time<&C::raise_after>("raiseAfter", Range{10 * kSecond, kHour},
                                  "time at a threshold after which the contention is published"),
    span_of_time<&C::clear_after>(
        "clearAfter", Range{kMinute, 24 * kHour},
        "time below three quarters of all thresholds after which the contention is withdrawn"),
};

}  // namespace

std::span<const Row> brake_rows() { return kBrakeRows; }
std::span<const Row> proof_rows() { return kProofRows; }
std::span<const Row> request_size_rows() { return kRequestSizeRows; }
std::span<const Row> contention_rows() { return kContentionRows; }

}  // namespace evenkeel::config
