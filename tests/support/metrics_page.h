// Reads values from the text of /metrics.
#pragma once

#include <cstdlib>
#include <optional>
#include <string>

namespace evenkeel::test {

/// The text of a series' value; `series` with its labels, if it has any, as the page spells them. Absent: the
/// page does not have it.
inline std::optional<std::string> metric_text(const std::string& page, const std::string& series) {
  const auto at = page.find('\n' + series + ' ');
  if (at == std::string::npos) return std::nullopt;
  const auto from = at + series.size() + 2;
  return page.substr(from, page.find('\n', from) - from);
}

/// -1: the page does not have it.
inline double metric(const std::string& page, const std::string& series) {
  const auto text = metric_text(page, series);
  return text ? std::strtod(text->c_str(), nullptr) : -1;
}

}  // namespace evenkeel::test
