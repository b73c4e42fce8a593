// Parses quantities as people and Kubernetes write them: "500m", "2Gi", "1e3", "1m30s". Does not round
// down or guess; absent means an invalid text or a number that does not fit.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "qos/model/units.h"

namespace evenkeel::document {

/// A Kubernetes quantity (sign, decimal number, then one of n u m k M G T P E Ki Mi Gi Ti Pi Ei or an
/// exponent as e3 or E-3) times `per_whole`, rounded away from zero as Kubernetes does: parse_quantity("1.5",
/// 1000) is 1500.
std::optional<std::int64_t> parse_quantity(std::string_view text, std::int64_t per_whole = 1);

/// A decimal number, the whole text: "0.65", "1e3". What it may be is the caller's to check: it is not always
/// finite.
std::optional<double> parse_decimal(std::string_view text);

/// CPUs: "2" is 2000 thousandths, "500m" 500, "1u" 1.
std::optional<MilliCpu> parse_cpu(std::string_view text);
/// "2Gi", "128974848", "129e6", "129M".
std::optional<Bytes> parse_bytes(std::string_view text);

/// One or more numbers with a unit, largest first as Go and systemd write them: "10s", "1m30s", "500ms",
/// "1.5h"; units ns us ms s m h d. "0" needs no unit. Never negative.
std::optional<Duration> parse_duration(std::string_view text);
/// "1m30s", "500ms", "0s": the shortest exact text that parse_duration reads back.
std::string duration_text(Duration duration);

}  // namespace evenkeel::document
