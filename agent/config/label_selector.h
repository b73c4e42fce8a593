// Kubernetes' label selectors: their rows in the schema, what is wrong with one, and what it selects.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "agent/config/schema_read.h"
#include "qos/model/pod.h"

namespace evenkeel::config {

/// One condition of Kubernetes' label selectors.
struct LabelRequirement {
  enum class Operator : std::uint8_t { in, not_in, exists, does_not_exist };
  std::string key{};
  Operator is = Operator::in;
  std::vector<std::string> values{};  ///< for in and not_in
};

/// A Kubernetes label selector; without conditions it selects everything.
struct LabelSelector {
  TextMap match_labels{};
  std::vector<LabelRequirement> match_expressions{};
};

/// Whether all conditions hold. A label that is absent is "not in" any values.
bool selects(const LabelSelector& selector, const TextMap& labels);

/// The rows of matchLabels and matchExpressions, rooted at a LabelSelector.
std::span<const Row> label_selector_rows();

/// Adds a problem for each condition that Kubernetes would refuse. `key` as in Origins.
void check_selector(const LabelSelector& selector, const std::string& key, SchemaRead& read);

}  // namespace evenkeel::config
