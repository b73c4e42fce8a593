#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <span>
#include <utility>

#include "agent/document/document.h"
#include "agent/pods/kube_text.h"
#include "agent/reporting/node_topology.h"
#include "agent/runtime/json.h"

namespace evenkeel::reporting {
namespace {

using document::Value;

constexpr const char* kKind = "NodeResourceTopology";
constexpr const char* kApiVersion = "topology.node.k8s.io/v1alpha1";
constexpr const char* kBatchCpu = "kubernetes.io/batch-cpu";
constexpr const char* kBatchMemory = "kubernetes.io/batch-memory";

void put_scalar(runtime::Json& json, const document::Scalar& scalar) {
  if (scalar.quoted) return void(json.value(scalar.text));
  if (scalar.text == "true" || scalar.text == "false") return void(json.value(scalar.text == "true"));
  if (const auto whole = pods::whole_number(scalar.text)) return void(json.value(*whole));
  json.value(std::strtod(scalar.text.c_str(), nullptr));
}
void put_copy(runtime::Json& json, const Value& value) {
  if (const auto* scalar = value.scalar()) return put_scalar(json, *scalar);
  if (const auto* list = value.list()) {
    json.begin_array();
    for (const auto& item : *list) put_copy(json, item);
    return void(json.end_array());
  }
  if (value.map() == nullptr) return void(json.null());
  json.begin_object();
  for (const auto& [key, member] : *value.map()) {
    json.key(key);
    put_copy(json, member);
  }
  json.end_object();
}

void put_resource(runtime::Json& json, const char* name, const std::string& amount) {
  json.begin_object().member("name", name).member("capacity", amount);
  json.member("allocatable", amount).member("available", amount).end_object();
}

/// The resources that every zone has.
using Z = NodeTopology::Zone;
constexpr std::array<std::pair<const char*, std::string Z::*>, 4> kFixed = {
    {{"cpu", &Z::cpu},
     {"memory", &Z::memory},
     {"hugepages-1Gi", &Z::pages_of_1gib},
     {"hugepages-2Mi", &Z::pages_of_2mib}}};

bool is_ours(std::string_view resource, bool owns_batch) {
  return std::ranges::any_of(kFixed, [&](const auto& fixed) { return resource == fixed.first; }) ||
         (owns_batch && (resource == kBatchCpu || resource == kBatchMemory));
}

/// The amount of a resource in a zone of the server's object; empty: none.
std::string standing_amount(std::span<const Value> resources, std::string_view name) {
  for (const auto& one : resources)
    if (one.text("name") == name) return one.text("allocatable");
  return {};
}

/// `amount`; or what the object has already, if the difference is too small to report.
std::string steadied(std::int64_t amount, const std::string& standing, double steady) {
  const auto old = pods::whole_number(standing);
  const bool close =
      old && *old > 0 &&
      std::abs(static_cast<double>(amount) - static_cast<double>(*old)) <= steady * static_cast<double>(*old);
  return close ? standing : std::to_string(amount);
}

struct Zones {
  const NodeTopology& topology;
  std::span<const Value> standing;
  double steady = 0;
};

const Value* find_zone(std::span<const Value> zones, std::string_view name) {
  for (const auto& zone : zones)
    if (zone.text("name") == name) return &zone;
  return nullptr;
}

void put_resources(runtime::Json& json, const Zones& zones, const NodeTopology::Zone& zone,
                   std::span<const Value> standing) {
  json.key("resources").begin_array();
  for (const auto& [name, amount] : kFixed) put_resource(json, name, zone.*amount);
  for (const auto& [name, amount] : {std::pair{kBatchCpu, zone.batch_cpu}, {kBatchMemory, zone.batch_memory}})
    if (amount) put_resource(json, name, steadied(*amount, standing_amount(standing, name), zones.steady));
  for (const auto& one : standing)
    if (!is_ours(one.text("name"), zones.topology.owns_batch)) put_copy(json, one);
  json.end_array();
}

void put_zone(runtime::Json& json, const Zones& zones, std::size_t number) {
  const auto name = "node-" + std::to_string(number);
  const Value* old = find_zone(zones.standing, name);
  const auto resources = old == nullptr ? std::nullopt : document::list_at(*old, {"resources"});
  json.begin_object().member("name", name).member("type", "Node");
  put_resources(json, zones, zones.topology.zones[number], resources.value_or(std::span<const Value>{}));
  if (old != nullptr && old->map() != nullptr)
    for (const auto& [key, member] : *old->map())
      if (key != "name" && key != "type" && key != "resources") {
        json.key(key);
        put_copy(json, member);
      }
  json.end_object();
}

std::string zones_text(const Zones& zones) {
  std::string out;
  runtime::Json json(out);
  json.begin_array();
  for (std::size_t number = 0; number < zones.topology.zones.size(); ++number) put_zone(json, zones, number);
  for (const auto& zone : zones.standing)  // those of other types, that is, of other reporters
    if (zone.text("type") != "Node") put_copy(json, zone);
  json.end_array();
  return out;
}

void put_annotations(runtime::Json& json, const NodeTopology& topology, bool removes) {
  json.key("annotations").begin_object();
  for (const auto& [name, text] : topology.annotations)
    if (text || removes) json.member(name, text);
  json.end_object();
}

bool annotated(const NodeTopology& topology, const Value& object) {
  const auto* standing = document::value_at(object, {"metadata", "annotations"});
  for (const auto& [name, text] : topology.annotations) {
    const auto* old = standing == nullptr ? nullptr : standing->find(name);
    if ((old != nullptr) != text.has_value() || (text && standing->text(name) != *text)) return false;
  }
  return true;
}

bool has_policy(const Value& object, const std::string& policy) {
  const auto policies = document::list_at(object, {"topologyPolicies"});
  if (!policies || policies->size() != 1) return false;
  const auto* text = policies->front().scalar();
  return text != nullptr && text->text == policy;
}

/// Equal except for the order: another writer may have added its members anywhere.
bool same_zones(const Value& a, const Value& b);
bool same_map(const document::ValueMap& a, const Value& b) {
  if (b.map() == nullptr || a.size() != b.map()->size()) return false;
  for (const auto& [key, member] : a) {
    const auto* other = b.find(key);
    if (other == nullptr || !same_zones(member, *other)) return false;
  }
  return true;
}
/// The lists of zones and of resources are sets by name.
bool same_list(const document::ValueList& a, const Value& b) {
  if (b.list() == nullptr || a.size() != b.list()->size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto name = a[i].text("name");
    const auto* other = name.empty() ? &(*b.list())[i] : find_zone(*b.list(), name);
    if (other == nullptr || !same_zones(a[i], *other)) return false;
  }
  return true;
}
bool same_zones(const Value& a, const Value& b) {
  if (const auto* map = a.map()) return same_map(*map, b);
  if (const auto* list = a.list()) return same_list(*list, b);
  if (a.scalar() == nullptr || b.scalar() == nullptr) return a.null() && b.null();
  return a.scalar()->text == b.scalar()->text;
}

}  // namespace

std::string topology_object(const NodeTopology& topology, const std::string& node,
                            const std::string& node_uid) {
  std::string out;
  runtime::Json json(out);
  json.begin_object().member("apiVersion", kApiVersion).member("kind", kKind);
  json.key("metadata").begin_object().member("name", node);
  json.key("labels").begin_object().member("app.kubernetes.io/managed-by", "evenkeel").end_object();
  put_annotations(json, topology, false);
  json.key("ownerReferences").begin_array().begin_object();
  json.member("apiVersion", "v1").member("kind", "Node").member("name", node).member("uid", node_uid);
  json.end_object().end_array().end_object();
  // The API demands a policy also where that of the kubelet's topology manager is not known.
  json.key("topologyPolicies").begin_array();
  json.value(topology.policy.empty() ? std::string("None") : topology.policy).end_array();
  json.key("zones");
  out += zones_text({topology, {}, 0}) + '}';
  return out;
}

std::optional<std::string> topology_patch(const NodeTopology& topology, std::string_view standing,
                                          double steady) {
  const auto object = document::parse_json(standing, "server");
  if (!object.problems.empty() || document::text_at(object.root, {"kind"}) != kKind) return std::nullopt;
  const auto old = document::list_at(object.root, {"zones"});
  if (!old) return std::nullopt;
  const auto zones = zones_text({topology, *old, steady});
  const auto* old_zones = document::value_at(object.root, {"zones"});
  const auto wanted = document::parse_json(zones, "zones");
  const bool policy_stands = topology.policy.empty() || has_policy(object.root, topology.policy);
  if (policy_stands && old_zones != nullptr && same_zones(wanted.root, *old_zones) &&
      annotated(topology, object.root))
    return std::string();
  std::string out;
  runtime::Json json(out);
  json.begin_object().key("metadata").begin_object();
  json.member("resourceVersion", document::text_at(object.root, {"metadata", "resourceVersion"}));
  put_annotations(json, topology, true);
  json.end_object();
  if (!policy_stands) json.key("topologyPolicies").begin_array().value(topology.policy).end_array();
  json.key("zones");
  out += zones + '}';
  return out;
}

}  // namespace evenkeel::reporting
