// Parses and formats times as the Kubernetes API writes them. Does not read a clock.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace evenkeel::pods {

/// RFC 3339 -> seconds since 1970, truncated: "2026-01-31T23:59:59Z", "2026-01-31T23:59:59.5+05:30".
std::optional<std::int64_t> parse_timestamp(std::string_view text);
/// "2026-01-31T23:59:59Z".
std::string timestamp(std::int64_t unix_seconds);

}  // namespace evenkeel::pods
