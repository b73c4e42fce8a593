// v1 PodList and v1 Node texts (JSON or YAML) -> values that policies read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/document/document.h"
#include "qos/pod.h"

namespace evenkeel {

struct PodList {
  std::vector<Pod> pods{};
  std::vector<std::string> notices{};  ///< a pod or annotation that was left out or ignored, and why
  std::vector<Problem> problems{};     ///< not empty: the text as a whole cannot be used
};
PodList parse_pod_list(std::string_view text, const std::string& file);

struct NodeFile {
  NodeObject node{};
  std::vector<std::string> notices{};
  std::vector<Problem> problems{};
};
NodeFile parse_node(std::string_view text, const std::string& file);

}  // namespace evenkeel
