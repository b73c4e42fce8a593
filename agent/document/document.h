// Documents as plain values with their places, and what the two parsers share.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace evenkeel::document {

// A parsed YAML or JSON text as plain values with their places. Only yaml_document.cpp (yaml-cpp) and
// json_document.cpp (simdjson) use a parser library; readers of configuration and pods see only this.

/// Counted from 1; zero means "unknown".
struct Place {
  int line = 0, column = 0;
};

struct Value;
using ValueList = std::vector<Value>;
using ValueMap = std::vector<std::pair<std::string, Value>>;  ///< in the order of the text

/// A scalar keeps its text (and whether it was quoted): the field that reads it decides its type.
struct Scalar {
  std::string text{};
  bool quoted = false;
};

struct Value {
  std::variant<std::monostate, Scalar, ValueList, ValueMap> is{};
  Place place{};
  Place key_place{};  ///< place of its key, for a member of a map
  [[nodiscard]] bool null() const { return std::holds_alternative<std::monostate>(is); }
  [[nodiscard]] const Scalar* scalar() const { return std::get_if<Scalar>(&is); }
  [[nodiscard]] const ValueList* list() const { return std::get_if<ValueList>(&is); }
  [[nodiscard]] const ValueMap* map() const { return std::get_if<ValueMap>(&is); }
  /// The member of a map, or null.
  [[nodiscard]] const Value* find(std::string_view key) const;
  /// The text of a map's member that is a scalar; empty: there is none.
  [[nodiscard]] std::string text(std::string_view key) const;
};

/// The value at the end of the path; null when a part is missing or null.
const Value* value_at(const Value& from, std::initializer_list<std::string_view> path);
/// The text of a scalar there; empty otherwise.
std::string text_at(const Value& from, std::initializer_list<std::string_view> path);
/// The list there; empty when missing or null; absent when it is not a list.
std::optional<std::span<const Value>> list_at(const Value& from,
                                              std::initializer_list<std::string_view> path);

/// One problem of a text: where, what was found, and what would be legal.
struct Problem {
  std::string file{};
  Place place{};
  std::string key{};      ///< "spec.cpuBurstStrategy.policy"; empty for syntax errors
  std::string message{};  ///< "found 'sometimes'; legal: none, cpuBurstOnly, cfsQuotaBurstOnly, auto"
  [[nodiscard]] std::string text() const;  ///< "file:3:11: spec.x: found …; legal: …"
};

struct Parsed {
  Value root{};
  std::vector<Problem> problems{};  ///< syntax errors; empty: root is valid
};

/// The members of a document to keep, level by level; a list applies the filter to its items. Other members
/// are skipped: neither built nor checked beyond their brackets and strings.
struct KeyFilter {
  std::string_view key{};
  std::span<const KeyFilter> members{};  ///< empty: all of it
};

/// YAML (and JSON, which is YAML). Duplicate keys, documents deeper than 64 levels, texts of more than 16
/// MiB, a second document, explicit tags other than !!str and aliases that grow beyond 1 MiB are problems.
Parsed parse_yaml(std::string_view text, const std::string& file);
/// JSON only, fast; an object or a list. The same limits as above. `wanted` empty: all of it.
Parsed parse_json(std::string_view text, const std::string& file, std::span<const KeyFilter> wanted = {});
/// JSON when the first character says so, else YAML; a text in braces that is not JSON may still be YAML's
/// flow style, up to 256 KiB. When it is neither, the JSON reader's problem is reported. `wanted` applies to
/// JSON only; YAML, which people write, is always read completely.
Parsed parse_document(std::string_view text, const std::string& file, std::span<const KeyFilter> wanted = {});

// The limits and the duplicate-key check that the YAML and the JSON parser share. Does not know either
// library.

inline constexpr int kDeepestNesting = 64;
inline constexpr std::size_t kLongestText = std::size_t{16} << 20;

/// Why the text must not be parsed; absent when it may.
std::optional<Problem> refusal_message(std::string_view text, const std::string& file);

/// The first member whose key the map already has; null when all keys differ.
const std::pair<std::string, Value>* duplicate_key(const ValueMap& map);

/// Line and column of `offset`, counted from the previous call's place, so that a whole document costs one
/// pass.
class PlaceFinder {
 public:
  explicit PlaceFinder(std::string_view text) : text_(text) {}
  Place at(std::size_t offset);

 private:
  std::string_view text_;
  std::size_t offset_ = 0;
  std::size_t line_start_ = 0;
  int line_ = 1;
};

}  // namespace evenkeel::document
