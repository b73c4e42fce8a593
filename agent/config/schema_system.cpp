// Schema rows of cpuBurstStrategy, systemStrategy, hostApplications, and the root with all sections.
#include "agent/config/schema.h"

namespace evenkeel::config {
namespace {

using namespace schema;

using C = CpuBurstStrategy;
constexpr std::string_view kBurstWords[] = {"none", "cpuBurstOnly", "cfsQuotaBurstOnly", "auto"};

constexpr Row kBurstRows[] = {
    word<&C::policy>("policy", kBurstWords,
                     "CFS burst in the kernel, growth of the quota, both (auto), or neither"),
    number<&C::cpu_burst_percent>("cpuBurstPercent", Range{0, 10000}, "percent of the limit",
                                  "unused CPU time that a container may save up as burst in the kernel"),
    number<&C::cfs_quota_burst_percent>("cfsQuotaBurstPercent", Range{100, INT32_MAX}, "percent of the limit",
                                        "maximum to which a throttled container's quota may grow"),
    number<&C::cfs_quota_burst_period_seconds>("cfsQuotaBurstPeriodSeconds", Range{-1, INT32_MAX}, "seconds",
                                               "how long the quota may stay above the limit; -1: no limit"),
    number<&C::share_pool_threshold_percent>("sharePoolThresholdPercent", kPercent,
                                             "percent of the shared CPUs",
                                             "CPU use above which grown quotas shrink again"),
};

using S = SystemStrategy;
constexpr Row kSystemRows[] = {
    number<&S::min_free_kbytes_factor>("minFreeKbytesFactor", Range{1, 10000}, "ten-thousandths of memory",
                                       "vm.min_free_kbytes"),
    number<&S::watermark_scale_factor>("watermarkScaleFactor", Range{1, 400}, "ten-thousandths of memory",
                                       "vm.watermark_scale_factor"),
    number<&S::memcg_reap_background>("memcgReapBackGround", kBit, "", "reap dead memory cgroups (Anolis)"),
    number<&S::sched_group_identity_enabled>("schedGroupIdentityEnabled", kBit, "",
                                             "kernel.sched_group_identity_enabled (Anolis)"),
    number<&S::sched_idle_saver_wmark_ns>("schedIdleSaverWmark", Range{INT64_MIN, INT64_MAX}, "nanoseconds",
                                          "kernel.sched_idle_saver_wmark (Anolis)"),
    field<&S::sched_features>("schedFeatures", Kind::toggles, "",
                              "kernel scheduler features to switch on or off, by name"),
    number<&S::page_cache_limit_enabled>("pageCacheLimitEnabled", kBit, "",
                                         "page cache limits of the kernel (Anolis)"),
    number<&S::total_network_bandwidth>(
        "totalNetworkBandwidth", kAnyCount, "bits per second",
        "the bandwidth that percentages in networkQOS refer to; 0: that of the interface", Kind::quantity),
};

using H = HostApplication;
constexpr std::string_view kPriorityWords[] = {"", "koord-prod", "koord-mid", "koord-batch", "koord-free"};
constexpr std::string_view kQosWords[] = {"LSE", "LSR", "LS", "BE", "SYSTEM"};
constexpr std::string_view kBaseWords[] = {"CgroupRoot", "Kubepods", "KubepodsBurstable",
                                           "KubepodsBesteffort"};

std::string joined(const std::string& parent, const std::string& child) {
  if (parent.empty()) return child;
  return child.empty() ? parent : parent + '/' + child;
}
/// The two parts may come in any order: one extends the directory in front, the other at the end.
void put_parent(void* owner, const Content& content) {
  auto& dir = static_cast<H*>(owner)->relative_dir;
  dir = joined(std::get<std::string>(content), dir);
}
void put_child(void* owner, const Content& content) {
  auto& dir = static_cast<H*>(owner)->relative_dir;
  dir = joined(dir, std::get<std::string>(content));
}
Content no_content(const void*) { return {}; }

constexpr Row kCgroupPathRows[] = {
    word<&H::base>("base", kBaseWords, "cgroup under which the directory is"),
    {.key = "parentDir",
     .kind = Kind::text,
     .doc = "first part of the path below the base",
     .example = "system.slice",
     .put = &put_parent,
     .get = &no_content},
    {.key = "relativePath",
     .kind = Kind::text,
     .doc = "second part of the path; `evenkeel check` shows both parts here",
     .example = "node-cache.service",
     .put = &put_child,
     .get = &Access<&H::relative_dir>::get},
};
constexpr std::span<const Row> no_rows() { return {}; }

constexpr Row kHostApplicationRows[] = {
    with_example(
        field<&H::name>("name", Kind::text, "", "unique name, used in metrics and in the default path"),
        "node-cache"),
    word<&H::priority>("priority", kPriorityWords, "priority class, for reports"),
    word<&H::qos>("qos", kQosWords, "QoS class of the processes"),
    inline_section("cgroupPath", &rows_of<kCgroupPathRows>,
                   "not set: host-latency-sensitive/NAME, host-best-effort/NAME for BE, NAME for SYSTEM"),
    inline_section("strategy", &no_rows, "reserved, empty"),
};

constexpr Row kSpecRows[] = {
    section<&NodeSlo::threshold>("resourceUsedThresholdWithBE", &threshold_rows,
                                 "suppression of best effort's CPU use, and eviction"),
    section<&NodeSlo::qos>("resourceQOSStrategy", &qos_rows, "kernel settings per QoS class"),
    section<&NodeSlo::cpu_burst>("cpuBurstStrategy", &cpu_burst_rows,
                                 "raises the quota of throttled containers while the node has idle CPU"),
    section<&NodeSlo::system>("systemStrategy", &system_rows, "settings of the whole machine"),
    list<&NodeSlo::host_applications>("hostApplications", &host_application_rows,
                                      "services and batch jobs outside of pods, by their cgroup"),
    {.key = "extensions",
     .kind = Kind::section,
     .doc = "settings beyond the NodeSLO schema",
     .foreign_keys = true,
     .rows = &extension_rows,
     .open = &same,
     .peek = &same_as_default},
};

}  // namespace

std::span<const Row> cpu_burst_rows() { return kBurstRows; }
std::span<const Row> system_rows() { return kSystemRows; }
std::span<const Row> host_application_rows() { return kHostApplicationRows; }
std::span<const Row> node_slo_rows() { return kSpecRows; }

}  // namespace evenkeel::config
