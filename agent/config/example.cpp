#include "agent/config/node_pools.h"
#include "agent/config/schema.h"
#include "agent/config/schema_read.h"

namespace evenkeel::config {
namespace {

constexpr const char* kHead =
    "# The configuration of evenkeel: the spec of a NodeSLO (slo.koordinator.sh/v1alpha1); a whole NodeSLO "
    "object is\n"
    "# accepted too. Every key is listed with its default; null means \"not set\". Sections that are "
    "commented "
    "out are absent\n"
    "# by default; when uncommented they start with the values shown.\n"
    "# `evenkeel check FILE` prints the effective values. Changes take effect at once; a file with an error "
    "changes nothing.\n";

bool has_elements(const Row& row) { return row.kind == Kind::list || row.kind == Kind::maps; }

/// One line with a row's purpose, unit and legal values.
std::string doc_of(const Row& row) {
  std::string out = "# " + std::string(row.doc);
  if (row.kind == Kind::section || has_elements(row)) return out;
  const auto unit = row.unit.empty() ? "" : std::string(row.unit) + ", ";
  return out + " (" + unit + legal_text(row) + ')';
}

class ExampleText {
 public:
  std::string text = kHead;

  /// `owner` is a scratch value: absent sections are created in it to show their initial values.
  void section(std::span<const Row> rows, void* owner, const std::string& indent, bool commented) {
    for (const auto& row : rows) {
      if (indent.empty()) text += '\n';
      const bool absent =
          commented || has_elements(row) || (row.kind == Kind::section && row.peek(owner, 0) == nullptr);
      line(doc_of(row), indent, absent);
      if (row.kind == Kind::section) {
        const bool empty = row.rows().empty();
        line(std::string(row.key) + (empty ? ": {}" : ":"), indent, absent);
        section(row.rows(), row.open(owner), indent + "  ", absent);
      } else if (has_elements(row)) {
        line(std::string(row.key) + ':', indent, absent);
        line(row.kind == Kind::maps ? '"' + std::string(row.example) + "\":" : "-", indent + "  ", absent);
        section(row.rows(), row.open(owner), indent + "    ", absent);
      } else {
        line(std::string(row.key) + ": " + value_of(row, owner), indent, absent);
      }
    }
  }

 private:
  static std::string value_of(const Row& row, const void* owner) {
    if (!row.example.empty()) return std::string(row.example);
    const auto shown = content_text(row.get(owner), row);
    return shown.empty() ? "null" : shown;
  }
  void line(const std::string& content, const std::string& indent, bool commented) {
    text += (commented ? "# " : "") + indent + content + '\n';
  }
};

}  // namespace

std::string render_example() {
  ExampleText example;
  NodeSlo scratch;
  example.section(node_slo_rows(), &scratch, "", false);
  NodePoolList pools;
  example.section(node_strategies_rows(), &pools, "", false);
  return example.text;
}

}  // namespace evenkeel::config
