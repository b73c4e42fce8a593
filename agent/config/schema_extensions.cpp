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
                                          "one percentile per window"),
};

constexpr Row kColocationRows[] = {
    toggle<&C::enable>("enable", "advertise batch and mid resources"),
    number<&C::cpu_reclaim_threshold_percent>(
        "cpuReclaimThresholdPercent", kNotNegative, "percent of capacity",
        "CPU that services and lent CPU may use together; the rest is the safety margin"),
    number<&C::memory_reclaim_threshold_percent>(
        "memoryReclaimThresholdPercent", kNotNegative, "percent of capacity",
        "memory that services and lent memory may use together; the rest is the safety margin"),
    word<&C::cpu_calculate_policy>("cpuCalculatePolicy", kCpuWords, "amount of CPU counted for services",
                                   kWord),
    word<&C::memory_calculate_policy>("memoryCalculatePolicy", kMemoryWords,
                                      "amount of memory counted for services", kWord),
    number<&C::batch_cpu_threshold_percent>("batchCPUThresholdPercent", kNotNegative, "percent of capacity",
                                            "maximum of batch-cpu"),
    number<&C::batch_memory_threshold_percent>("batchMemoryThresholdPercent", kNotNegative,
                                               "percent of capacity", "maximum of batch-memory"),
    number<&C::metric_aggregate_duration_seconds>("metricAggregateDurationSeconds", kPositive, "seconds",
                                                  "averaging window of reported usage"),
    number<&C::metric_report_interval_seconds>("metricReportIntervalSeconds", kPositive, "seconds",
                                               "time between two reports"),
    inline_section("metricAggregatePolicy", &rows_of<kAggregateRows>, "windows of the percentiles"),
    word<&C::metric_memory_collect_policy>("metricMemoryCollectPolicy", kCollectWords,
                                           "what counts as used memory", kWord),
    number<&C::degrade_time_minutes>("degradeTimeMinutes", kPositive, "minutes",
                                     "nothing is lent after this time without measurements"),
    number<&C::update_time_threshold_seconds>(
        "updateTimeThresholdSeconds", kPositive, "seconds",
        "time after the last report at which smaller changes are reported, too"),
    number<&C::resource_diff_threshold>("resourceDiffThreshold", Range{0, 1}, "fraction of the value",
                                        "smaller changes are reported only after updateTimeThresholdSeconds",
                                        Kind::ratio),
    number<&C::mid_cpu_threshold_percent>("midCPUThresholdPercent", kNotNegative, "percent of capacity",
                                          "maximum of mid-cpu"),
    number<&C::mid_memory_threshold_percent>("midMemoryThresholdPercent", kNotNegative, "percent of capacity",
                                             "maximum of mid-memory"),
    number<&C::mid_unallocated_percent>("midUnallocatedPercent", kNotNegative,
                                        "percent of unrequested resources",
                                        "part of unrequested resources that mid may use"),
    word<&C::mid_reclaim_mode>("midReclaimMode", kReclaimWords, "not set, or static: lend a fixed reserve",
                               kWord),
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
    gate<2>("evict by priority when requests for batch or mid CPU exceed what the Node offers of it"),
    gate<3>("evict best effort pods when the node's memory use is high"),
    gate<4>("evict by priority when the node's memory use is high"),
    gate<5>("evict by priority when requests for batch or mid memory exceed what the Node offers of it"),
    gate<6>("evict best effort pods that repeatedly slow a service down (interference.evictAfter)"),
};

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kMinute = 60 * kSecond;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;

using P = PredictionSettings;
constexpr Row kPredictionRows[] = {
    span_of_time<&P::cold_start>("coldStartDuration", Range{0, 30 * kDay},
                                 "minimum age of a pod whose resources are lent"),
    span_of_time<&P::least_history>("leastHistoryDuration", Range{0, 30 * kDay},
                                    "minimum history of a pod whose resources are lent"),
    number<&P::safety_margin_percent>("safetyMarginPercent", Range{0, 1000}, "percent of the peak",
                                      "added to every predicted peak"),
    span_of_time<&P::cpu_half_life>("cpuHistogramDecayHalflife", Range{kMinute, 365 * kDay},
                                    "age at which a CPU measurement counts half"),
    span_of_time<&P::memory_half_life>("memoryHistogramDecayHalflife", Range{kMinute, 365 * kDay},
                                       "age at which a memory measurement counts half"),
    span_of_time<&P::training_interval>("trainingInterval", Range{10 * kSecond, kHour},
                                        "time between two measurements that the prediction learns from"),
    span_of_time<&P::model_expiration>("modelExpirationDuration", Range{kMinute, 30 * kDay},
                                       "a model without new measurements for this time is dropped"),
    span_of_time<&P::checkpoint_interval>(
        "modelCheckpointInterval", Range{kMinute, kDay},
        "time between two checkpoints of the models in the state directory"),
};

