#include <algorithm>
#include <charconv>

#include "agent/config/schema_read.h"
#include "agent/document/units_text.h"

namespace evenkeel::config {
namespace {

std::optional<std::int64_t> integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool in(Range range, std::int64_t value) { return value >= range.low && value <= range.high; }

std::optional<std::int64_t> plain_integer(const document::Scalar& scalar) {
  const auto digits = std::string_view(scalar.text).substr(scalar.text.starts_with('-') ? 1 : 0);
  if (scalar.quoted || (digits.size() > 1 && digits.front() == '0')) return std::nullopt;
  return integer(scalar.text);
}

/// Readers, one per kind; monostate is "not legal".
Content number(const document::Scalar& scalar, const Row& row) {
  const auto value = plain_integer(scalar);
  if (!value || !in(row.range, *value)) return {};
  return Content(*value);
}

Content toggle(const document::Scalar& scalar) {
  if (scalar.quoted || (scalar.text != "true" && scalar.text != "false")) return {};
  return Content(scalar.text == "true");
}

Content ratio(const document::Scalar& scalar, const Row& row) {
  const auto value = scalar.quoted ? std::nullopt : document::parse_decimal(scalar.text);
  if (!value ||
      !(*value >= static_cast<double>(row.range.low) && *value <= static_cast<double>(row.range.high))) {
    return {};
  }
  return Content(*value);
}

/// Byte counts and similar numbers may be quantities, quoted or not; a plain number follows the rules of
/// numbers.
Content quantity(const document::Scalar& scalar, const Row& row) {
  const bool only_digits = scalar.text.find_first_not_of("-0123456789") == std::string::npos;
  const auto value =
      only_digits && !scalar.quoted ? plain_integer(scalar) : document::parse_quantity(scalar.text);
  if (!value || !in(row.range, *value)) return {};
  return Content(*value);
}

Content duration(const document::Scalar& scalar, const Row& row) {
  const auto value = document::parse_duration(scalar.text);
  if (!value || !in(row.range, value->count())) return {};
  return Content(value->count());
}

Content word(const document::Scalar& scalar, const Row& row) {
  const auto at = std::find(row.words.begin(), row.words.end(), scalar.text);
  if (at == row.words.end()) return {};
  if (row.kind == Kind::word_text) return Content(scalar.text);
  return Content(static_cast<std::int64_t>(at - row.words.begin()));
}

Content bandwidth(const document::Scalar& scalar, const Row& row) {
  if (const auto percent = plain_integer(scalar)) {
    if (!in(row.range, *percent)) return {};
    return Content(Bandwidth{*percent, true});
  }
  const bool bare_number =
      !scalar.quoted && scalar.text.find_first_not_of("-0123456789._") == std::string::npos;
  const auto bits = bare_number ? std::nullopt : document::parse_quantity(scalar.text);
  if (!bits || *bits < 0) return {};
  return Content(Bandwidth{*bits, false});
}

Content toggles(const document::ValueMap& map) {
  std::map<std::string, bool> out;
  for (const auto& [name, value] : map) {
    const auto read = value.scalar() == nullptr ? Content{} : toggle(*value.scalar());
    if (!std::holds_alternative<bool>(read) || name.empty()) return {};
    out[name] = std::get<bool>(read);
  }
  return Content(std::move(out));
}

Content texts(const document::ValueMap& map) {
  TextMap out;
  for (const auto& [name, value] : map) {
    if (value.scalar() == nullptr || name.empty()) return {};
    out[name] = value.scalar()->text;
  }
  return Content(std::move(out));
}

Content durations(const document::ValueList& list) {
  std::vector<Duration> out;
  for (const auto& value : list) {
    const auto read =
        value.scalar() == nullptr ? std::nullopt : document::parse_duration(value.scalar()->text);
    if (!read || *read == Duration::zero()) return {};
    out.push_back(*read);
  }
  return Content(std::move(out));
}

Content text_list(const document::ValueList& list) {
  std::vector<std::string> out;
  for (const auto& value : list) {
    if (value.scalar() == nullptr) return {};
    out.push_back(value.scalar()->text);
  }
  return Content(std::move(out));
}

Content read_text(const document::Scalar& scalar, const Row& row) {
  switch (row.kind) {
    case Kind::toggle:
      return toggle(scalar);
    case Kind::number:
      return number(scalar, row);
    case Kind::ratio:
      return ratio(scalar, row);
    case Kind::bytes:
    case Kind::quantity:
      return quantity(scalar, row);
    case Kind::duration:
      return duration(scalar, row);
    case Kind::word:
    case Kind::word_text:
      return word(scalar, row);
    case Kind::text:
      return Content(scalar.text);
    case Kind::bandwidth:
      return bandwidth(scalar, row);
    default:
      return {};
  }
}

std::string range_text(Range range) {
  if (range.low == INT64_MIN && range.high == INT64_MAX) return "a whole number";
  if (range.high == INT64_MAX) return std::to_string(range.low) + " or more";
  return std::to_string(range.low) + " to " + std::to_string(range.high);
}

std::string words_text(Words words) {
  std::string out;
  for (const auto word : words) {
    if (word.empty()) continue;
    if (!out.empty()) out += ", ";
    out += word;
  }
  return out;
}

std::string toggles_text(const std::map<std::string, bool>& toggles) {
  std::string out;
  for (const auto& [name, on] : toggles)
    out += (out.empty() ? "" : ", ") + name + (on ? ": true" : ": false");
  return '{' + out + '}';
}

std::string texts_text(const TextMap& texts) {
  std::string out;
  for (const auto& [name, text] : texts) out += (out.empty() ? "" : ", ") + name + ": \"" + text + '"';
  return '{' + out + '}';
}

std::string durations_text(const std::vector<Duration>& durations) {
  std::string out;
  for (const auto each : durations) out += (out.empty() ? "" : ", ") + document::duration_text(each);
  return '[' + out + ']';
}

std::string text_list_text(const std::vector<std::string>& list) {
  std::string out;
  for (const auto& each : list) out += (out.empty() ? "" : ", ") + each;
  return '[' + out + ']';
}

std::string number_text(std::int64_t value, const Row& row) {
  if (row.kind == Kind::word) return std::string(row.words[static_cast<std::size_t>(value)]);
  if (row.kind == Kind::duration) return document::duration_text(Duration(value));
  return std::to_string(value);
}

std::string ratio_text(double value) {
  char text[32] = {};
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return {text, end};
}

}  // namespace

ParsedScalar read_scalar(const document::Value& value, const Row& row) {
  if (value.null()) return {};
  const auto* scalar = value.scalar();
  const bool worded = row.kind == Kind::word || row.kind == Kind::word_text || row.kind == Kind::text;
  if (scalar != nullptr && scalar->text.empty() && worded) return {};
  Content content;
  if (scalar != nullptr) content = read_text(*scalar, row);
  if (value.map() != nullptr && row.kind == Kind::toggles) content = toggles(*value.map());
  if (value.map() != nullptr && row.kind == Kind::texts) content = texts(*value.map());
  if (value.list() != nullptr && row.kind == Kind::durations) content = durations(*value.list());
  if (value.list() != nullptr && row.kind == Kind::text_list) content = text_list(*value.list());
  if (!std::holds_alternative<std::monostate>(content)) return {std::move(content), {}};
  return {{}, "found " + found_text(value) + "; legal: " + legal_text(row)};
}

std::string legal_text(const Row& row) {
  switch (row.kind) {
    case Kind::toggle:
      return "true or false";
    case Kind::number:
      return row.range.low == 0 && row.range.high == 1 ? "0 or 1" : range_text(row.range);
    case Kind::ratio:
      return range_text(row.range);
    case Kind::bytes:
    case Kind::quantity:
      return range_text(row.range) + ", or a quantity such as 64M";
    case Kind::duration:
      return document::duration_text(Duration(row.range.low)) + " to " +
             document::duration_text(Duration(row.range.high));
    case Kind::word:
    case Kind::word_text:
      return words_text(row.words);
    case Kind::text:
      return "a text";
    case Kind::bandwidth:
      return range_text(row.range) + ", or a quantity such as \"10M\"";
    case Kind::toggles:
      return "a map from names to true or false";
    case Kind::texts:
      return "a map from names to texts";
    case Kind::durations:
      return "a list of durations such as [5m, 10m]";
    case Kind::text_list:
      return "a list of texts";
    case Kind::section:
      return "a map";
    case Kind::list:
      return "a list of maps";
    case Kind::maps:
      return "a map from names to maps";
  }
  return {};
}

std::string content_text(const Content& content, const Row& row) {
  struct Text {
    const Row& row;
    std::string operator()(std::monostate) const { return {}; }
    std::string operator()(bool on) const { return on ? "true" : "false"; }
    std::string operator()(std::int64_t value) const { return number_text(value, row); }
    std::string operator()(double value) const { return ratio_text(value); }
    std::string operator()(const std::string& text) const { return text; }
    std::string operator()(const Bandwidth& bandwidth) const {
      const auto number = std::to_string(bandwidth.value);
      return bandwidth.is_percent ? number : '"' + number + '"';
    }
    std::string operator()(const std::map<std::string, bool>& map) const { return toggles_text(map); }
    std::string operator()(const TextMap& map) const { return texts_text(map); }
    std::string operator()(const std::vector<Duration>& list) const { return durations_text(list); }
    std::string operator()(const std::vector<std::string>& list) const { return text_list_text(list); }
  };
  return std::visit(Text{row}, content);
}

std::string found_text(const document::Value& value) {
  constexpr std::size_t kMostShown = 60;
  if (value.null()) return "nothing";
  if (value.map() != nullptr) return "a map";
  if (value.list() != nullptr) return "a list";
  const auto& scalar = *value.scalar();
  const bool all = scalar.text.size() <= kMostShown;
  const auto shown = all ? scalar.text : scalar.text.substr(0, kMostShown) + "…";
  return scalar.quoted ? "the text \"" + shown + '"' : '\'' + shown + '\'';
}

}  // namespace evenkeel::config
