#include "agent/config/nodeslo_config.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "agent/config/node_pools.h"
#include "agent/config/schema_read.h"

namespace evenkeel::config {
namespace {

constexpr std::array<std::string_view, 5> kObjectKeys = {"apiVersion", "kind", "metadata", "spec", "status"};

bool whole_object(const document::Value& root) {
  return root.find("kind") != nullptr || root.find("apiVersion") != nullptr || root.find("spec") != nullptr;
}

void expect_text(const document::Value& root, std::string_view key, std::string_view expected,
                 SchemaRead& read) {
  const auto* value = root.find(key);
  if (value == nullptr || value->null()) return;
  if (value->scalar() != nullptr && value->scalar()->text == expected) return;
  read.problems.push_back({read.file, value->place, std::string(key),
                           "found " + found_text(*value) + "; legal: " + std::string(expected)});
}

void check_object(const document::Value& root, SchemaRead& read) {
  expect_text(root, "apiVersion", "slo.koordinator.sh/v1alpha1", read);
  expect_text(root, "kind", "NodeSLO", read);
  for (const auto& [key, value] : *root.map()) {
    if (std::find(kObjectKeys.begin(), kObjectKeys.end(), key) != kObjectKeys.end()) continue;
    read.problems.push_back({read.file, value.key_place, key, unknown_key_text(key, kObjectKeys)});
  }
}

/// The spec of a document; null when the document is empty.
const document::Value* spec_of(const document::Value& root, SchemaRead& read) {
  if (root.null()) return nullptr;
  if (root.map() == nullptr) {
    read.problems.push_back(
        {read.file, root.place, {}, "found " + found_text(root) + "; legal: a NodeSLO or its spec"});
    return nullptr;
  }
  if (!whole_object(root)) return &root;
  check_object(root, read);
  read.prefix = "spec.";
  const auto* spec = root.find("spec");
  if (spec == nullptr || spec->null()) return nullptr;
  if (spec->map() != nullptr) return spec;
  read.problems.push_back({read.file, spec->place, "spec", "found " + found_text(*spec) + "; legal: a map"});
  return nullptr;
}

/// FNV-1a, which is the same in every version of the program and on every machine.
std::uint64_t fingerprint_of(const std::vector<EffectiveSetting>& all) {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&hash](std::string_view text) {
    for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
    hash = (hash ^ 0xff) * 0x100000001b3;
  };
  for (const EffectiveSetting& one : all) {
    add(one.key);
    add(one.value);
  }
  return hash;
}

/// `spec` null: the defaults.
NodeSloConfig read_spec(const document::Value* spec, SchemaRead& read) {
  NodeSloConfig out;
  if (spec != nullptr) read_section(*spec, node_slo_rows(), &out.slo, "", false, read);
  check_rules(out.slo, read);
  add_notices(out.slo, read);
  out.effective = effective_settings(out.slo, read);
  out.slo.fingerprint = fingerprint_of(out.effective);
  out.notices = std::move(read.notices);
  out.problems = std::move(read.problems);
  return out;
}

bool same_problem(const document::Problem& a, const document::Problem& b) {
  return a.key == b.key && a.message == b.message && a.place.line == b.place.line &&
         a.place.column == b.place.column;
}

/// What is wrong with an entry's settings only together with the common ones.
void check_entry(const SplitSpec& spec, const SplitSpec::Entry& entry,
                 const std::vector<document::Problem>& common, SchemaRead& read) {
  SchemaRead together{.file = read.file, .prefix = read.prefix};
  const auto settings = with_entry(spec, entry);
  for (auto& problem : read_spec(&settings, together).problems) {
    const bool known =
        std::ranges::any_of(common, [&](const auto& one) { return same_problem(one, problem); });
    if (known) continue;
    problem.message += " (with " + entry.key + ')';
    read.problems.push_back(std::move(problem));
  }
}

/// A spec with nodeStrategies.
NodeSloConfig read_pools(const SplitSpec& spec, const TextMap* labels, SchemaRead& read) {
  SchemaRead common_read{.file = read.file, .prefix = read.prefix};
  auto common = read_spec(&spec.common, common_read);
  if (read.problems.empty())
    for (const auto& entry : spec.entries) check_entry(spec, entry, common.problems, read);
  auto problems = std::move(common.problems);
  std::ranges::move(read.problems, std::back_inserter(problems));
  if (!problems.empty()) return {.problems = std::move(problems)};
  std::vector<std::string> pools;
  const auto chosen = settings_of_node(spec, labels, read.file, pools);
  SchemaRead chosen_read{.file = read.file, .prefix = read.prefix};
  auto out = read_spec(&chosen, chosen_read);
  out.pools = std::move(pools);
  out.by_labels = true;
  return out;
}

}  // namespace

NodeSloConfig parse_nodeslo(std::string_view text, const std::string& file, const TextMap* labels) {
  SchemaRead read{.file = file};
  const bool blank = text.find_first_not_of(" \t\r\n") == std::string_view::npos;
  const auto parsed = blank ? document::Parsed{} : document::parse_document(text, file);
  if (!parsed.problems.empty()) return {.problems = parsed.problems};
  const auto* spec = spec_of(parsed.root, read);
  if (spec == nullptr || spec->find(kNodeStrategies) == nullptr) return read_spec(spec, read);
  return read_pools(split_spec(*spec, read), labels, read);
}

NodeSloConfig read_nodeslo(const document::Value& object, const std::string& source) {
  SchemaRead read{.file = source, .foreign_keys = true};
  auto out = read_spec(spec_of(object, read), read);
  for (auto& problem : out.problems) problem.place = {};
  return out;
}

}  // namespace evenkeel::config
