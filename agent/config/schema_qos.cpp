#include "agent/config/schema.h"

namespace evenkeel::config {

namespace {

using namespace schema;

constexpr std::string_view kCpuPolicyWords[] = {"groupIdentity", "coreSched"};
constexpr std::string_view kNetPolicyWords[] = {"tc", "terway-qos"};

constexpr Row kPolicyRows[] = {
    word<&QosStrategy::cpu_policy>("cpuPolicy", kCpuPolicyWords, "how cpuQOS is enforced"),
    word<&QosStrategy::net_qos_policy>("netQOSPolicy", kNetPolicyWords, "how networkQOS is enforced"),
};

constexpr Row kCpuRows[] = {
    toggle<&CpuQos::enable>("enable", "scheduler priority of the class"),
    number<&CpuQos::group_identity>(
        "groupIdentity", Range{-1, 2}, "level",
        "cpu.bvt_warp_ns (Anolis); on other kernels -1 sets cpu.idle for best effort"),
    number<&CpuQos::sched_idle>("schedIdle", kBit, "", "cpu.idle; only with cpuPolicy: coreSched"),
    toggle<&CpuQos::core_expeller>(
        "coreExpeller",
        "keep the class off cores that run classes without coreExpeller; only with cpuPolicy: coreSched"),
};

using M = MemoryQos;
constexpr Row kMemoryRows[] = {
    toggle<&M::enable>("enable", "memory protection and reclaim of the class"),
    number<&M::min_limit_percent>("minLimitPercent", kNotNegative, "percent of the request", "memory.min"),
    number<&M::low_limit_percent>("lowLimitPercent", kNotNegative, "percent of the request", "memory.low"),
    number<&M::throttling_percent>("throttlingPercent", kNotNegative,
                                   "percent of the way from request to limit", "memory.high; 0 is off"),
    number<&M::wmark_ratio>("wmarkRatio", kPercent, "percent of the limit",
                            "memory use at which background reclaim starts; 0 is off"),
    number<&M::wmark_scale_permill>("wmarkScalePermill", Range{1, 1000}, "thousandths of the limit",
                                    "memory that background reclaim frees at a time"),
    number<&M::wmark_min_adj>("wmarkMinAdj", Range{-25, 50}, "percent of the node's low watermark",
                              "shifts the node's minimum watermark for the class (Anolis)"),
    number<&M::priority_enable>("priorityEnable", kBit, "", "OOM killer chooses by priority (Anolis)"),
    number<&M::priority>("priority", Range{0, 12}, "level", "OOM priority; lower is killed first (Anolis)"),
    number<&M::oom_kill_group>("oomKillGroup", kBit, "", "memory.oom.group: kill whole containers and pods"),
    toggle<&M::page_cache_enable>("pageCacheEnable", "limit the page cache of each pod"),
    number<&M::page_cache_limit_percent>("pageCacheLimitPercent", kPercent, "percent of the pod's limit",
                                         "page cache limit of each pod"),
    number<&M::page_cache_limit_size>("pageCacheLimitSize", kAnyCount, "bytes",
                                      "page cache limit; takes precedence over the percentage", Kind::bytes),
    toggle<&M::page_cache_reclaim_sync>(
        "pageCacheReclaimSync", "reclaim synchronously at the limit instead of in the background (Anolis)"),
};

using R = ResctrlQos;
constexpr Row kResctrlRows[] = {
    toggle<&R::enable>("enable", "last-level cache and memory bandwidth of the class"),
    number<&R::cat_range_start_percent>("catRangeStartPercent", kPercent, "percent of the cache ways",
                                        "first cache way; below catRangeEndPercent"),
    number<&R::cat_range_end_percent>("catRangeEndPercent", kPercent, "percent of the cache ways",
                                      "last cache way"),
    number<&R::mba_percent>("mbaPercent", kPercent, "percent of the memory bandwidth",
                            "memory bandwidth limit (MBA)"),
};

template <auto Member>
constexpr Row bandwidth(std::string_view key, std::string_view doc) {
  return number<Member>(key, kPercent, "percent of the node's, or \"10M\" bits per second", doc,
                        Kind::bandwidth);
}
using N = NetworkQos;
constexpr Row kNetworkRows[] = {
    toggle<&N::enable>("enable", "network bandwidth of the class"),
    bandwidth<&N::ingress_request>("ingressRequest", "guaranteed ingress bandwidth"),
    bandwidth<&N::ingress_limit>("ingressLimit", "ingress bandwidth limit"),
    bandwidth<&N::egress_request>("egressRequest", "guaranteed egress bandwidth"),
    bandwidth<&N::egress_limit>("egressLimit", "egress bandwidth limit"),
};

constexpr Row kNetworkLimitRows[] = {
    bandwidth<&NetworkLimits::ingress>("ingressLimit", "ingress bandwidth limit"),
    bandwidth<&NetworkLimits::egress>("egressLimit", "egress bandwidth limit"),
};

enum class Class : std::uint8_t { lsr, ls, be, system };

/// A section's initial values when the file names it: Koordinator's defaults of the class.
template <Class kClass>
std::optional<MemoryQos> default_memory() {
  constexpr bool kSystem = kClass == Class::system;
  MemoryQos out;
  out.min_limit_percent = out.low_limit_percent = out.throttling_percent = Percent(0);
  out.wmark_ratio = Percent(kSystem ? 0 : 95);
  out.wmark_scale_permill = kSystem ? 50 : 20;
  out.wmark_min_adj = kSystem ? 0 : kClass == Class::be ? 50 : -25;
  out.priority_enable = out.priority = out.oom_kill_group = 0;
  return out;
}
template <Class kClass>
std::optional<ResctrlQos> default_resctrl() {
  ResctrlQos out;
  if (kClass == Class::be) out.cat_range_end_percent = Percent(30);
  return out;
}
std::optional<NetworkQos> default_network() {
  return NetworkQos{.ingress_limit = {100, true}, .egress_limit = {100, true}};
}
std::optional<BlkioQos> default_blkio() { return BlkioQos{}; }

using Q = QosClassStrategy;
template <Class kClass>
constexpr Row kClassRows[] = {
    section<&Q::cpu>("cpuQOS", &rows_of<kCpuRows>, "scheduler"),
    optional_section<&Q::memory, &default_memory<kClass>>("memoryQOS", &rows_of<kMemoryRows>, "memory"),
    optional_section<&Q::resctrl, &default_resctrl<kClass>>("resctrlQOS", &rows_of<kResctrlRows>,
                                                            "cache and memory bandwidth"),
    optional_section<&Q::blkio, &default_blkio>("blkioQOS", &blkio_rows, "disks"),
    optional_section<&Q::network, &default_network>("networkQOS", &rows_of<kNetworkRows>, "network"),
};
template <Class kClass>
std::span<const Row> class_rows() {
  return kClassRows<kClass>;
}

constexpr Row kRootRows[] = {
    optional_section<&QosStrategy::cgroup_root_blkio, &default_blkio>("blkioQOS", &blkio_rows, "disks"),
};

constexpr Row kQosRows[] = {
    inline_section("policies", &rows_of<kPolicyRows>, "how the classes are enforced"),
    section<&QosStrategy::lsr>("lsrClass", &class_rows<Class::lsr>,
                               "latency-sensitive with CPUs of their own"),
    section<&QosStrategy::ls>("lsClass", &class_rows<Class::ls>, "latency-sensitive"),
    section<&QosStrategy::be>("beClass", &class_rows<Class::be>, "best effort"),
    section<&QosStrategy::system>("systemClass", &class_rows<Class::system>, "system services"),
    inline_section("cgroupRoot", &rows_of<kRootRows>, "settings of the disks themselves"),
};

}  // namespace

std::span<const Row> network_limit_rows() { return kNetworkLimitRows; }

std::span<const Row> qos_rows() { return kQosRows; }

namespace {

using namespace schema;
using B = BlockIoConfig;

constexpr std::string_view kBlockWords[] = {"device", "volumegroup", "podvolume"};

constexpr Row kIoRows[] = {
    number<&B::read_iops>("readIOPS", kAnyCount, "operations per second", "limit of reads; 0 is unlimited"),
    number<&B::write_iops>("writeIOPS", kAnyCount, "operations per second",
                           "limit of writes; 0 is unlimited"),
    number<&B::read_bps>("readBPS", kAnyCount, "bytes per second", "limit of read bandwidth; 0 is unlimited",
                         Kind::bytes),
    number<&B::write_bps>("writeBPS", kAnyCount, "bytes per second",
                          "limit of write bandwidth; 0 is unlimited", Kind::bytes),
    number<&B::io_weight_percent>("ioWeightPercent", Range{1, 100}, "weight",
                                  "io.weight: relative share of a busy disk; not set: 100"),
    number<&B::latency_target_us>(
        "latencyTarget", kAnyCount, "microseconds",
        "io.latency target for services: others are throttled when requests take longer; 0 is none"),
    number<&B::read_latency_us>("readLatency", kAnyCount, "microseconds",
                                "latency target; cgroupRoot only; not set: 3000"),
    number<&B::write_latency_us>("writeLatency", kAnyCount, "microseconds",
                                 "latency target; cgroupRoot only; not set: 3000"),
    number<&B::read_latency_percent>(
        "readLatencyPercent", kPercent, "percentile",
        "percentile of reads that must meet the target; cgroupRoot only; not set: 95"),
    number<&B::write_latency_percent>(
        "writeLatencyPercent", kPercent, "percentile",
        "percentile of writes that must meet the target; cgroupRoot only; not set: 95"),
    toggle<&B::enable_user_model>("enableUserModel",
                                  "use the disk model below; cgroupRoot only; not set: false"),
    number<&B::model_read_bps>("modelReadBPS", Range{1, INT64_MAX}, "bytes per second",
                               "read bandwidth of the disk", Kind::bytes),
    number<&B::model_write_bps>("modelWriteBPS", Range{1, INT64_MAX}, "bytes per second",
                                "write bandwidth of the disk", Kind::bytes),
    number<&B::model_read_seq_iops>("modelReadSeqIOPS", Range{1, INT64_MAX}, "operations per second",
                                    "sequential reads of the disk"),
    number<&B::model_write_seq_iops>("modelWriteSeqIOPS", Range{1, INT64_MAX}, "operations per second",
                                     "sequential writes of the disk"),
    number<&B::model_read_rand_iops>("modelReadRandIOPS", Range{1, INT64_MAX}, "operations per second",
                                     "random reads of the disk"),
    number<&B::model_write_rand_iops>("modelWriteRandIOPS", Range{1, INT64_MAX}, "operations per second",
                                      "random writes of the disk"),
};

constexpr Row kBlockRows[] = {
    with_example(field<&Block::name>("name", Kind::text, "", "a disk, a volume group, or a pod's volume"),
                 "/dev/vdb"),
    word<&Block::type>("type", kBlockWords, "type of the name"),
    section<&Block::io>("ioCfg", &rows_of<kIoRows>, "limits of this disk"),
};

constexpr Row kBlkioRows[] = {
    toggle<&BlkioQos::enable>("enable", "disk limits and weights"),
    list<&BlkioQos::blocks>("blocks", &rows_of<kBlockRows>, "one entry per disk"),
};

using D = ResctrlDynamic;
constexpr Row kDynamicRows[] = {
    toggle<&D::enable>("enable", "lower best effort's resctrlQOS limits while cache or bandwidth is short"),
    number<&D::memory_bandwidth_per_second>("memoryBandwidthBytesPerSecond", kAnyCount, "bytes",
                                            "memory bandwidth per second of the CPUs at one last-level "
                                            "cache; measure it, for example with STREAM; "
                                            "0: mbaPercent is not adjusted",
                                            Kind::bytes),
    number<&D::high_percent>("highPercent", Range{1, 100}, "percent of memoryBandwidthBytesPerSecond",
                             "above this use best effort's bandwidth is cut at once"),
    number<&D::low_percent>("lowPercent", Range{1, 100}, "percent of memoryBandwidthBytesPerSecond",
                            "below this use best effort's bandwidth is raised every six seconds"),
    number<&D::least_mba_percent>("leastMbaPercent", Range{1, 100}, "percent of the memory bandwidth",
                                  "minimum that best effort keeps"),
    toggle<&D::cache_ways>("cacheWays",
                           "also adjust catRangeEndPercent by services' cache misses (needs "
                           "interference.enable and hardware counters)"),
    number<&D::high_miss_percent>(
        "highMissPercent", Range{101, 10000}, "percent of their usual misses",
        "above this the misses of all services together reduce best effort's cache ways step by step"),
    number<&D::low_miss_percent>("lowMissPercent", Range{100, 10000}, "percent of their usual misses",
                                 "below this best effort's cache ways are restored one by one"),
    number<&D::least_misses_per_million>("leastMissesPerMillion", Range{0, 1'000'000},
                                         "misses in a million instructions", "fewer misses are ignored"),
    number<&D::least_cat_percent>("leastCatPercent", Range{1, 100}, "percent of the cache",
                                  "minimum that best effort keeps; at least one way"),
};

}  // namespace

std::span<const Row> blkio_rows() { return kBlkioRows; }

std::span<const Row> resctrl_dynamic_rows() { return kDynamicRows; }

}  // namespace evenkeel::config
