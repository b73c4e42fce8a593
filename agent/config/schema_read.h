// Reads a document along the schema's rows and checks what no single row can.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/config/nodeslo_config.h"
#include "agent/config/schema.h"
#include "agent/document/document.h"
#include "qos/model/nodeslo.h"

namespace evenkeel::config {

// Converts one value of the file to its row's type, or says what would be legal. Strict: a number in quotes
// is a text, yes is not true, 010 and 1_000 are not numbers. Does not know sections or members.

/// monostate without a refusal: the value is null or an empty text, which means "not set".
struct ParsedScalar {
  Content content{};
  std::string refusal{};  ///< not empty: why the value is rejected: "found 'yes'; legal: true or false"
};
ParsedScalar read_scalar(const document::Value& value, const Row& row);

/// The legal values of a row, human-readable: "0 to 100", "cpuset, cfsQuota", "true or false".
std::string legal_text(const Row& row);
/// A content as YAML; "" for monostate.
std::string content_text(const Content& content, const Row& row);
/// A value of the file, for messages: "'yes'", "a list", "nothing".
std::string found_text(const document::Value& value);

// Walks a document along the schema's rows and fills the members; suggests the key that was probably meant.

// Reads a document by the schema's rows and fills the members. Reports every problem, not only the first.
// Does not know any key's meaning (rules*.cpp do).

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

// Checks what no single schema row can: settings that contradict each other, missing partners, settings
// without effect. Does not change settings, except for a host application's default
// directory.

/// Contradictions become problems.
void check_rules(NodeSlo& slo, SchemaRead& read);
/// rules_host.cpp: names and directories of hostApplications.
void check_host_applications(NodeSlo& slo, SchemaRead& read);
/// rules_trust.cpp: the words of extensions.evenkeel.trust.
void check_trust(const NodeSlo& slo, SchemaRead& read);
/// rules_objectives.cpp: what each objective means, and where its figure comes from.
void check_objectives(const NodeSlo& slo, SchemaRead& read);
/// rules_host.cpp: models given in the configuration.
void check_given_normals(const InterferenceSettings& settings, SchemaRead& read);
/// rules_notices.cpp: legal settings that have no effect.
void add_notices(const NodeSlo& slo, SchemaRead& read);

// What evenkeel check prints, and the example file written from the schema's rows.

// Renders what `evenkeel check` prints. Does not read the file or decide the exit status (problems empty =
// 0).

/// With problems: only those, one line each. Else every effective value with its origin, then the notices.
std::string render_check(const NodeSloConfig& config);

// Renders systemd/nodeslo.yaml from the schema's rows: every key with its default, its unit and one line of
// description.

std::string render_example();

// Lists the effective settings, row by row, for display. Does not check them.

/// Every field of the schema in its order; of lists, every element present.
std::vector<EffectiveSetting> effective_settings(const NodeSlo& slo, const SchemaRead& read);

}  // namespace evenkeel::config
