#include <algorithm>
#include <array>

#include "agent/config/schema_read.h"
#include "agent/document/document.h"
#include "agent/document/units_text.h"
#include "agent/history/usage_history.h"
#include "agent/lender/lending.h"

namespace evenkeel::lender {
namespace {

constexpr std::int64_t kLeastAggregateSeconds = 60;
constexpr std::int64_t kLeastIntervalSeconds = 30;
/// Each window costs a pass over the history and a line in the report.
constexpr std::size_t kMostWindows = 8;

struct Field {
  const char* key;       ///< in the policy
  const char* strategy;  ///< in the colocation strategy
};
constexpr std::array<Field, 4> kFields = {{{"aggregateDurationSeconds", "metricAggregateDurationSeconds"},
                                           {"reportIntervalSeconds", "metricReportIntervalSeconds"},
                                           {"nodeAggregatePolicy", "metricAggregatePolicy"},
                                           {"nodeMemoryCollectPolicy", "metricMemoryCollectPolicy"}}};

/// True: the field was applied.
bool put(const Field& field, const CollectPolicy& policy, ColocationStrategy& strategy,
         std::vector<std::string>& notices) {
  const auto* value = document::value_at(policy.fields, {field.key});
  if (value == nullptr) return false;
  document::Value layer;
  layer.is = document::ValueMap{{field.strategy, *value}};
  auto merged = strategy;
  config::SchemaRead read{.file = "NodeMetric"};
  config::read_section(layer, config::colocation_rows(), &merged, "", true, read);
  if (read.problems.empty()) {
    strategy = std::move(merged);
    return true;
  }
  notices.push_back(std::string("NodeMetric: ") + field.key + " ignored: " + read.problems.front().message);
  return false;
}

void raise(std::int64_t& seconds, std::int64_t least) { seconds = std::max(seconds, least); }

void drop_windows(ColocationStrategy& strategy, std::vector<std::string>& notices) {
  auto& windows = strategy.metric_aggregate_durations;
  std::erase_if(windows, [&](Duration window) {
    if (window > Duration::zero() && window <= history::kLongestWindow) return false;
    notices.push_back("NodeMetric: percentiles over " + document::duration_text(window) +
                      " left out: usage is kept for " + document::duration_text(history::kLongestWindow));
    return true;
  });
  if (windows.size() <= kMostWindows) return;
  notices.push_back("NodeMetric: percentiles over " + std::to_string(windows.size()) +
                    " windows: the first " + std::to_string(kMostWindows) + " are reported");
  windows.resize(kMostWindows);
}

void keep_to_what_is_measured(ColocationStrategy& strategy, std::vector<std::string>& notices) {
  constexpr std::int64_t kMostSeconds =
      std::chrono::floor<std::chrono::seconds>(history::kLongestWindow).count();
  auto& seconds = strategy.metric_aggregate_duration_seconds;
  if (seconds > kMostSeconds) {
    notices.push_back("NodeMetric: averages over " + std::to_string(seconds) + " s: usage is kept for " +
                      std::to_string(kMostSeconds) + " s, so they are over that");
    seconds = kMostSeconds;
  }
  drop_windows(strategy, notices);
  if (strategy.metric_memory_collect_policy != "usageWithHotPageCache") return;
  notices.emplace_back(
      "NodeMetric: usageWithHotPageCache: hot pages are not known apart, usageWithoutPageCache is reported");
  strategy.metric_memory_collect_policy = "usageWithoutPageCache";
}

}  // namespace

std::optional<CollectPolicy> collect_policy_in(std::string_view node_metric_json) {
  static constexpr std::array<document::KeyFilter, 1> kSpec = {{{"metricCollectPolicy", {}}}};
  static constexpr std::array<document::KeyFilter, 2> kObject = {{{"kind", {}}, {"spec", kSpec}}};
  const auto parsed = document::parse_json(node_metric_json, "answer", kObject);
  if (!parsed.problems.empty() || document::text_at(parsed.root, {"kind"}) != "NodeMetric")
    return std::nullopt;
  const auto* policy = document::value_at(parsed.root, {"spec", "metricCollectPolicy"});
  return policy != nullptr ? CollectPolicy{*policy} : CollectPolicy{};
}

std::vector<std::string> apply_collect_policy(const CollectPolicy& policy, ColocationStrategy& strategy) {
  std::vector<std::string> notices;
  std::array<bool, kFields.size()> given{};
  for (std::size_t i = 0; i < kFields.size(); ++i) given[i] = put(kFields[i], policy, strategy, notices);
  if (given[0]) raise(strategy.metric_aggregate_duration_seconds, kLeastAggregateSeconds);
  if (given[1]) raise(strategy.metric_report_interval_seconds, kLeastIntervalSeconds);
  keep_to_what_is_measured(strategy, notices);
  return notices;
}

}  // namespace evenkeel::lender
