#include "agent/document/units_text.h"
#include "agent/pods/kube_text.h"
#include "agent/pods/pod_list.h"

namespace evenkeel::pods {
namespace {

/// node.koordinator.sh/raw-allocatable is a plain resource list.
void read_raw_allocatable(NodeObject& node, std::vector<std::string>& notices) {
  constexpr const char* kKey = "node.koordinator.sh/raw-allocatable";
  const auto object = node_annotation(node, kKey, notices);
  const auto raw = read_resources(&object);
  if (!raw.refusal.empty()) {
    notices.push_back(std::string("node: annotation ignored: ") + kKey + ": " + raw.refusal);
  }
  node.cpu_raw_allocatable = raw.resources.cpu;
  node.memory_raw_allocatable = raw.resources.memory;
}

void read_ratio(NodeObject& node, std::vector<std::string>& notices) {
  constexpr const char* kKey = "node.koordinator.sh/cpu-normalization-ratio";
  constexpr double kMost = 100;
  const auto annotation = node.annotations.find(kKey);
  if (annotation == node.annotations.end()) return;
  const auto& text = annotation->second;
  const auto ratio = document::parse_decimal(text);
  if (ratio && *ratio > 0 && *ratio <= kMost) {
    node.cpu_normalization_ratio = *ratio;
    return;
  }
  notices.push_back(std::string("node: annotation ignored: ") + kKey + ": found '" + text.substr(0, 40) +
                    "'; legal: a decimal number above 0, at most 100");
}

void read_bandwidth(NodeObject& node, std::vector<std::string>& notices) {
  constexpr const char* kKey = "node.koordinator.sh/network-bandwidth";
  const auto annotation = node.annotations.find(kKey);
  if (annotation == node.annotations.end()) return;
  const auto bits = document::parse_quantity(annotation->second);
  if (bits && *bits > 0) {
    node.network_bandwidth = BitRate(*bits);
    return;
  }
  notices.push_back(std::string("node: annotation ignored: ") + kKey + ": found '" +
                    annotation->second.substr(0, 40) + "'; legal: bits per second such as 10G");
}

/// Not empty: why the entry cannot be parsed.
std::string read_allocation(const document::Value& item, ThirdPartyAllocation& out) {
  if (item.map() == nullptr) return "found something else than a map in allocations";
  out.name = text_at(item, {"name"});
  out.priority_class = priority_class_named(text_at(item, {"priority"}));
  auto resources = read_resources(value_at(item, {"resources"}));
  out.resources = resources.resources;
  return resources.refusal;
}

std::string read_allocations(const document::Parsed& annotation, std::vector<ThirdPartyAllocation>& out) {
  if (!annotation.problems.empty()) return annotation.problems.front().text();
  const auto list = list_at(annotation.root, {"allocations"});
  if (!list) return "allocations: found something else than a list";
  for (const auto& item : *list) {
    if (auto why = read_allocation(item, out.emplace_back()); !why.empty()) return why;
  }
  return {};
}

/// Another component has reserved resources: an unreadable text must not count as "nothing reserved".
void read_third_parties(NodeObject& node, std::vector<std::string>& notices) {
  constexpr const char* kKey = "node.koordinator.sh/thirdPartyAllocations";
  const auto why = read_allocations(annotation_object(node.annotations, kKey), node.third_parties);
  if (why.empty()) return;
  node.third_parties.clear();
  node.third_parties_unknown = std::string("annotation ") + kKey + " cannot be read";
  notices.push_back(std::string("node: annotation ") + kKey +
                    " cannot be read, so batch resources are not raised: " + why);
}

}  // namespace

void read_node_lending(NodeObject& node, std::vector<std::string>& notices) {
  read_raw_allocatable(node, notices);
  read_ratio(node, notices);
  read_bandwidth(node, notices);
  read_third_parties(node, notices);
}

}  // namespace evenkeel::pods
