// v1 PodList and v1 Node texts (JSON or YAML) -> values that policies read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agent/document/document.h"
#include "qos/model/pod.h"

namespace evenkeel::pods {

/// People write YAML or JSON in an order of their own. A server sends JSON, and its list in any order,
/// another one each time: it is put in order, so that nothing is decided by it.
enum class Source : std::uint8_t { file, server };

struct PodList {
  std::vector<Pod> pods{};
  std::vector<std::string> notices{};         ///< a pod or annotation that was left out or ignored, and why
  std::vector<document::Problem> problems{};  ///< not empty: the text as a whole cannot be used
};
PodList parse_pod_list(std::string_view text, const std::string& file, Source source = Source::file);

struct NodeFile {
  NodeObject node{};
  std::vector<std::string> notices{};
  std::vector<document::Problem> problems{};
};
NodeFile parse_node(std::string_view text, const std::string& file, Source source = Source::file);

}  // namespace evenkeel::pods
