// The NodeSLO as typed values: what policies read. Defaults are Koordinator's; an absent optional is "not
// set". agent/config/ fills it from YAML; a policy never sees text. Field names follow the schema in
// snake_case.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "qos/model/cpu_normalization.h"
#include "qos/model/interference_settings.h"
#include "qos/model/io_limits.h"
#include "qos/model/objective.h"
#include "qos/model/observation_settings.h"
#include "qos/model/pod.h"
#include "qos/model/trust.h"
#include "qos/model/units.h"

namespace evenkeel {

enum class SuppressPolicy : std::uint8_t {
  cpuset,
  cfs_quota,
  automatic,  ///< the weight alone, while it is enough: suppress_actuator() in qos/cpu/suppress/suppress.h
};
enum class CpuEvictPolicy : std::uint8_t { by_real_limit, by_allocatable };
enum class CpuQosPolicy : std::uint8_t { group_identity, core_sched };
enum class NetQosPolicy : std::uint8_t { tc, terway_qos };
enum class BurstPolicy : std::uint8_t { none, cpu_burst_only, cfs_quota_burst_only, automatic };

/// resourceUsedThresholdWithBE
struct ThresholdStrategy {
  bool enable = false;
  Percent cpu_suppress_threshold_percent{65};
  std::optional<Percent> cpu_suppress_min_percent{};
  SuppressPolicy cpu_suppress_policy = SuppressPolicy::automatic;
  Percent memory_evict_threshold_percent{70};
  std::optional<Percent> memory_evict_lower_percent{};
  std::optional<Percent> memory_allocatable_evict_threshold_percent{};
  std::optional<Percent> memory_allocatable_evict_lower_percent{};
  std::optional<Percent> cpu_evict_be_satisfaction_upper_percent{};
  std::optional<Percent> cpu_evict_be_satisfaction_lower_percent{};
  std::optional<Percent> cpu_evict_be_usage_threshold_percent{};
  std::optional<std::int64_t> cpu_evict_time_window_seconds{};
  std::optional<Percent> cpu_evict_threshold_percent{};
  std::optional<Percent> cpu_evict_lower_percent{};
  std::optional<Percent> cpu_allocatable_evict_threshold_percent{};
  std::optional<Percent> cpu_allocatable_evict_lower_percent{};
  CpuEvictPolicy cpu_evict_policy = CpuEvictPolicy::by_real_limit;
  std::optional<std::int64_t> evict_enabled_priority_threshold{};
  std::optional<std::int64_t> allocatable_evict_priority_threshold{};
};

struct CpuQos {
  bool enable = false;
  std::int64_t group_identity = 0;
  std::int64_t sched_idle = 0;
  bool core_expeller = false;
};

struct MemoryQos {
  bool enable = false;
  std::optional<Percent> min_limit_percent{};
  std::optional<Percent> low_limit_percent{};
  std::optional<Percent> throttling_percent{};
  std::optional<Percent> wmark_ratio{};
  std::optional<std::int64_t> wmark_scale_permill{};
  std::optional<std::int64_t> wmark_min_adj{};
  std::optional<std::int64_t> priority_enable{};
  std::optional<std::int64_t> priority{};
  std::optional<std::int64_t> oom_kill_group{};
  std::optional<bool> page_cache_enable{};
  std::optional<Percent> page_cache_limit_percent{};
  std::optional<Bytes> page_cache_limit_size{};
  std::optional<bool> page_cache_reclaim_sync{};
};

struct ResctrlQos {
  bool enable = false;
  Percent cat_range_start_percent{0};
  Percent cat_range_end_percent{100};
  Percent mba_percent{100};
};

/// One class of resourceQOSStrategy. memory and the others are absent when the file has no such object.
struct QosClassStrategy {
  CpuQos cpu{};
  std::optional<MemoryQos> memory{};
  std::optional<ResctrlQos> resctrl{};
  std::optional<BlkioQos> blkio{};
  std::optional<NetworkQos> network{};
};

/// resourceQOSStrategy
struct QosStrategy {
  CpuQosPolicy cpu_policy = CpuQosPolicy::group_identity;
  NetQosPolicy net_qos_policy = NetQosPolicy::tc;
  QosClassStrategy lsr{.cpu = {.group_identity = 2, .core_expeller = true}};
  QosClassStrategy ls{.cpu = {.group_identity = 2, .core_expeller = true}};
  QosClassStrategy be{.cpu = {.group_identity = -1}};
  QosClassStrategy system{};
  std::optional<BlkioQos> cgroup_root_blkio{};
};
/// The strategy of a class.
inline const QosClassStrategy& strategy_of(const QosStrategy& qos, QosClass value) {
  switch (value) {
    case QosClass::lse:
    case QosClass::lsr:
      return qos.lsr;
    case QosClass::ls:
      return qos.ls;
    case QosClass::be:
      return qos.be;
    case QosClass::system:
      break;
  }
  return qos.system;
}
/// Null: core scheduling does not apply to system pods.
inline const CpuQos* cpu_strategy_of(const QosStrategy& qos, QosClass value) {
  return value == QosClass::system ? nullptr : &strategy_of(qos, value).cpu;
}

/// cpuBurstStrategy
struct CpuBurstStrategy {
  BurstPolicy policy = BurstPolicy::none;
  Percent cpu_burst_percent{1000};
  Percent cfs_quota_burst_percent{300};
  std::int64_t cfs_quota_burst_period_seconds = -1;  ///< -1: no token bucket
  Percent share_pool_threshold_percent{50};
};

/// systemStrategy; nothing is written for an absent field.
struct SystemStrategy {
  std::optional<std::int64_t> min_free_kbytes_factor{};
  std::optional<std::int64_t> watermark_scale_factor{};
  std::optional<std::int64_t> memcg_reap_background{};
  std::optional<std::int64_t> sched_group_identity_enabled{};
  std::optional<std::int64_t> sched_idle_saver_wmark_ns{};
  std::map<std::string, bool> sched_features{};
  std::optional<std::int64_t> page_cache_limit_enabled{};
  std::optional<BitRate> total_network_bandwidth{};
};

enum class HostAppBase : std::uint8_t { cgroup_root, kubepods, kubepods_burstable, kubepods_besteffort };

/// One entry of hostApplications: a process group outside of pods.
struct HostApplication {
  std::string name{};
  PriorityClass priority = PriorityClass::none;
  QosClass qos = QosClass::ls;
  HostAppBase base = HostAppBase::cgroup_root;
  std::string relative_dir{};  ///< below the base: parentDir/relativePath, or the default of the class
};

/// extensions.colocation: names and defaults of Koordinator's colocation-config.
struct ColocationStrategy {
  bool enable = false;
  Percent cpu_reclaim_threshold_percent{60};
  Percent memory_reclaim_threshold_percent{65};
  std::string cpu_calculate_policy = "usage";
  std::string memory_calculate_policy = "usage";
  std::optional<Percent> batch_cpu_threshold_percent{};
  std::optional<Percent> batch_memory_threshold_percent{};
  std::int64_t metric_aggregate_duration_seconds = 300;
  std::int64_t metric_report_interval_seconds = 60;
  std::vector<Duration> metric_aggregate_durations{std::chrono::minutes(5), std::chrono::minutes(10),
                                                   std::chrono::minutes(30)};
  std::string metric_memory_collect_policy = "usageWithoutPageCache";
  std::int64_t degrade_time_minutes = 15;
  std::int64_t update_time_threshold_seconds = 300;
  double resource_diff_threshold = 0.1;
  Percent mid_cpu_threshold_percent{100}, mid_memory_threshold_percent{100};
  Percent mid_unallocated_percent{0};
  std::string mid_reclaim_mode{};  ///< empty, or "static"
  Percent mid_static_cpu_reserved_percent{0}, mid_static_memory_reserved_percent{0};
};

/// extensions.evenkeel.prediction: koordlet's -prediction-* flags.
struct PredictionSettings {
  Duration cold_start{std::chrono::hours(24)};      ///< nothing is lent from a younger pod
  Duration least_history{std::chrono::minutes(5)};  ///< nor from one that was watched for less
  Percent safety_margin_percent{10};                ///< added to every predicted peak
  Duration cpu_half_life{std::chrono::hours(12)};
  Duration memory_half_life{std::chrono::hours(24)};
  Duration training_interval{std::chrono::minutes(1)};
  Duration model_expiration{std::chrono::minutes(30)};  ///< a model that learns nothing for longer is dropped
  Duration checkpoint_interval{std::chrono::minutes(10)};
};

/// extensions.evenkeel.memoryPushBack
struct MemoryPushBack {
  bool enable = false;
  Percent some_percent{10}, full_percent{5};  ///< of the time, stall of a service for memory
  Percent free_percent{10};                   ///< of memory: with more free its stall has other reasons
  Percent available_percent{5};               ///< of memory: with less the node is short in any case
  Percent step_percent{5};                    ///< of what best effort has, every two seconds
};

/// extensions.evenkeel.resctrlDynamic
struct ResctrlDynamic {
  bool enable = false;
  /// Of one memory: the CPUs at one last-level cache. Zero: the bandwidth is not steered.
  Bytes memory_bandwidth_per_second{};
  Percent high_percent{80}, low_percent{65};  ///< of it: above, best effort is cut; below, it is restored
  Percent least_mba_percent{10};              ///< that best effort keeps
  bool cache_ways = false;                    ///< its ways are steered, too, by the misses of services
  /// Relative to the services' own usual misses: above, best effort's ways are cut; below, they are restored.
  Percent high_miss_percent{150}, low_miss_percent{120};
  std::int64_t least_misses_per_million = 500;  ///< per million instructions: fewer do not matter
  Percent least_cat_percent{10};                ///< of the cache, that best effort keeps
};

/// extensions.evenkeel.brake: cuts best effort at once when a kernel alarm says that a service waits.
struct BrakeSettings {
  bool enable = false;
  bool run_queue = true;  ///< also detect waits for best effort by BPF, which needs no long window
  Duration window{
      std::chrono::milliseconds(50)};   ///< length of the pressure window; the kernel may require more
  Percent cpu_pressure_percent{20};     ///< of the window: some task of the service waits for a CPU
  Percent memory_pressure_percent{10};  ///< the same for memory
  Percent cpu_percent{10};              ///< of the node's CPU that best effort keeps during the lease
  MilliCpu least_cpu_per_pod{
      100};  ///< and never less than this for each of its pods, so that probes are answered
  Duration lease{std::chrono::seconds(2)};  ///< after the last alarm
  Percent max_duty_percent{20};             ///< of any minute
};

/// extensions.evenkeel.requestSize: how much CPU time a task asks the EEVDF scheduler for at a time. Shorter
/// requests are served earlier, longer ones are interrupted less (Documentation/scheduler/sched-eevdf.rst).
struct RequestSizeSettings {
  bool enable = true;
  Duration best_effort{std::chrono::milliseconds(4)};  ///< zero: the kernel's own
  Duration services{};                                 ///< the same
};

/// extensions.evenkeel: our own settings.
struct EvenkeelSettings {
  bool hands_off = false;  ///< write nothing on this node; what was written is restored
  bool cpusets = true;     ///< containers run on the CPUs assigned to their pod, the others on the rest
  bool cpu_normalization = true;  ///< services' quotas follow the node's CPU normalization ratio
  CpuNormalizationModels cpu_normalization_models{};
  ResourceAmplification resource_amplification = ResourceAmplification::off;
  bool batch_resources = true;  ///< shares, quotas and memory limits of pods that run on lent resources
  /// Suppression: the allowance may rise only to the lowest target seen over this time
  /// (qos/cpu/suppress/damping.cpp).
  Duration suppress_recovery{std::chrono::seconds(5)};
  /// Suppression: between two small changes of the allowance at least this time passes.
  Duration suppress_dwell{std::chrono::seconds(10)};
  /// Burst: how much quota all pods together may gain in one second, in percent of the node's CPU capacity.
  Percent burst_growth_budget_percent{10};
  /// Background reclaim: how much is reclaimed per second from all cgroups together.
  Bytes reclaim_per_second{std::int64_t{256} << 20};
  /// Without an API server: an eviction kills the pod's processes. Otherwise it is only reported.
  bool kill_without_api = false;
  std::array<bool, 7> feature_gates{};  ///< order of kFeatureGates and FeatureGate
  PredictionSettings prediction{};
  MemoryPushBack memory_push_back{};
  DiskSuppressSettings disk_suppress{};
  ResctrlDynamic resctrl_dynamic{};
  InterferenceSettings interference{};
  BrakeSettings brake{};
  RequestSizeSettings request_size{};
  bool oom_score_adj = false;  ///< processes of best effort follow koordinator.sh/oom-score-adj
  ContentionSettings contention{};
  ProofSettings proof{};
  std::vector<Objective> objectives{};
  std::vector<TrustRule> trust{};  ///< which pods may make which claims
};
enum class FeatureGate : std::uint8_t {
  be_cpu_evict,
  cpu_evict,
  cpu_allocatable_evict,
  be_memory_evict,
  memory_evict,
  memory_allocatable_evict,
  interference_evict
};
/// Koordinator's names; the last is our own.
inline constexpr std::array<const char*, 7> kFeatureGates = {"BECPUEvict",          "CPUEvict",
                                                             "CPUAllocatableEvict", "BEMemoryEvict",
                                                             "MemoryEvict",         "MemoryAllocatableEvict",
                                                             "InterferenceEvict"};

struct NodeSlo {
  ThresholdStrategy threshold{};
  QosStrategy qos{};
  CpuBurstStrategy cpu_burst{};
  SystemStrategy system{};
  std::vector<HostApplication> host_applications{};
  ColocationStrategy colocation{};
  EvenkeelSettings evenkeel{};
  std::uint64_t fingerprint = 0;  ///< of all effective values: equal for equal configurations
};

}  // namespace evenkeel
