// One configuration for several node pools: the entries of nodeStrategies, laid over the other settings by
// the labels of the node. Does not know what a setting means.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/config/label_selector.h"
#include "agent/config/schema_read.h"
#include "agent/document/document.h"
#include "qos/model/pod.h"

namespace evenkeel::config {

inline constexpr std::string_view kNodeStrategies = "nodeStrategies";

/// What an entry has besides sections.
struct NodePool {
  std::string name{};  ///< for messages; may be empty
  std::optional<LabelSelector> selector{};
};
struct NodePoolList {
  std::vector<NodePool> pools{};
};

/// The row of nodeStrategies, rooted at a NodePoolList, for the example file. The sections that an entry may
/// have are node_slo_rows().
std::span<const Row> node_strategies_rows();

/// A spec in two parts.
struct SplitSpec {
  /// An entry of nodeStrategies.
  struct Entry {
    NodePool pool{};
    document::Value sections{};
    std::string key{};  ///< "nodeStrategies[0]", for messages
    document::Place place{};
  };
  document::Value common{};  ///< what is outside of nodeStrategies
  std::vector<Entry> entries{};
};

/// Reads selectors, and every section by itself; problems go to `read`.
SplitSpec split_spec(const document::Value& spec, SchemaRead& read);

/// The common settings with all sections of one entry over them.
document::Value with_entry(const SplitSpec& spec, const SplitSpec::Entry& entry);

/// The settings of the node with these labels (null: they are not known, nothing is selected). For each
/// section, and each member of extensions, the first entry counts that selects the node and has this section,
/// as in Koordinator's slo-controller-config. `applied` says which entries do.
document::Value settings_of_node(const SplitSpec& spec, const TextMap* labels, const std::string& file,
                                 std::vector<std::string>& applied);

}  // namespace evenkeel::config
