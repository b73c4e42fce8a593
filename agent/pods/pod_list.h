// Parses v1 PodList and v1 Node texts (JSON or YAML) into the values that policies read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agent/document/document.h"
#include "qos/model/pod.h"

namespace evenkeel::pods {

/// A file is YAML or JSON and keeps its order. A server sends JSON with its list in arbitrary, changing
/// order: it is sorted, so that no decision depends on the order.
enum class Source : std::uint8_t { file, server };

struct PodList {
  std::vector<Pod> pods{};
  std::vector<std::string> notices{};         ///< a pod or annotation that was ignored, and why
  std::vector<document::Problem> problems{};  ///< not empty: the whole text is unusable
};
PodList parse_pod_list(std::string_view text, const std::string& file, Source source = Source::file);

struct NodeFile {
  NodeObject node{};
  std::vector<std::string> notices{};
  std::vector<document::Problem> problems{};
};
NodeFile parse_node(std::string_view text, const std::string& file, Source source = Source::file);

}  // namespace evenkeel::pods
