// Walks a document along the schema's rows and fills the members; suggests the key that was probably meant.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/config/schema.h"
#include "agent/document/document.h"

namespace evenkeel::config {

// Reads a document by the schema's rows and fills the members. Reports every problem, not only the first.
// Does not know any key's meaning (rules.h does).

/// The place of each given key, by its full name ("cpuBurstStrategy.policy", "hostApplications[0].name").
using Origins = std::map<std::string, document::Place>;

struct SchemaRead {
  std::string file{};
  std::string prefix{};       ///< put before keys in problems: "spec." for a whole object
  bool foreign_keys = false;  ///< an unknown key is a notice, not a problem
  Origins origins{};
  std::vector<document::Problem> problems{};
  std::vector<std::string> notices{};

  /// `key` as in Origins; the problem gets the key's place if it was given.
  void problem(const std::string& key, std::string message);
};

/// Fills the struct at `owner` from the map `value` (null: nothing is set).
void read_section(const document::Value& value, std::span<const Row> rows, void* owner,
                  const std::string& path, bool foreign_keys, SchemaRead& out);

/// "found an unknown key; did you mean 'y'?", or with the legal keys.
std::string unknown_key_text(std::string_view key, std::span<const std::string_view> known);

// Suggests, for an unknown word, the known one that was probably meant.

/// Empty when no known word is close enough.
std::string_view did_you_mean(std::string_view word, std::span<const std::string_view> known);

}  // namespace evenkeel::config
