#include <array>

#include "agent/config/schema_read.h"
#include "agent/document/units_text.h"
#include "qos/model/capacity.h"

namespace evenkeel::config {
namespace {

struct Bound {
  const char* key;
  std::optional<Percent> value;
};

/// If both are known, the lower must be below the upper. The problem names the one in the file.
void check_below(const std::string& path, Bound lower, Bound upper, SchemaRead& read) {
  if (!lower.value || !upper.value || *lower.value < *upper.value) return;
  const bool lower_given = read.origins.count(path + lower.key) > 0;
  const auto& blamed = lower_given ? lower : upper;
  const auto& other = lower_given ? upper : lower;
  read.problem(path + blamed.key, "found " + std::to_string(blamed.value->count()) +
                                      "; legal: " + (lower_given ? "below " : "above ") + other.key + " (" +
                                      std::to_string(other.value->count()) + ')');
}

void check_thresholds(const ThresholdStrategy& t, SchemaRead& read) {
  const std::string path = "resourceUsedThresholdWithBE.";
  check_below(path, {"memoryEvictLowerPercent", t.memory_evict_lower_percent},
              {"memoryEvictThresholdPercent", t.memory_evict_threshold_percent}, read);
  check_below(path, {"memoryAllocatableEvictLowerPercent", t.memory_allocatable_evict_lower_percent},
              {"memoryAllocatableEvictThresholdPercent", t.memory_allocatable_evict_threshold_percent}, read);
  check_below(path, {"cpuEvictBESatisfactionLowerPercent", t.cpu_evict_be_satisfaction_lower_percent},
              {"cpuEvictBESatisfactionUpperPercent", t.cpu_evict_be_satisfaction_upper_percent}, read);
  check_below(path, {"cpuEvictLowerPercent", t.cpu_evict_lower_percent},
              {"cpuEvictThresholdPercent", t.cpu_evict_threshold_percent}, read);
  check_below(path, {"cpuAllocatableEvictLowerPercent", t.cpu_allocatable_evict_lower_percent},
              {"cpuAllocatableEvictThresholdPercent", t.cpu_allocatable_evict_threshold_percent}, read);
}

struct NamedClass {
  const char* key;
  const QosClassStrategy& strategy;
};

void check_blocks(const std::string& path, const std::optional<BlkioQos>& blkio, SchemaRead& read) {
  if (!blkio) return;
  for (std::size_t index = 0; index < blkio->blocks.size(); ++index) {
    if (!blkio->blocks[index].name.empty()) continue;
    read.problem(path + ".blkioQOS.blocks[" + std::to_string(index) + ']',
                 "found no name; legal: a disk's name");
  }
}

void check_class(const NamedClass& named, SchemaRead& read) {
  const std::string path = std::string("resourceQOSStrategy.") + named.key;
  check_blocks(path, named.strategy.blkio, read);
  if (!named.strategy.resctrl) return;
  check_below(path + ".resctrlQOS.",
              {"catRangeStartPercent", named.strategy.resctrl->cat_range_start_percent},
              {"catRangeEndPercent", named.strategy.resctrl->cat_range_end_percent}, read);
}

using Requests = std::vector<std::pair<std::string, Bandwidth>>;

/// Guaranteed bandwidths must be all percentages or all quantities, and must fit into the total.
void check_requests(const Requests& requests, std::optional<BitRate> total, SchemaRead& read) {
  if (requests.empty()) return;
  const auto& [last_key, last] = requests.back();
  std::int64_t sum = 0;
  for (const auto& request : requests) {
    if (request.second.is_percent != last.is_percent) {
      return read.problem(last_key, "found a percentage beside quantities; legal: one form for all classes");
    }
    if (__builtin_add_overflow(sum, request.second.value, &sum)) sum = INT64_MAX;
  }
  if (!last.is_percent && !total) return;
  const auto most = last.is_percent ? 100 : total->count();
  if (sum <= most) return;
  read.problem(last_key, "found requests of " + std::to_string(sum) + " in all classes; legal: at most " +
                             std::to_string(most) +
                             (last.is_percent ? " percent" : " (totalNetworkBandwidth)"));
}

void check_network(const NodeSlo& slo, SchemaRead& read) {
  const std::array<NamedClass, 3> classes = {
      {{"lsrClass", slo.qos.lsr}, {"lsClass", slo.qos.ls}, {"beClass", slo.qos.be}}};
  Requests ingress;
  Requests egress;
  for (const auto& [key, strategy] : classes) {
    if (!strategy.network) continue;
    const auto path = std::string("resourceQOSStrategy.") + key + ".networkQOS.";
    const auto& network = *strategy.network;
    if (network.ingress_request.value != 0)
      ingress.emplace_back(path + "ingressRequest", network.ingress_request);
    if (network.egress_request.value != 0)
      egress.emplace_back(path + "egressRequest", network.egress_request);
  }
  check_requests(ingress, network_bandwidth(slo.system), read);
  check_requests(egress, network_bandwidth(slo.system), read);
}

struct Span {
  const char* key;
  Duration value;
};

/// The longer one must be above (or, where that makes sense, equal to) the shorter one. The problem names the
/// one in the file, the longer one first.
void check_longer(const std::string& path, Span longer, Span shorter, bool may_be_equal, SchemaRead& read) {
  if (longer.value > shorter.value || (may_be_equal && longer.value == shorter.value)) return;
  const bool longer_given = read.origins.count(path + longer.key) > 0;
  const auto& blamed = longer_given ? longer : shorter;
  const auto& other = longer_given ? shorter : longer;
  const std::string side =
      longer_given ? (may_be_equal ? "at least " : "above ") : (may_be_equal ? "at most " : "below ");
  read.problem(path + blamed.key, "found " + document::duration_text(blamed.value) + "; legal: " + side +
                                      other.key + " (" + document::duration_text(other.value) + ')');
}

void check_durations(const EvenkeelSettings& settings, SchemaRead& read) {
  const std::string path = "extensions.evenkeel.";
  // Models that expire between two measurements would never predict anything.
  check_longer(path + "prediction.", {"modelExpirationDuration", settings.prediction.model_expiration},
               {"trainingInterval", settings.prediction.training_interval}, false, read);
  check_longer(path + "interference.", {"counterPeriod", settings.interference.counter_period},
               {"counterWindow", settings.interference.counter_window}, true, read);
}

/// The kernel raises a shorter request to 100 us. The task would then have a size that the agent did not set,
/// and would look like one of another program.
void check_request_sizes(const RequestSizeSettings& settings, SchemaRead& read) {
  constexpr Duration kShortest = std::chrono::microseconds(100);
  for (const Span span : {Span{"bestEffort", settings.best_effort}, Span{"services", settings.services}})
    if (span.value > Duration::zero() && span.value < kShortest)
      read.problem(std::string("extensions.evenkeel.requestSize.") + span.key,
                   "found " + document::duration_text(span.value) + "; legal: 0s, or 100us to 100ms");
}

void check_resctrl_dynamic(const ResctrlDynamic& settings, SchemaRead& read) {
  const std::string path = "extensions.evenkeel.resctrlDynamic.";
  check_below(path, {"lowPercent", settings.low_percent}, {"highPercent", settings.high_percent}, read);
  check_below(path, {"lowMissPercent", settings.low_miss_percent},
              {"highMissPercent", settings.high_miss_percent}, read);
  if (settings.enable && !settings.cache_ways && settings.memory_bandwidth_per_second <= Bytes{})
    read.problem(path + "enable",
                 "found true without memoryBandwidthBytesPerSecond; legal: with that bandwidth, or "
                 "with cacheWays");
}

}  // namespace

void check_rules(NodeSlo& slo, SchemaRead& read) {
  check_thresholds(slo.threshold, read);
  const std::array<NamedClass, 4> classes = {{{"lsrClass", slo.qos.lsr},
                                              {"lsClass", slo.qos.ls},
                                              {"beClass", slo.qos.be},
                                              {"systemClass", slo.qos.system}}};
  for (const auto& named : classes) check_class(named, read);
  check_blocks("resourceQOSStrategy.cgroupRoot", slo.qos.cgroup_root_blkio, read);
  check_network(slo, read);
  check_durations(slo.evenkeel, read);
  check_request_sizes(slo.evenkeel.request_size, read);
  check_resctrl_dynamic(slo.evenkeel.resctrl_dynamic, read);
  check_host_applications(slo, read);
  check_objectives(slo, read);
  check_trust(slo, read);
  check_given_normals(slo.evenkeel.interference, read);
}

}  // namespace evenkeel::config
