// Converts one value of the file to its row's type, or says what would be legal. Strict: a number in quotes
// is a text, yes is not true, 010 and 1_000 are not numbers. Does not know sections or members.
#pragma once

#include <string>

#include "agent/config/schema.h"
#include "agent/document/document.h"

namespace evenkeel::config {

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

}  // namespace evenkeel::config
