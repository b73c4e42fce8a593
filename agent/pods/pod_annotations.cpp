#include <algorithm>
#include <array>

#include "agent/pods/kube_text.h"
#include "agent/pods/pod_list.h"

namespace evenkeel::pods {
namespace {

template <class T>
struct Word {
  std::string_view text;
  T value;
};
constexpr std::array<Word<QosClass>, 5> kQosWords = {{{"LSE", QosClass::lse},
                                                      {"LSR", QosClass::lsr},
                                                      {"LS", QosClass::ls},
                                                      {"BE", QosClass::be},
                                                      {"SYSTEM", QosClass::system}}};
constexpr std::array<Word<PriorityClass>, 4> kPriorityWords = {{{"koord-prod", PriorityClass::prod},
                                                                {"koord-mid", PriorityClass::mid},
                                                                {"koord-batch", PriorityClass::batch},
                                                                {"koord-free", PriorityClass::free}}};
constexpr std::array<std::string_view, 4> kBurstWords = {"none", "cpuBurstOnly", "cfsQuotaBurstOnly", "auto"};

template <class T, std::size_t N>
std::optional<T> meaning(const std::array<Word<T>, N>& words, std::string_view text) {
  for (const auto& word : words) {
    if (word.text == text) return word.value;
  }
  return std::nullopt;
}

template <class T, std::size_t N>
std::string_view word_for(const std::array<Word<T>, N>& words, T value) {
  for (const auto& word : words) {
    if (word.value == value) return word.text;
  }
  return {};
}

PriorityClass class_of_number(std::int32_t priority) {
  if (priority >= 9000 && priority <= 9999) return PriorityClass::prod;
  if (priority >= 7000 && priority <= 7999) return PriorityClass::mid;
  if (priority >= 5000 && priority <= 5999) return PriorityClass::batch;
  if (priority >= 3000 && priority <= 3999) return PriorityClass::free;
  return PriorityClass::none;
}

/// A label with an unknown word means no class; the pod's priority number is not used instead.
void read_classes(Pod& pod) {
  if (const auto label = pod.labels.find("koordinator.sh/qosClass"); label != pod.labels.end()) {
    pod.label_qos = meaning(kQosWords, label->second);
  }
  if (const auto label = pod.labels.find("koordinator.sh/priority-class"); label != pod.labels.end()) {
    pod.priority_class = priority_class_named(label->second);
  } else if (pod.priority) {
    pod.priority_class = class_of_number(*pod.priority);
  }
}

/// An integer of an annotation within [low, high]; false when present but not such a number.
bool read_number(const document::Value& from, std::string_view key, std::int64_t low, std::int64_t high,
                 std::optional<std::int64_t>& out) {
  const auto* value = value_at(from, {key});
  if (value == nullptr) return true;
  const auto* scalar = value->scalar();
  if (scalar == nullptr || scalar->quoted) return false;
  const auto number = whole_number(scalar->text);
  if (!number) return false;
  out = number;
  return *number >= low && *number <= high;
}

bool read_percent(const document::Value& from, std::string_view key, std::optional<Percent>& out) {
  std::optional<std::int64_t> number;
  if (!read_number(from, key, 0, 100, number)) return false;
  if (number) out = Percent(*number);
  return true;
}

/// A boolean of an annotation; false when present but not a boolean.
bool read_flag(const document::Value& from, std::string_view key, std::optional<bool>& out) {
  const auto* value = value_at(from, {key});
  if (value == nullptr) return true;
  const auto* scalar = value->scalar();
  if (scalar == nullptr || scalar->quoted || (scalar->text != "true" && scalar->text != "false"))
    return false;
  out = scalar->text == "true";
  return true;
}

bool read_policy(const document::Value& from, std::optional<std::string>& out) {
  const auto* value = value_at(from, {"policy"});
  if (value == nullptr) return true;
  if (value->scalar() == nullptr || !value->scalar()->quoted) return false;
  if (value->scalar()->text.empty()) return true;
  out = value->scalar()->text;
  return std::find(kBurstWords.begin(), kBurstWords.end(), *out) != kBurstWords.end();
}

/// The same ranges as the node's cpuBurstStrategy. Absent: a value is out of range.
std::optional<CpuBurstOverride> burst_override(const document::Value& from) {
  CpuBurstOverride out;
  std::optional<std::int64_t> burst;
  std::optional<std::int64_t> quota;
  const bool good =
      read_policy(from, out.policy) && read_number(from, "cpuBurstPercent", 0, 10000, burst) &&
      read_number(from, "cfsQuotaBurstPercent", 100, INT32_MAX, quota) &&
      read_number(from, "cfsQuotaBurstPeriodSeconds", -1, INT32_MAX, out.cfs_quota_burst_period_seconds);
  if (!good) return std::nullopt;
  if (burst) out.cpu_burst_percent = Percent(*burst);
  if (quota) out.cfs_quota_burst_percent = Percent(*quota);
  return out;
}

/// Applies an annotation on top of the pod's `base` (the node's settings, its class), completely or not at
/// all with a notice.
template <class Override, class Read>
void read_override(const Pod& pod, const char* key, const std::string& base, Read read, const char* legal,
                   Override& into, std::vector<std::string>& notices) {
  const auto parsed = annotation_object(pod.annotations, key);
  const auto ignored = [&](const std::string& why) {
    notices.push_back("pod " + pod_title(pod) + ": annotation ignored, the " + base + ": " + why);
  };
  if (!parsed.problems.empty()) return ignored(parsed.problems.front().text());
  if (const auto found = read(parsed.root)) {
    into = *found;
  } else {
    ignored(std::string(key) + ": legal: " + legal);
  }
}

void read_burst(Pod& pod, std::vector<std::string>& notices) {
  read_override(pod, "koordinator.sh/cpuBurst", "node's settings apply", burst_override,
                "policy none, cpuBurstOnly, cfsQuotaBurstOnly or auto, cpuBurstPercent 0 to 10000, "
                "cfsQuotaBurstPercent 100 or more, cfsQuotaBurstPeriodSeconds -1 or more",
                pod.cpu_burst, notices);
}

/// Neutral unless enabled. Its other members (schedIdle, coreExpeller) apply to a whole class, not a pod.
bool read_identity(const document::Value& from, std::optional<std::int64_t>& out) {
  std::optional<bool> enabled;
  if (!read_flag(from, "enable", enabled) || !read_number(from, "groupIdentity", -1, 2, out)) return false;
  if (enabled != true) out = 0;
  return true;
}

void read_cpu_qos(Pod& pod, std::vector<std::string>& notices) {
  constexpr const char* kKey = "koordinator.sh/cpuQOS";
  if (!pod.annotations.contains(kKey)) return;
  const auto ignored = [&](const std::string& why) {
    notices.push_back("pod " + pod_title(pod) + ": annotation ignored, the pod's class applies: " + why);
  };
  if (pod.label_qos != QosClass::ls)
    return ignored(std::string(kKey) + ": legal: on pods labelled koordinator.sh/qosClass: LS");
  const auto parsed = annotation_object(pod.annotations, kKey);
  if (!parsed.problems.empty()) return ignored(parsed.problems.front().text());
  if (std::optional<std::int64_t> identity; read_identity(parsed.root, identity)) {
    pod.group_identity = identity;
  } else {
    ignored(std::string(kKey) + ": legal: enable true or false, groupIdentity -1 to 2");
  }
}

std::optional<MemoryQosOverride::Policy> memory_policy(const document::Value& from) {
  using Policy = MemoryQosOverride::Policy;
  constexpr std::array<Word<Policy>, 4> kWords = {{{"", Policy::of_class},
                                                   {"default", Policy::of_class},
                                                   {"none", Policy::none},
                                                   {"auto", Policy::automatic}}};
  const auto* value = value_at(from, {"policy"});
  if (value != nullptr && value->scalar() == nullptr) return std::nullopt;
  return meaning(kWords, text_at(from, {"policy"}));
}

/// The same ranges as memoryQOS of a class. Absent: a value is out of range.
std::optional<MemoryQosOverride> memory_override(const document::Value& from) {
  MemoryQosOverride out;
  std::optional<std::int64_t> size;
  const auto policy = memory_policy(from);
  const bool good = policy && read_percent(from, "minLimitPercent", out.min_limit_percent) &&
                    read_percent(from, "lowLimitPercent", out.low_limit_percent) &&
                    read_percent(from, "throttlingPercent", out.throttling_percent) &&
                    read_number(from, "oomKillGroup", 0, 1, out.oom_kill_group) &&
                    read_percent(from, "wmarkRatio", out.wmark_ratio) &&
                    read_number(from, "wmarkScalePermill", 1, 1000, out.wmark_scale_permill) &&
                    read_number(from, "wmarkMinAdj", -25, 50, out.wmark_min_adj) &&
                    read_number(from, "priorityEnable", 0, 1, out.priority_enable) &&
                    read_number(from, "priority", 0, 12, out.priority) &&
                    read_percent(from, "pageCacheLimitPercent", out.page_cache_limit_percent) &&
                    read_number(from, "pageCacheLimitSize", 0, INT64_MAX, size) &&
                    read_flag(from, "pageCacheEnable", out.page_cache_enable) &&
                    read_flag(from, "pageCacheReclaimSync", out.page_cache_reclaim_sync);
  if (!good) return std::nullopt;
  out.policy = *policy;
  if (size) out.page_cache_limit_size = Bytes(*size);
  return out;
}

void read_memory_qos(Pod& pod, std::vector<std::string>& notices) {
  read_override(
      pod, "koordinator.sh/memoryQOS", "pod's class applies", memory_override,
      "policy default, none or auto, minLimitPercent, lowLimitPercent, throttlingPercent, wmarkRatio and "
      "pageCacheLimitPercent 0 to 100, wmarkScalePermill 1 to 1000, wmarkMinAdj -25 to 50, oomKillGroup and "
      "priorityEnable 0 or 1, priority 0 to 12, pageCacheEnable and pageCacheReclaimSync true or false, "
      "pageCacheLimitSize 0 bytes or more",
      pod.memory_qos, notices);
}

/// The NUMA nodes that the scheduler chose.
struct NumaNodes {
  std::vector<int> all{}, of_cpu{};
};

/// Absent: an entry of the list cannot be parsed.
std::optional<NumaNodes> numa_nodes_of(const document::Value& status) {
  const auto list = list_at(status, {"numaNodeResources"});
  if (!list) return std::nullopt;
  NumaNodes nodes;
  for (const auto& item : *list) {
    std::optional<std::int64_t> number;
    if (item.map() == nullptr || !read_number(item, "node", 0, 1023, number)) return std::nullopt;
    const int node = static_cast<int>(number.value_or(0));  // the scheduler omits a zero
    nodes.all.push_back(node);
    const auto amounts = read_resources(value_at(item, {"resources"})).resources;
    if (amounts.cpu || amounts.batch_cpu || amounts.mid_cpu) nodes.of_cpu.push_back(node);
  }
  return nodes;
}

void read_allocation(Pod& pod, std::vector<std::string>& notices) {
  constexpr const char* kKey = "scheduling.koordinator.sh/resource-status";
  const auto parsed = annotation_object(pod.annotations, kKey);
  const auto ignored = [&](const std::string& why) {
    notices.push_back("pod " + pod_title(pod) + ": annotation ignored: " + why);
  };
  if (!parsed.problems.empty()) return ignored(parsed.problems.front().text());
  const auto text = text_at(parsed.root, {"cpuset"});
  const auto cpus = CpuSet::parse(text);
  const auto nodes = numa_nodes_of(parsed.root);
  if (!cpus)
    ignored(kKey + (": cpuset: found '" + text.substr(0, 40)) + "'; legal: a CPU list such as 0-3,8");
  if (!nodes) ignored(kKey + std::string(": numaNodeResources: legal: a list of maps with node, 0 to 1023"));
  if (cpus && !cpus->empty()) pod.allocated_cpus = *cpus;
  if (!nodes) return;
  pod.numa_nodes = nodes->all;
  pod.cpu_numa_nodes = nodes->of_cpu;
}

}  // namespace

PriorityClass priority_class_named(std::string_view word) {
  return meaning(kPriorityWords, word).value_or(PriorityClass::none);
}

std::string_view name_of(PriorityClass priority_class) { return word_for(kPriorityWords, priority_class); }
std::string_view name_of(QosClass qos) { return word_for(kQosWords, qos); }

void read_pod_protocol(Pod& pod, std::vector<std::string>& notices) {
  read_classes(pod);
  const auto hands_off = pod.annotations.find("evenkeel.io/hands-off");
  pod.hands_off = hands_off != pod.annotations.end() && hands_off->second == "true";
  read_eviction(pod, notices);
  read_burst(pod, notices);
  read_cpu_qos(pod, notices);
  read_memory_qos(pod, notices);
  read_oom_score(pod, notices);
  read_resctrl(pod, notices);
  read_blkio(pod, notices);
  read_allocation(pod, notices);
}

}  // namespace evenkeel::pods
