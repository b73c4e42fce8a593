#include "agent/config/schema_show.h"

#include "agent/config/scalar.h"

namespace evenkeel::config {
namespace {

struct Show {
  const SchemaRead& read;
  std::vector<EffectiveSetting>& out;

  void line(const std::string& key, std::string value) {
    const auto origin = read.origins.find(key);
    if (value.empty()) value = "(not set)";
    out.push_back({key, std::move(value), origin == read.origins.end() ? "default" : place(origin->second)});
  }
  [[nodiscard]] std::string place(document::Place at) const {
    if (at.line == 0) return read.file;
    return read.file + ':' + std::to_string(at.line) + ':' + std::to_string(at.column);
  }
  void list(const Row& row, const void* owner, const std::string& key) {
    if (owner == nullptr || row.peek(owner, 0) == nullptr) return line(key, owner == nullptr ? "" : "[]");
    for (std::size_t index = 0; const void* element = row.peek(owner, index); ++index) {
      section(row.rows(), element, key + '[' + std::to_string(index) + "].");
    }
  }
  /// `owner` null: the section and everything in it is absent.
  void section(std::span<const Row> rows, const void* owner, const std::string& path) {
    for (const auto& row : rows) {
      const auto key = path + std::string(row.key);
      if (row.kind == Kind::list) {
        list(row, owner, key);
      } else if (row.kind == Kind::section) {
        section(row.rows(), owner == nullptr ? nullptr : row.peek(owner, 0), key + '.');
      } else {
        line(key, owner == nullptr ? "" : content_text(row.get(owner), row));
      }
    }
  }
};

}  // namespace

std::vector<EffectiveSetting> effective_settings(const NodeSlo& slo, const SchemaRead& read) {
  std::vector<EffectiveSetting> out;
  Show{read, out}.section(node_slo_rows(), &slo, "");
  return out;
}

}  // namespace evenkeel::config
