// Small readers for Kubernetes objects and for what the API writes: quantities, times.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/document/document.h"
#include "qos/model/pod.h"

namespace evenkeel::pods {

// Small readers for Kubernetes objects: texts, resource lists, JSON in annotations. Does not know pods or
// nodes.

/// Labels or annotations: scalars only, without kubectl's copy of the whole object.
TextMap text_map(const document::Value* value);

struct ResourcesRead {
  Resources resources{};
  std::string refusal{};  ///< not empty: "cpu: found '2x'; legal: …"
};
/// A resource list; absent and null are empty, unknown resource names are skipped.
ResourcesRead read_resources(const document::Value* value);

/// One plausible quantity: not negative, at most a million CPUs or an exbibyte.
std::optional<MilliCpu> plausible_cpu(std::string_view text);
std::optional<Bytes> plausible_bytes(std::string_view text);

/// Empty, or why there are too many: "it has 257 labels, 256 are the most".
std::string too_many(const char* what, std::size_t count, std::size_t most);

/// The whole text as one integer, without blanks.
std::optional<std::int64_t> whole_number(std::string_view text);

/// The JSON object in an annotation; null root when there is none. Any other text is a problem.
document::Parsed annotation_object(const TextMap& annotations, const char* key);

// Parses and formats times as the Kubernetes API writes them. Does not read a clock.

/// RFC 3339 -> seconds since 1970, truncated: "2026-01-31T23:59:59Z", "2026-01-31T23:59:59.5+05:30".
std::optional<std::int64_t> parse_timestamp(std::string_view text);
/// "2026-01-31T23:59:59Z".
std::string timestamp(std::int64_t unix_seconds);

// Reads parts of one v1 Node object into a NodeObject. What cannot be read is a notice and stays unknown.

/// The JSON object in an annotation; null root when there is none, or with a notice when it cannot be read.
document::Value node_annotation(const NodeObject& node, const char* key, std::vector<std::string>& notices);

/// node_lending.cpp: Koordinator's annotations that limit what can be lent, from node.annotations.
void read_node_lending(NodeObject& node, std::vector<std::string>& notices);

}  // namespace evenkeel::pods
