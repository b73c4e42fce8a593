#include <algorithm>
#include <array>
#include <charconv>

#include "agent/pods/kube_text.h"
#include "agent/pods/pod_read.h"

namespace evenkeel {
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

PriorityClass class_of_number(std::int32_t priority) {
  if (priority >= 9000 && priority <= 9999) return PriorityClass::prod;
  if (priority >= 7000 && priority <= 7999) return PriorityClass::mid;
  if (priority >= 5000 && priority <= 5999) return PriorityClass::batch;
  if (priority >= 3000 && priority <= 3999) return PriorityClass::free;
  return PriorityClass::none;
}

/// A label with an unknown word names no class; the number does not step in.
void read_classes(Pod& pod) {
  if (const auto label = pod.labels.find("koordinator.sh/qosClass"); label != pod.labels.end()) {
    pod.label_qos = meaning(kQosWords, label->second);
  }
  if (const auto label = pod.labels.find("koordinator.sh/priority-class"); label != pod.labels.end()) {
    pod.priority_class = meaning(kPriorityWords, label->second).value_or(PriorityClass::none);
  } else if (pod.priority) {
    pod.priority_class = class_of_number(*pod.priority);
  }
}

/// A whole number of an annotation within [low, high]; false when it is there and is none.
bool read_number(const Value& from, std::string_view key, std::int64_t low, std::int64_t high,
                 std::optional<std::int64_t>& out) {
  const auto* value = value_at(from, {key});
  if (value == nullptr) return true;
  const auto* scalar = value->scalar();
  if (scalar == nullptr || scalar->quoted) return false;
  std::int64_t number = 0;
  const auto [end, error] =
      std::from_chars(scalar->text.data(), scalar->text.data() + scalar->text.size(), number);
  if (error != std::errc{} || end != scalar->text.data() + scalar->text.size()) return false;
  out = number;
  return number >= low && number <= high;
}

bool read_policy(const Value& from, std::optional<std::string>& out) {
  const auto* value = value_at(from, {"policy"});
  if (value == nullptr) return true;
  if (value->scalar() == nullptr || !value->scalar()->quoted) return false;
  if (value->scalar()->text.empty()) return true;
  out = value->scalar()->text;
  return std::find(kBurstWords.begin(), kBurstWords.end(), *out) != kBurstWords.end();
}

/// The same ranges as the node's cpuBurstStrategy. Absent: something in it is not legal.
std::optional<CpuBurstOverride> burst_override(const Value& from) {
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

void read_burst(Pod& pod, std::vector<std::string>& notices) {
  constexpr const char* kKey = "koordinator.sh/cpuBurst";
  const auto parsed = annotation_object(pod.annotations, kKey);
  const auto ignored = [&](const std::string& why) {
    notices.push_back("pod " + pod_title(pod) + ": annotation ignored, the node's settings apply: " + why);
  };
  if (!parsed.problems.empty()) return ignored(parsed.problems.front().text());
  if (const auto read = burst_override(parsed.root)) {
    pod.cpu_burst = *read;
  } else {
    ignored(std::string(kKey) +
            ": legal: policy none, cpuBurstOnly, cfsQuotaBurstOnly or auto, cpuBurstPercent 0 to 10000, "
            "cfsQuotaBurstPercent 100 or more, cfsQuotaBurstPeriodSeconds -1 or more");
  }
}

void read_cpus(Pod& pod, std::vector<std::string>& notices) {
  constexpr const char* kKey = "scheduling.koordinator.sh/resource-status";
  const auto parsed = annotation_object(pod.annotations, kKey);
  const auto text = text_at(parsed.root, {"cpuset"});
  const auto cpus = CpuSet::parse(text);
  if (!parsed.problems.empty()) {
    notices.push_back("pod " + pod_title(pod) + ": annotation ignored: " + parsed.problems.front().text());
  } else if (!cpus) {
    notices.push_back("pod " + pod_title(pod) + ": annotation ignored: " + kKey + ": cpuset: found '" +
                      text.substr(0, 40) + "'; legal: a CPU list such as 0-3,8");
  } else if (!cpus->empty()) {
    pod.allocated_cpus = *cpus;
  }
}

}  // namespace

void read_pod_protocol(Pod& pod, std::vector<std::string>& notices) {
  read_classes(pod);
  const auto hands_off = pod.annotations.find("evenkeel.io/hands-off");
  pod.hands_off = hands_off != pod.annotations.end() && hands_off->second == "true";
  read_burst(pod, notices);
  read_cpus(pod, notices);
}

}  // namespace evenkeel
