#include "agent/config/label_selector.h"

#include <algorithm>
#include <string_view>

#include "agent/document/names.h"

namespace evenkeel::config {
namespace {

using namespace schema;
using Operator = LabelRequirement::Operator;

constexpr std::string_view kOperatorWords[] = {"In", "NotIn", "Exists", "DoesNotExist"};

using R = LabelRequirement;
constexpr Row kRequirementRows[] = {
    with_example(field<&R::key>("key", Kind::text, "", "name of a label"), "kubernetes.io/arch"),
    word<&R::is>("operator", kOperatorWords, "what must hold for the label"),
    with_example(field<&R::values>("values", Kind::text_list, "", "for In and NotIn: values of the label"),
                 "[amd64, arm64]"),
};
using S = LabelSelector;
constexpr Row kSelectorRows[] = {
    with_example(field<&S::match_labels>("matchLabels", Kind::texts, "", "labels that the Node must have"),
                 "{node-pool: batch}"),
    list<&S::match_expressions>("matchExpressions", &rows_of<kRequirementRows>,
                                "further conditions; all must hold"),
};

void check_label(const std::string& key, const std::string& name, std::span<const std::string> values,
                 SchemaRead& read) {
  if (!document::is_qualified_name(name)) {
    const auto found = name.empty() ? "no label" : "the label '" + name + "'";
    read.problem(key, "found " + found + "; legal: a label's name such as node-pool or example.com/pool");
  }
  for (const auto& value : values)
    if (!document::is_label_value(value))
      read.problem(key, "found the value '" + value +
                            "'; legal: the value of a label, at most 63 of letters, "
                            "digits, -, _ and .");
}

void check_requirement(const LabelRequirement& requirement, const std::string& key, SchemaRead& read) {
  check_label(key, requirement.key, requirement.values, read);
  const bool compares = requirement.is == Operator::in || requirement.is == Operator::not_in;
  if (compares == !requirement.values.empty()) return;
  const std::string word(kOperatorWords[static_cast<std::size_t>(requirement.is)]);
  read.problem(key, compares ? "found " + word + " without values; legal: with values"
                             : "found " + word + " with values; legal: without values");
}

bool holds(const LabelRequirement& requirement, const TextMap& labels) {
  const auto label = labels.find(requirement.key);
  const bool present = label != labels.end();
  const bool listed = present && std::ranges::count(requirement.values, label->second) > 0;
  switch (requirement.is) {
    case Operator::in:
      return listed;
    case Operator::not_in:
      return !listed;
    case Operator::exists:
      return present;
    case Operator::does_not_exist:
      return !present;
  }
  return false;
}

}  // namespace

std::span<const Row> label_selector_rows() { return kSelectorRows; }

void check_selector(const LabelSelector& selector, const std::string& key, SchemaRead& read) {
  for (const auto& [name, value] : selector.match_labels)
    check_label(key + ".matchLabels", name, {{value}}, read);
  std::size_t index = 0;
  for (const auto& requirement : selector.match_expressions)
    check_requirement(requirement, key + ".matchExpressions[" + std::to_string(index++) + ']', read);
}

bool selects(const LabelSelector& selector, const TextMap& labels) {
  return std::ranges::all_of(selector.match_labels,
                             [&](const auto& wanted) {
                               const auto label = labels.find(wanted.first);
                               return label != labels.end() && label->second == wanted.second;
                             }) &&
         std::ranges::all_of(selector.match_expressions,
                             [&](const auto& requirement) { return holds(requirement, labels); });
}

}  // namespace evenkeel::config
