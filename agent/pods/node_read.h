// Reads parts of one v1 Node object into a NodeObject. What cannot be read is a notice and stays unknown.
#pragma once

#include <string>
#include <vector>

#include "agent/document/document.h"
#include "qos/model/pod.h"

namespace evenkeel::pods {

/// The JSON object in an annotation; null root when there is none, or with a notice when it cannot be read.
document::Value node_annotation(const NodeObject& node, const char* key, std::vector<std::string>& notices);

/// node_lending.cpp: Koordinator's annotations that limit what can be lent, from node.annotations.
void read_node_lending(NodeObject& node, std::vector<std::string>& notices);

}  // namespace evenkeel::pods