using B = MemoryPushBack;
constexpr Row kPushBackRows[] = {
    toggle<&B::enable>("enable",
                       "lower memory.high of best effort while services wait for memory (cgroup v2)"),
    number<&B::some_percent>("pressureSomePercent", Range{1, 100}, "percent of the time",
                             "threshold for some tasks of a service waiting for memory (PSI some avg10)"),
    number<&B::full_percent>("pressureFullPercent", Range{1, 100}, "percent of the time",
                             "threshold for all tasks of a service waiting for memory (PSI full avg10)"),
    number<&B::free_percent>("freePercent", kPercent, "percent of the node's memory",
                             "no action while more is free (MemFree): services then wait for other reasons"),
    number<&B::available_percent>(
        "availablePercent", kPercent, "percent of the node's memory",
        "with less available (MemAvailable), the node is short of memory in any case"),
    number<&B::step_percent>("stepPercent", Range{1, 50}, "percent of best effort's memory",
                             "reclaimed every two seconds, down to what is protected or unreclaimable"),
};

using D = DiskSuppressSettings;
constexpr Row kDiskSuppressRows[] = {
    toggle<&D::enable>("enable",
                       "limit what best effort reads and writes on a busy disk while services wait for disks "
                       "or a CPU, as long as that shortens their waits"),
    number<&D::stall_percent>("serviceStallPercent", Range{1, 100}, "percent of the time",
                              "threshold for some tasks of a service waiting for disks (PSI some)"),
    number<&D::first_percent>("firstPercent", Range{1, 50}, "percent of what the disk carried",
                              "what best effort keeps at first; more while services do not wait longer"),
};

using G = ConfiguredNormal;
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
        "CPU model, as in /proc/cpuinfo, for which signals that count cycles are valid; not set: any"),
    word<&G::signal>("signal", kSignalWords, "the signal that the model describes"),
    with_example(number<&G::usual>("usual", kSignalRange, kSignalUnit, "median of the signal", Kind::ratio),
                 "1.2"),
    with_example(number<&G::deviation>("deviation", kSignalRange, kSignalUnit, "upward spread of the samples",
                                       Kind::ratio),
                 "0.1"),
    number<&G::samples>("samples", Range{1, 1'000'000}, "samples",
                        "weight of this model relative to the node's own samples"),
};

