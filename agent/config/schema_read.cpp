#include "agent/config/schema_read.h"

#include <algorithm>
#include <numeric>
#include <vector>

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

/// `element` of a list or of a map, which is called `name` in messages.
void read_element(const document::Value& item, const Row& row, void* element, const std::string& name,
                  SchemaRead& out) {
  out.origins[name] = item.place;
  if (item.map() == nullptr) {
    return refuse(item, name, "found " + found_text(item) + "; legal: a map", out);
  }
  read_section(item, row.rows(), element, name + '.', false, out);
}

void read_list(const document::Value& value, const Row& row, void* owner, const std::string& path,
               SchemaRead& out) {
  if (value.list() == nullptr) {
    return refuse(value, path, "found " + found_text(value) + "; legal: " + legal_text(row), out);
  }
  for (std::size_t index = 0; index < value.list()->size(); ++index)
    read_element((*value.list())[index], row, row.open(owner), path + '[' + std::to_string(index) + ']', out);
}

void read_maps(const document::Value& value, const Row& row, void* owner, const std::string& path,
               SchemaRead& out) {
  if (value.map() == nullptr) {
    return refuse(value, path, "found " + found_text(value) + "; legal: " + legal_text(row), out);
  }
  for (const auto& [name, item] : *value.map()) {
    if (item.null()) continue;
    void* element = row.open(owner);
    row.name(element) = name;
    read_element(item, row, element, path + "[\"" + name + "\"]", out);
  }
}

void read_row(const document::Value& value, const Row& row, void* owner, const std::string& path,
              SchemaRead& out) {
  if (value.null()) return;
  out.origins[path] = value.place;
  if (row.kind == Kind::list) return read_list(value, row, owner, path, out);
  if (row.kind == Kind::maps) return read_maps(value, row, owner, path, out);
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

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Letters to insert, delete or replace; case does not count.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const auto replaced = diagonal + (lower(a[i]) == lower(b[j]) ? 0U : 1U);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string_view did_you_mean(std::string_view word, std::span<const std::string_view> known) {
  constexpr std::size_t kLongestWord = 100;
  if (word.size() > kLongestWord) return {};
  std::string_view best;
  std::size_t best_distance = 1 + std::max<std::size_t>(2, word.size() / 4);
  for (const auto candidate : known) {
    const auto d = distance(word, candidate);
    if (d < best_distance && d < candidate.size()) {
      best = candidate;
      best_distance = d;
    }
  }
  return best;
}

}  // namespace evenkeel::config
