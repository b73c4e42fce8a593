#include <algorithm>

#include "agent/config/schema_read.h"

namespace evenkeel::config {

namespace {

std::string padded(const std::string& text, std::size_t width) {
  return text.size() < width ? text + std::string(width - text.size(), ' ') : text;
}

std::string render_problems(const NodeSloConfig& config) {
  std::string out;
  for (const auto& problem : config.problems) out += problem.text() + '\n';
  return out + std::to_string(config.problems.size()) +
         (config.problems.size() == 1 ? " problem\n" : " problems\n");
}

}  // namespace

std::string render_check(const NodeSloConfig& config) {
  if (!config.problems.empty()) return render_problems(config);
  std::size_t key_width = 0;
  std::size_t value_width = 0;
  for (const auto& setting : config.effective) {
    key_width = std::max(key_width, setting.key.size());
    value_width = std::max(value_width, setting.value.size());
  }
  std::string out;
  for (const auto& setting : config.effective) {
    out += padded(setting.key, key_width) + "  " + padded(setting.value, value_width) + "  " +
           setting.origin + '\n';
  }
  for (const auto& pool : config.pools) out += pool + '\n';
  for (const auto& notice : config.notices) out += "notice: " + notice + '\n';
  return out + "no problems\n";
}

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
  void elements(const Row& row, const void* owner, const std::string& key) {
    const bool named = row.kind == Kind::maps;
    const char* none = named ? "{}" : "[]";
    if (owner == nullptr || row.peek(owner, 0) == nullptr) return line(key, owner == nullptr ? "" : none);
    for (std::size_t index = 0; const void* element = row.peek(owner, index); ++index) {
      const auto name = named ? '"' + row.name_of(element) + '"' : std::to_string(index);
      section(row.rows(), element, key + '[' + name + "].");
    }
  }
  /// `owner` null: the section and everything in it is absent.
  void section(std::span<const Row> rows, const void* owner, const std::string& path) {
    for (const auto& row : rows) {
      const auto key = path + std::string(row.key);
      if (row.kind == Kind::list || row.kind == Kind::maps) {
        elements(row, owner, key);
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