using I = InterferenceSettings;
constexpr Row kInterferenceRows[] = {
    toggle<&I::enable>("enable", "measure waits and slowdowns of workloads, learn their baselines, report"),
    toggle<&I::act>("act", "limit workloads that slow a service down for a while; false: only report them"),
    toggle<&I::run_queue>("runQueue", "measure waits for a CPU and which workload used it meanwhile (BPF)"),
    toggle<&I::counters>("counters", "measure cycles per instruction (hardware counters)"),
    word<&I::counter_backend>("counterBackend", kCounterWords,
                              "perCPU: all containers at once by BPF; rotating: some containers in "
                              "turn; auto: perCPU where it works"),
    span_of_time<&I::counter_window>("counterWindow", Range{kSecond, 10 * kMinute},
                                     "time for which each container is counted"),
    span_of_time<&I::counter_period>(
        "counterPeriod", Range{kSecond, kHour},
        "time between two counts of a container; not shorter than counterWindow"),
    number<&I::most_counter_descriptors>(
        "mostCounterDescriptors", Range{8, 1'000'000}, "descriptors",
        "perf event descriptors that are open at a time: two to five per CPU, with rotating per container"),
    span_of_time<&I::stall_window>("stallWindow", Range{kSecond, 10 * kMinute},
                                   "time over which waits and stalls are summed into one sample"),
    number<&I::cap_percent>("capPercent", Range{1, 100}, "percent of what it used",
                            "CPU that an antagonist may use while it is limited"),
    number<&I::least_cpu>("leastCPUMilli", Range{10, 1'000'000}, "thousandths of a CPU",
                          "minimum CPU of a limited antagonist, so that its liveness probes are answered"),
    number<&I::cap_cache_percent>(
        "capCachePercent", Range{1, 100}, "percent of the whole",
        "last-level cache and memory bandwidth that a limited antagonist keeps, with resctrl"),
    number<&I::cap_memory_percent>("capMemoryPercent", Range{50, 100}, "percent of what it has",
                                   "memory.high of an antagonist that makes a service reclaim"),
    span_of_time<&I::cap_lease>("capLease", Range{kSecond, kHour},
                                "duration of a limit; it ends early when it does not help"),
    number<&I::evict_after>("evictAfter", Range{1, 1000}, "limits that helped, within a day",
                            "after this many the pod is evicted (featureGates.InterferenceEvict)"),
    toggle<&I::causal_test>(
        "causalTest",
        "when measured waits identify no antagonist: limit a suspect at random times and compare"),
    number<&I::test_percent>("testPercent", Range{1, 90}, "percent of what it used",
                             "CPU that a suspect may use while a test limits it"),
    number<&I::most_tests_per_day>("mostTestsPerDay", Range{1, 10'000}, "tests",
                                   "maximum number of tests on this node per day"),
    list<&I::models>("models", &rows_of<kGivenNormalRows>,
                     "baselines to use until the node has learned its own"),
};

constexpr Range kUpToAnHour{0, kHour};
constexpr std::string_view kNormalizationWords[] = {"false", "true", "auto"};
constexpr std::string_view kAmplificationWords[] = {"false", "auto"};
constexpr Row kEvenkeelRows[] = {
    toggle<&E::hands_off>("handsOff", "write nothing on this node, and restore what was written"),
    toggle<&E::cpusets>("cpusets",
                        "pin containers to the CPUs that the scheduler assigned to their pod, other services "
                        "to the rest; keep best effort off reserved CPUs and those of LSE pods"),
    toggle<&E::batch_resources>("batchResources",
                                "set shares, quota and memory limit of pods that use batch or mid resources"),
    {.key = "cpuNormalization",
     .kind = Kind::word,
     .words = kNormalizationWords,
     .doc = "divide services' CPU quotas by the Node's node.koordinator.sh/cpu-normalization-ratio; auto: "
            "without this annotation by the ratio in cpuNormalizationModels",
     .put = &put_normalization,
     .get = &normalization_of},
    section<&E::cpu_normalization_models>("cpuNormalizationModels", &normalization_rows,
                                          "the manager's cpu-normalization-config, for cpuNormalization: "
                                          "auto"),
    word<&E::resource_amplification>(
        "resourceAmplification", kAmplificationWords,
        "auto: write the ratio of cpuNormalizationModels into the Node's "
        "node.koordinator.sh/resource-amplification-ratio, by which Koordinator lets more services run here "
        "(needs cpuNormalization: auto and --report node-status)"),
    number<&E::suppress_recovery>("suppressRecovery", kUpToAnHour, "duration",
                                  "best effort's allowance rises only to its lowest value over this time",
                                  Kind::duration),
    number<&E::suppress_dwell>("suppressDwell", kUpToAnHour, "duration",
                               "minimum time between two small changes of best effort's allowance",
                               Kind::duration),
    number<&E::burst_growth_budget_percent>("burstGrowthBudgetPercent", Range{0, 10000},
                                            "percent of the node's CPU",
                                            "CPU quota that all pods together may gain in one second"),
    number<&E::reclaim_per_second>("reclaimBytesPerSecond", kAnyCount, "bytes",
                                   "memory that memory.reclaim may take from all containers together in one "
                                   "second; 0 is none",
                                   Kind::bytes),
    toggle<&E::kill_without_api>("killWithoutApi",
                                 "evict by killing a pod's processes when no API server is configured"),
    inline_section("featureGates", &rows_of<kGateRows>, "eviction triggers to enable"),
    section<&E::prediction>(
        "prediction", &rows_of<kPredictionRows>,
        "prediction of services' peak use from their history: the rest is lent as mid resources"),
    section<&E::memory_push_back>("memoryPushBack", &rows_of<kPushBackRows>,
                                  "reclaim best effort's memory before eviction becomes necessary"),
    section<&E::disk_suppress>("diskSuppress", &rows_of<kDiskSuppressRows>,
                               "limit best effort on a disk for which services wait"),
    section<&E::resctrl_dynamic>("resctrlDynamic", &resctrl_dynamic_rows,
                                 "adjust beClass.resctrlQOS to measured use"),
    section<&E::interference>("interference", &rows_of<kInterferenceRows>,
                              "detection of workloads that slow services down"),
    section<&E::request_size>("requestSize", &request_size_rows,
                              "CPU time that tasks ask the EEVDF scheduler for at a time"),
    toggle<&E::oom_score_adj>(
        "oomScoreAdj", "raise oom_score_adj of best effort's processes as koordinator.sh/oom-score-adj asks"),
    section<&E::proof>("proof", &proof_rows, "tests on the node whether levers help services"),
    section<&E::contention>(
        "contention", &contention_rows,
        "tells the scheduler that services wait on this node (needs --report node-status)"),
    list<&E::objectives>("objectives", &objective_rows,
                         "targets for figures that services report of themselves, such as their latency"),
    list<&E::trust>("trust", &trust_rows,
                    "pods whose own labels and annotations may claim things at the expense of other pods"),
    section<&E::brake>("brake", &brake_rows,
                       "throttles best effort within milliseconds when a service waits, until the policies "
                       "that decide once a tick react"),
};

constexpr Row kExtensionRows[] = {
    section<&NodeSlo::colocation>("colocation", &colocation_rows,
                                  "Koordinator's colocation-config: how much is lent"),
    section<&NodeSlo::evenkeel>("evenkeel", &rows_of<kEvenkeelRows>, "settings of this agent"),
};

}  // namespace

std::span<const Row> extension_rows() { return kExtensionRows; }

std::span<const Row> colocation_rows() { return kColocationRows; }

}  // namespace evenkeel::config
