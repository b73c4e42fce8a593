#include <array>
#include <cmath>

#include "agent/config/nodeslo_config.h"
#include "agent/config/schema_read.h"
#include "agent/document/document.h"
#include "agent/document/units_text.h"

namespace evenkeel::config {
namespace {

constexpr const char* kAnnotation = "node.koordinator.sh/colocation-strategy";

struct RatioLabel {
  const char* label;
  const char* key;  ///< the percentage of the strategy that the ratio replaces
};
constexpr std::array<RatioLabel, 4> kLabels = {
    {{"node.koordinator.sh/cpu-reclaim-ratio", "cpuReclaimThresholdPercent"},
     {"node.koordinator.sh/memory-reclaim-ratio", "memoryReclaimThresholdPercent"},
     {"node.koordinator.sh/mid-static-cpu-reserved-ratio", "midStaticCPUReservedPercent"},
     {"node.koordinator.sh/mid-static-memory-reserved-ratio", "midStaticMemoryReservedPercent"}}};

/// Applies `layer` if all of it is legal. Not empty: the first part that is not.
std::string put(const document::Value& layer, ColocationStrategy& strategy,
                std::vector<std::string>& notices) {
  auto merged = strategy;
  SchemaRead read{.file = "annotation"};
  read_section(layer, colocation_rows(), &merged, "", true, read);
  for (const auto& notice : read.notices)
    notices.push_back(std::string("node: ") + kAnnotation + ": " + notice);
  if (!read.problems.empty()) return read.problems.front().key + ": " + read.problems.front().message;
  strategy = std::move(merged);
  return {};
}

void put_annotation(const NodeObject& node, NodeStrategy& out) {
  const auto annotation = node.annotations.find(kAnnotation);
  if (annotation == node.annotations.end()) return;
  const auto parsed = document::parse_json(annotation->second, kAnnotation);
  std::string why = "found a list; legal: a JSON object";
  if (!parsed.problems.empty()) {
    why = parsed.problems.front().message;
  } else if (parsed.root.map() != nullptr) {
    why = put(parsed.root, out.strategy, out.notices);
  }
  if (!why.empty())
    out.notices.push_back(std::string("node: annotation ") + kAnnotation + " ignored: " + why);
}

/// "0.65" is 65, truncated to a whole percent. Absent: not a number, or outside a ratio's range.
std::optional<std::int64_t> percent_of_ratio(const std::string& text) {
  constexpr double kMost = 1e6;
  constexpr double kNoise = 1e-9;  // 0.29 * 100 is a little less than 29
  const auto ratio = document::parse_decimal(text);
  if (!ratio || !(*ratio >= 0 && *ratio <= kMost)) return std::nullopt;
  return static_cast<std::int64_t>(std::floor(*ratio * 100 + kNoise));
}

void put_label(const NodeObject& node, const RatioLabel& row, NodeStrategy& out) {
  const auto label = node.labels.find(row.label);
  if (label == node.labels.end()) return;
  std::string why = "legal: a decimal number, not negative";
  if (const auto percent = percent_of_ratio(label->second)) {
    document::Value layer;
    layer.is =
        document::ValueMap{{row.key, document::Value{.is = document::Scalar{std::to_string(*percent)}}}};
    why = put(layer, out.strategy, out.notices);
  }
  if (!why.empty()) {
    out.notices.push_back(std::string("node: label ") + row.label + " ignored: found '" +
                          label->second.substr(0, 40) + "': " + why);
  }
}

}  // namespace

NodeStrategy node_strategy(const ColocationStrategy& cluster, const NodeObject& node) {
  NodeStrategy out{cluster};
  put_annotation(node, out);
  for (const auto& row : kLabels) put_label(node, row, out);
  return out;
}

}  // namespace evenkeel::config
