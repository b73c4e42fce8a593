#include "agent/config/node_pools.h"

#include <algorithm>
#include <set>

namespace evenkeel::config {
namespace {

using namespace schema;
using document::Value;
using document::ValueMap;

constexpr std::string_view kExtensions = "extensions";
constexpr std::size_t kMostEntries = 256;  // each is checked together with the common settings

std::optional<LabelSelector> new_selector() { return LabelSelector{}; }
constexpr Row kEntryRows[] = {
    with_example(field<&NodePool::name>("name", Kind::text, "", "a name for messages"), "batch-nodes"),
    optional_section<&NodePool::selector, new_selector>(
        "nodeSelector", &label_selector_rows,
        "the nodes of the pool, by the labels of the Node; {} selects every node"),
};
constexpr Row kListRows[] = {
    list<&NodePoolList::pools>(
        kNodeStrategies, &rows_of<kEntryRows>,
        "settings of node pools: an entry may have every section of this file; for "
        "each section, the first entry that selects the node and has the section counts"),
};

bool of_pool(std::string_view key) {
  return std::ranges::any_of(kEntryRows, [key](const Row& row) { return row.key == key; });
}

void check_pool(const NodePool& pool, const std::string& key, SchemaRead& read) {
  if (pool.selector) return check_selector(*pool.selector, key + ".nodeSelector", read);
  read.problem(key,
               "found no nodeSelector; legal: nodeSelector with labels, or nodeSelector: {} for all nodes");
}

/// Null and an empty text are "not given", as everywhere in a NodeSLO.
bool given(const Value& value) {
  return !value.null() && (value.scalar() == nullptr || !value.scalar()->text.empty());
}

void put(Value& map, const std::string& key, const Value& value);

/// Field by field; a list replaces the other list.
void lay_over(Value& under, const Value& layer) {
  if (!given(layer)) return;
  if (under.map() == nullptr || layer.map() == nullptr) {
    under = layer;
    return;
  }
  for (const auto& [key, value] : *layer.map()) put(under, key, value);
}

void put(Value& map, const std::string& key, const Value& value) {
  auto& members = std::get<ValueMap>(map.is);
  const auto same = std::ranges::find(members, key, &ValueMap::value_type::first);
  if (same == members.end()) {
    members.emplace_back(key, value);
  } else {
    lay_over(same->second, value);
  }
}

/// The spec with the member of a section alone.
Value spec_with(const std::string& key, const Value& value) {
  return {.is = ValueMap{{key, value}}, .place = value.place};
}

struct Section {
  std::string name{};  ///< "cpuBurstStrategy", "extensions.evenkeel"
  Value spec{};        ///< with this section alone
};

std::vector<Section> sections_of(const Value& entry) {
  std::vector<Section> out;
  for (const auto& [key, value] : *entry.map()) {
    if (key != kExtensions || value.map() == nullptr) {
      if (given(value)) out.push_back({key, spec_with(key, value)});
      continue;
    }
    for (const auto& [member, settings] : *value.map())
      if (given(settings)) out.push_back({key + '.' + member, spec_with(key, spec_with(member, settings))});
  }
  return out;
}

/// One entry: its pool, and its sections, each read by itself.
SplitSpec::Entry read_entry(const Value& value, const std::string& key, SchemaRead& read) {
  Value pool{.is = ValueMap{}, .place = value.place};
  SplitSpec::Entry entry{.sections = pool, .key = key, .place = value.place};
  for (const auto& member : *value.map())
    std::get<ValueMap>((of_pool(member.first) ? pool : entry.sections).is).push_back(member);
  const auto problems = read.problems.size();
  read_section(pool, kEntryRows, &entry.pool, key + '.', false, read);
  if (read.problems.size() == problems) check_pool(entry.pool, key, read);
  NodeSlo scratch;
  read_section(entry.sections, node_slo_rows(), &scratch, key + '.', false, read);
  return entry;
}

void read_entries(const Value& list, SplitSpec& out, SchemaRead& read) {
  const std::string key(kNodeStrategies);
  read.origins[key] = list.place;
  if (list.list() == nullptr || list.list()->size() > kMostEntries) {
    const auto count =
        list.list() == nullptr ? found_text(list) : std::to_string(list.list()->size()) + " maps";
    read.problem(key, "found " + count + "; legal: a list of at most 256 maps");
    return;
  }
  for (const auto& item : *list.list()) {
    const auto name = key + '[' + std::to_string(out.entries.size()) + ']';
    read.origins[name] = item.place;
    if (item.map() == nullptr) {
      read.problem(name, "found " + found_text(item) + "; legal: a map");
      out.entries.emplace_back();
      continue;
    }
    out.entries.push_back(read_entry(item, name, read));
  }
}

std::string named(const SplitSpec::Entry& entry, const std::string& file) {
  std::string at = file;
  if (entry.place.line > 0)
    at += ':' + std::to_string(entry.place.line) + ':' + std::to_string(entry.place.column);
  return entry.key + (entry.pool.name.empty() ? "" : " '" + entry.pool.name + "'") + " (" + at + ')';
}

}  // namespace

std::span<const Row> node_strategies_rows() { return kListRows; }

SplitSpec split_spec(const Value& spec, SchemaRead& read) {
  SplitSpec out{.common = {.is = ValueMap{}, .place = spec.place}};
  for (const auto& member : *spec.map()) {
    if (member.first != kNodeStrategies) {
      std::get<ValueMap>(out.common.is).push_back(member);
    } else if (!member.second.null()) {
      read_entries(member.second, out, read);
    }
  }
  return out;
}

Value with_entry(const SplitSpec& spec, const SplitSpec::Entry& entry) {
  Value out = spec.common;
  lay_over(out, entry.sections);
  return out;
}

Value settings_of_node(const SplitSpec& spec, const TextMap* labels, const std::string& file,
                       std::vector<std::string>& applied) {
  Value out = spec.common;
  const auto total = std::to_string(spec.entries.size());
  if (labels == nullptr) {
    applied.push_back("nodeStrategies: the labels of the Node are not known: none of its " + total +
                      " applies, only what is outside of them");
    return out;
  }
  std::set<std::string> decided;
  for (const auto& entry : spec.entries) {
    if (!entry.pool.selector || !selects(*entry.pool.selector, *labels)) continue;
    std::string sections;
    for (const auto& section : sections_of(entry.sections)) {
      if (!decided.insert(section.name).second) continue;
      lay_over(out, section.spec);
      sections += (sections.empty() ? "" : ", ") + section.name;
    }
    if (!sections.empty()) applied.push_back(named(entry, file) + " applies to " + sections);
  }
  if (decided.empty()) applied.push_back("nodeStrategies: none of its " + total + " applies to this node");
  return out;
}

}  // namespace evenkeel::config
