#include "agent/config/schema_read.h"

#include <algorithm>

#include "agent/config/did_you_mean.h"
#include "agent/config/scalar.h"

namespace evenkeel::config {
namespace {

std::vector<std::string_view> keys_of(std::span<const Row> rows) {
  std::vector<std::string_view> keys;
  for (const auto& row : rows) keys.push_back(row.key);
  return keys;
}

void refuse(const document::Value& value, const std::string& key, std::string message, SchemaRead& out) {
  out.problems.push_back({out.file, value.place, out.prefix + key, std::move(message)});
}

void unknown_key(const std::string& key, const document::Value& value, std::span<const Row> rows,
                 const std::string& path, bool foreign_keys, SchemaRead& out) {
  const auto known = keys_of(rows);
  if (!foreign_keys && !out.foreign_keys) {
    out.problems.push_back(
        {out.file, value.key_place, out.prefix + path + key, unknown_key_text(key, known)});
    return;
  }
  const auto meant = did_you_mean(key, known);
  if (meant.empty() && foreign_keys) return;  // key of another program
  out.notices.push_back(path + key + " is an unknown key and is ignored" +
                        (meant.empty() ? "" : "; did you mean " + std::string(meant) + '?'));
}

void read_list(const document::Value& value, const Row& row, void* owner, const std::string& path,
               SchemaRead& out) {
  if (value.null()) return;
  if (value.list() == nullptr) {
    return refuse(value, path, "found " + found_text(value) + "; legal: " + legal_text(row), out);
  }
  for (std::size_t index = 0; index < value.list()->size(); ++index) {
    const auto& item = (*value.list())[index];
    const auto name = path + '[' + std::to_string(index) + ']';
    out.origins[name] = item.place;
    void* element = row.open(owner);
    if (item.map() == nullptr) {
      refuse(item, name, "found " + found_text(item) + "; legal: a map", out);
      continue;
    }
    read_section(item, row.rows(), element, name + '.', false, out);
  }
}

void read_row(const document::Value& value, const Row& row, void* owner, const std::string& path,
              SchemaRead& out) {
  if (value.null()) return;
  out.origins[path] = value.place;
  if (row.kind == Kind::list) return read_list(value, row, owner, path, out);
  if (row.kind == Kind::section) {
    if (value.map() == nullptr) {
      return refuse(value, path, "found " + found_text(value) + "; legal: a map", out);
    }
    return read_section(value, row.rows(), row.open(owner), path + '.', row.foreign_keys, out);
  }
  auto [content, refusal] = read_scalar(value, row);
  if (!refusal.empty()) return refuse(value, path, std::move(refusal), out);
  if (std::holds_alternative<std::monostate>(content)) {
    out.origins.erase(path);
    return;
  }
  row.put(owner, content);
}

}  // namespace

void SchemaRead::problem(const std::string& key, std::string message) {
  const auto origin = origins.find(key);
  problems.push_back(
      {file, origin == origins.end() ? document::Place{} : origin->second, prefix + key, std::move(message)});
}

void read_section(const document::Value& value, std::span<const Row> rows, void* owner,
                  const std::string& path, bool foreign_keys, SchemaRead& out) {
  if (value.map() == nullptr) return;
  for (const auto& [key, member] : *value.map()) {
    const auto row =
        std::find_if(rows.begin(), rows.end(), [name = &key](const Row& r) { return r.key == *name; });
    if (row == rows.end()) {
      unknown_key(key, member, rows, path, foreign_keys, out);
    } else {
      read_row(member, *row, owner, path + key, out);
    }
  }
}

std::string unknown_key_text(std::string_view key, std::span<const std::string_view> known) {
  constexpr std::size_t kMostListed = 8;
  std::string out = "found an unknown key; ";
  if (const auto meant = did_you_mean(key, known); !meant.empty()) {
    return out + "did you mean '" + std::string(meant) + "'?";
  }
  out += "legal: ";
  for (std::size_t i = 0; i < known.size() && i < kMostListed; ++i) {
    out += (i == 0 ? "" : ", ") + std::string(known[i]);
  }
  return known.empty() ? "found an unknown key; legal: none" : known.size() > kMostListed ? out + ", …" : out;
}

}  // namespace evenkeel::config
