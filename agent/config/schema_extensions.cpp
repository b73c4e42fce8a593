#include "agent/config/schema.h"

namespace evenkeel::config {
namespace {

using namespace schema;

using C = ColocationStrategy;
constexpr std::string_view kCpuWords[] = {"usage", "maxUsageRequest", "request"};
constexpr std::string_view kMemoryWords[] = {"usage", "request", "maxUsageRequest"};
constexpr std::string_view kCollectWords[] = {"usageWithoutPageCache", "usageWithHotPageCache",
                                              "usageWithPageCache"};
constexpr std::string_view kReclaimWords[] = {"", "static"};
constexpr std::string_view kCounterWords[] = {"auto", "rotating", "perCPU"};
constexpr auto kWord = Kind::word_text;

constexpr Row kAggregateRows[] = {
    field<&C::metric_aggregate_durations>("durations", Kind::durations, "durations",
                                          "one percentile window each"),
};

constexpr Row kColocationRows[] = {
    toggle<&C::enable>("enable", "advertise batch and mid resources"),
    number<&C::cpu_reclaim_threshold_percent>("cpuReclaimThresholdPercent", kNotNegative,
                                              "percent of capacity",
                                              "CPU that may be lent; the rest is the safety margin"),
    number<&C::memory_reclaim_threshold_percent>("memoryReclaimThresholdPercent", kNotNegative,
                                                 "percent of capacity",
                                                 "memory that may be lent; the rest is the safety margin"),
    word<&C::cpu_calculate_policy>("cpuCalculatePolicy", kCpuWords, "what services are charged with", kWord),
    word<&C::memory_calculate_policy>("memoryCalculatePolicy", kMemoryWords, "what services are charged with",
                                      kWord),
    number<&C::batch_cpu_threshold_percent>("batchCPUThresholdPercent", kNotNegative, "percent of capacity",
                                            "most that batch-cpu may be"),
    number<&C::batch_memory_threshold_percent>("batchMemoryThresholdPercent", kNotNegative,
                                               "percent of capacity", "most that batch-memory may be"),
    number<&C::metric_aggregate_duration_seconds>("metricAggregateDurationSeconds", kPositive, "seconds",
                                                  "window of the averages behind the report"),
    number<&C::metric_report_interval_seconds>("metricReportIntervalSeconds", kPositive, "seconds",
                                               "time between two reports"),
    inline_section("metricAggregatePolicy", &rows_of<kAggregateRows>, "windows of the percentiles"),
    word<&C::metric_memory_collect_policy>("metricMemoryCollectPolicy", kCollectWords,
                                           "what counts as used memory", kWord),
    number<&C::degrade_time_minutes>("degradeTimeMinutes", kPositive, "minutes",
                                     "without measurements for so long, nothing is lent"),
    number<&C::update_time_threshold_seconds>("updateTimeThresholdSeconds", kPositive, "seconds",
                                              "a report is renewed at least so often"),
    number<&C::resource_diff_threshold>("resourceDiffThreshold", Range{0, 1}, "fraction of the value",
                                        "smaller changes are not reported", Kind::ratio),
    number<&C::mid_cpu_threshold_percent>("midCPUThresholdPercent", kNotNegative, "percent of capacity",
                                          "most that mid-cpu may be"),
    number<&C::mid_memory_threshold_percent>("midMemoryThresholdPercent", kNotNegative, "percent of capacity",
                                             "most that mid-memory may be"),
    number<&C::mid_unallocated_percent>("midUnallocatedPercent", kNotNegative,
                                        "percent of what is not requested",
                                        "part of unrequested resources that mid may have"),
    word<&C::mid_reclaim_mode>("midReclaimMode", kReclaimWords, "not set, or static: a fixed reserve", kWord),
    number<&C::mid_static_cpu_reserved_percent>("midStaticCPUReservedPercent", kPercent,
                                                "percent of capacity", "the fixed reserve"),
    number<&C::mid_static_memory_reserved_percent>("midStaticMemoryReservedPercent", kPercent,
                                                   "percent of capacity", "the fixed reserve"),
};

using E = EvenkeelSettings;
template <std::size_t kGate>
struct Gate {
  static void put(void* owner, const Content& content) {
    static_cast<E*>(owner)->feature_gates[kGate] = std::get<bool>(content);
  }
  static Content get(const void* owner) { return static_cast<const E*>(owner)->feature_gates[kGate]; }
};
template <std::size_t kGate>
constexpr Row gate(std::string_view doc) {
  return {.key = kFeatureGates[kGate], .doc = doc, .put = &Gate<kGate>::put, .get = &Gate<kGate>::get};
}
constexpr Row kGateRows[] = {
    gate<0>("evict best effort pods that are starved of CPU"),
    gate<1>("evict by priority when the node's CPU use is high"),
    gate<2>("evict by priority when CPU requests exceed what is allocatable"),
    gate<3>("evict best effort pods when the node's memory use is high"),
    gate<4>("evict by priority when the node's memory use is high"),
    gate<5>("evict by priority when memory requests exceed what is allocatable"),
    gate<6>("evict best effort pods that hurt a service again and again (interference.evictAfter)"),
};

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kMinute = 60 * kSecond;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;

using P = PredictionSettings;
template <auto Member>
constexpr Row span_of_time(std::string_view key, Range range, std::string_view doc) {
  return number<Member>(key, range, "duration", doc, Kind::duration);
}
constexpr Row kPredictionRows[] = {
    span_of_time<&P::cold_start>("coldStartDuration", Range{0, 30 * kDay},
                                 "nothing is lent from pods that are younger"),
    span_of_time<&P::least_history>("leastHistoryDuration", Range{0, 30 * kDay},
                                    "nothing is lent from pods that were watched for less"),
    number<&P::safety_margin_percent>("safetyMarginPercent", Range{0, 1000}, "percent of the peak",
                                      "added to every predicted peak"),
    span_of_time<&P::cpu_half_life>("cpuHistogramDecayHalflife", Range{kMinute, 365 * kDay},
                                    "a measurement of CPU this old counts half"),
    span_of_time<&P::memory_half_life>("memoryHistogramDecayHalflife", Range{kMinute, 365 * kDay},
                                       "a measurement of memory this old counts half"),
    span_of_time<&P::training_interval>("trainingInterval", Range{10 * kSecond, kHour},
                                        "time between two measurements that the prediction learns from"),
    span_of_time<&P::model_expiration>("modelExpirationDuration", Range{kMinute, 30 * kDay},
                                       "what learns nothing for so long is forgotten"),
    span_of_time<&P::checkpoint_interval>(
        "modelCheckpointInterval", Range{kMinute, kDay},
        "time between two copies of what was learned in the state directory"),
};

using B = MemoryPushBack;
constexpr Row kPushBackRows[] = {
    toggle<&B::enable>("enable",
                       "lower memory.high of best effort while services wait for memory (cgroup v2)"),
    number<&B::some_percent>("pressureSomePercent", Range{1, 100}, "percent of the time",
                             "some tasks of a service wait for memory (PSI some avg10)"),
    number<&B::full_percent>("pressureFullPercent", Range{1, 100}, "percent of the time",
                             "all tasks of a service wait for memory (PSI full avg10)"),
    number<&B::free_percent>("freePercent", kPercent, "percent of the node's memory",
                             "with more of it free (MemFree), services wait for other reasons"),
    number<&B::available_percent>("availablePercent", kPercent, "percent of the node's memory",
                                  "with less of it available (MemAvailable), the node is short in any case"),
    number<&B::step_percent>(
        "stepPercent", Range{1, 50}, "percent of what best effort has",
        "taken from it every two seconds, down to what is protected or cannot be given back"),
};

using R = ResctrlDynamic;
constexpr Row kResctrlRows[] = {
    toggle<&R::enable>("enable", "what resctrlQOS grants best effort is the most; less while that is short"),
    number<&R::memory_bandwidth_per_second>(
        "memoryBandwidthBytesPerSecond", kAnyCount, "bytes",
        "what one memory (the CPUs at one last-level cache) can move in a "
        "second; measure it, STREAM for example; 0: mbaPercent stays as it is",
        Kind::bytes),
    number<&R::high_percent>("highPercent", Range{1, 100}, "percent of memoryBandwidthBytesPerSecond",
                             "with more in use best effort is cut at once"),
    number<&R::low_percent>("lowPercent", Range{1, 100}, "percent of memoryBandwidthBytesPerSecond",
                            "with less in use best effort gets some of it back every six seconds"),
    number<&R::least_mba_percent>("leastMbaPercent", Range{1, 100}, "percent of the memory bandwidth",
                                  "that best effort keeps"),
    toggle<&R::cache_ways>("cacheWays",
                           "catRangeEndPercent is steered, too, by services' cache misses (with "
                           "interference.enable and hardware counters)"),
    number<&R::high_miss_percent>("highMissPercent", Range{101, 10000}, "percent of their usual misses",
                                  "services that miss more have best effort's ways cut, step by step"),
    number<&R::low_miss_percent>("lowMissPercent", Range{100, 10000}, "percent of their usual misses",
                                 "while they miss less it gets them back, one by one"),
    number<&R::least_misses_per_million>("leastMissesPerMillion", Range{0, 1'000'000},
                                         "misses in a million instructions", "fewer do not matter"),
    number<&R::least_cat_percent>("leastCatPercent", Range{1, 100}, "percent of the cache",
                                  "that best effort keeps; at least one way"),
};

using G = GivenNormal;
constexpr std::string_view kSignalWords[] = {kSignalTraits[0].name, kSignalTraits[1].name,
                                             kSignalTraits[2].name, kSignalTraits[3].name,
                                             kSignalTraits[4].name};
static_assert(std::size(kSignalWords) == kSignals);
constexpr Range kSignalRange{0, 1000};
constexpr std::string_view kSignalUnit = "the signal's unit, as /v1/interference shows it";
constexpr Row kGivenNormalRows[] = {
    with_example(field<&G::workload>("workload", Kind::text, "",
                                     "namespace/owner/container, or host/NAME of a host application"),
                 "shop/web/server"),
    field<&G::cpu_model>(
        "cpuModel", Kind::text, "",
        "counts of cycles hold on these CPUs only, as /proc/cpuinfo names them; not set: on any"),
    word<&G::signal>("signal", kSignalWords, "what it is about"),
    with_example(number<&G::usual>("usual", kSignalRange, kSignalUnit, "the median", Kind::ratio), "1.2"),
    with_example(number<&G::deviation>("deviation", kSignalRange, kSignalUnit,
                                       "how far samples spread upwards", Kind::ratio),
                 "0.1"),
    number<&G::samples>("samples", Range{1, 1'000'000}, "samples",
                        "that this is worth beside the node's own"),
};

using I = InterferenceSettings;
constexpr Row kInterferenceRows[] = {
    toggle<&I::enable>("enable", "measure who waits and who is slowed, learn what is normal, report"),
    toggle<&I::act>("act", "limit for a while who was found to hurt a service; else it is only told"),
    toggle<&I::run_queue>("runQueue", "measure waits for a CPU and who had it meanwhile (BPF)"),
    toggle<&I::counters>("counters", "measure cycles per instruction (hardware counters)"),
    word<&I::counter_backend>("counterBackend", kCounterWords,
                              "how: perCPU, all containers at once by a program in the kernel (BPF); "
                              "rotating, some in turn; auto, perCPU where that works"),
    span_of_time<&I::counter_window>("counterWindow", Range{kSecond, 10 * kMinute},
                                     "each container is counted for so long"),
    span_of_time<&I::counter_period>("counterPeriod", Range{kSecond, kHour},
                                     "once in this time; not shorter than counterWindow"),
    number<&I::most_counter_descriptors>(
        "mostCounterDescriptors", Range{8, 1'000'000}, "descriptors",
        "held at the same time: two to five per CPU, rotating for each container"),
    span_of_time<&I::stall_window>("stallWindow", Range{kSecond, 10 * kMinute},
                                   "waits and stalls become one sample in this time"),
    number<&I::cap_percent>("capPercent", Range{1, 100}, "percent of what it used",
                            "CPU that an antagonist may use while it is limited"),
    number<&I::least_cpu>("leastCPUMilli", Range{10, 1'000'000}, "thousandths of a CPU",
                          "but never less: its liveness probes must be answered"),
    number<&I::cap_cache_percent>("capCachePercent", Range{1, 100}, "percent of the whole",
                                  "last-level cache and memory bandwidth that it keeps, where resctrl is"),
    number<&I::cap_memory_percent>("capMemoryPercent", Range{50, 100}, "percent of what it has",
                                   "memory.high of who makes a service reclaim"),
    span_of_time<&I::cap_lease>("capLease", Range{kSecond, kHour},
                                "a limit lasts so long; it ends at once when it does not help"),
    number<&I::evict_after>("evictAfter", Range{1, 1000}, "limits that helped, within a day",
                            "before the pod is asked to go (featureGates.InterferenceEvict)"),
    toggle<&I::causal_test>("causalTest",
                            "where measured waits name nobody: hold a suspect back in turns and see"),
    number<&I::test_percent>("testPercent", Range{1, 90}, "percent of what it used",
                             "CPU that a suspect may use in the turns in which a test holds it back"),
    number<&I::most_tests_per_day>("mostTestsPerDay", Range{1, 10'000}, "tests", "on this node within a day"),
    list<&I::models>("models", &rows_of<kGivenNormalRows>,
                     "what is normal where the node has not learned it yet"),
};

constexpr Range kUpToAnHour{0, kHour};
constexpr Row kEvenkeelRows[] = {
    toggle<&E::hands_off>("handsOff", "write nothing on this node, and put back what was written"),
    toggle<&E::cpusets>("cpusets",
                        "containers on the CPUs that the scheduler gave their pod, services on the rest"),
    toggle<&E::batch_resources>("batchResources",
                                "shares, quota and memory limit for pods that run on lent resources"),
    toggle<&E::cpu_normalization>(
        "cpuNormalization",
        "divide services' CPU quotas by the Node's node.koordinator.sh/cpu-normalization-ratio"),
    number<&E::suppress_recovery>("suppressRecovery", kUpToAnHour, "duration",
                                  "best effort may rise only to the least it was granted over this time",
                                  Kind::duration),
    number<&E::suppress_dwell>("suppressDwell", kUpToAnHour, "duration",
                               "least time between two small changes of best effort's allowance",
                               Kind::duration),
    number<&E::burst_growth_budget_percent>("burstGrowthBudgetPercent", Range{0, 10000},
                                            "percent of the node's CPU",
                                            "quota that all pods together may gain in one second"),
    number<&E::reclaim_per_second>("reclaimBytesPerSecond", kAnyCount, "bytes",
                                   "memory that all containers together are asked for in one second by "
                                   "memory.reclaim; 0 is none",
                                   Kind::bytes),
    toggle<&E::kill_without_api>("killWithoutApi",
                                 "where no API server is configured, evict by ending a pod's processes"),
    inline_section("featureGates", &rows_of<kGateRows>, "triggers of eviction"),
    section<&E::prediction>("prediction", &rows_of<kPredictionRows>,
                            "peaks of services, predicted from their past: what mid pods may borrow"),
    section<&E::memory_push_back>("memoryPushBack", &rows_of<kPushBackRows>,
                                  "before anybody has to be evicted: best effort gives up memory"),
    section<&E::resctrl_dynamic>("resctrlDynamic", &rows_of<kResctrlRows>,
                                 "beClass.resctrlQOS steered by what is measured"),
    section<&E::interference>("interference", &rows_of<kInterferenceRows>, "who hurts whom"),
    section<&E::brake>("brake", &brake_rows, "in milliseconds, until the slow loops have seen it"),
};

constexpr Row kExtensionRows[] = {
    section<&NodeSlo::colocation>("colocation", &colocation_rows,
                                  "Koordinator's colocation-config: how much is lent out"),
    section<&NodeSlo::evenkeel>("evenkeel", &rows_of<kEvenkeelRows>, "settings of this agent"),
};

}  // namespace

std::span<const Row> extension_rows() { return kExtensionRows; }

std::span<const Row> colocation_rows() { return kColocationRows; }

}  // namespace evenkeel::config
