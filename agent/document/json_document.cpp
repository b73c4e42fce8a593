// The JSON parser, the only user of simdjson: its on-demand interface with error codes. Scalars keep their
// own text; a number is checked only for JSON's grammar, so that the reader of a field decides whether it
// fits.
#include <simdjson.h>  // the only file that includes it

#include "agent/document/document.h"

namespace evenkeel::document {
namespace {

namespace json = simdjson::ondemand;

bool digits(std::string_view& text) {
  const auto end = std::min(text.find_first_not_of("0123456789"), text.size());
  text.remove_prefix(end);
  return end > 0;
}

bool is_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const bool leading_zero = text.size() > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9';
  if (leading_zero || !digits(text)) return false;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (!digits(text)) return false;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    if (!digits(text)) return false;
  }
  return text.empty();
}

std::string_view without_blanks_at_the_end(std::string_view text) {
  return text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
}

class TreeBuilder {
 public:
  TreeBuilder(std::string_view text, const std::string& file) : text_(text), file_(file), places_(text) {}

  /// False: problem() says why.
  bool build(json::value from, Value& to, std::span<const KeyFilter> wanted) {
    json::json_type type{};
    if (const auto error = from.type().get(type)) return fail(error);
    to.place = place_of(from.raw_json_token().data());
    last_ = to.place;
    if (depth_ >= kDeepestNesting) return fail("found more than 64 levels of nesting; legal: at most 64");
    switch (type) {
      case json::json_type::object:
        return build_map(from, to, wanted);
      case json::json_type::array:
        return build_list(from, to, wanted);
      case json::json_type::string:
        return build_text(from, to);
      default:
        return build_plain(without_blanks_at_the_end(from.raw_json_token()), to);
    }
  }
  bool fail(simdjson::error_code error) { return fail(simdjson::error_message(error)); }
  bool fail(std::string message) {
    problem_ = {file_, last_, {}, std::move(message)};
    return false;
  }
  [[nodiscard]] const Problem& problem() const { return problem_; }

 private:
  Place place_of(const char* at) { return places_.at(static_cast<std::size_t>(at - text_.data())); }

  /// Null: the filter skips this member.
  static const KeyFilter* find(std::span<const KeyFilter> wanted, std::string_view key) {
    for (const auto& each : wanted)
      if (each.key == key) return &each;
    return nullptr;
  }
  bool build_map(json::value from, Value& to, std::span<const KeyFilter> wanted) {
    json::object object;
    if (const auto error = from.get_object().get(object)) return fail(error);
    auto& map = to.is.emplace<ValueMap>();
    ++depth_;
    for (auto each : object) {
      json::field field;
      if (const auto error = std::move(each).get(field)) return fail(error);
      const char* const key_begin = field.key().raw() - 1;  // raw() begins after the quote
      std::string_view key;
      if (const auto error = field.unescaped_key().get(key)) return fail(error);
      const KeyFilter* part = find(wanted, key);
      if (part == nullptr && !wanted.empty()) continue;  // simdjson skips an unread value
      const Place key_place = place_of(key_begin);
      map.emplace_back(key, Value{});
      if (!build(field.value(), map.back().second, part != nullptr ? part->members : wanted)) return false;
      map.back().second.key_place = key_place;
    }
    --depth_;
    const auto* twin = duplicate_key(map);
    if (twin == nullptr) return true;
    last_ = twin->second.key_place;
    return fail("the key '" + twin->first + "' occurs twice in the same map");
  }
  bool build_list(json::value from, Value& to, std::span<const KeyFilter> wanted) {
    json::array array;
    if (const auto error = from.get_array().get(array)) return fail(error);
    auto& list = to.is.emplace<ValueList>();
    ++depth_;
    for (auto each : array) {
      json::value item;
      if (const auto error = each.get(item)) return fail(error);
      list.emplace_back();
      if (!build(item, list.back(), wanted)) return false;
    }
    --depth_;
    return true;
  }
  bool build_text(json::value from, Value& to) {
    std::string_view text;
    if (const auto error = from.get_string().get(text)) return fail(error);
    to.is = Scalar{std::string(text), true};
    return true;
  }
  bool build_plain(std::string_view text, Value& to) {
    if (text == "null") return true;
    if (text != "true" && text != "false" && !is_number(text)) {
      return fail("found '" + std::string(text.substr(0, 40)) + "'; legal: a JSON value");
    }
    to.is = Scalar{std::string(text), false};
    return true;
  }

  std::string_view text_;
  const std::string& file_;
  PlaceFinder places_;
  Place last_{};
  int depth_ = 0;
  Problem problem_{};
};

}  // namespace

Parsed parse_json(std::string_view text, const std::string& file, std::span<const KeyFilter> wanted) {
  if (auto refused = refusal_message(text, file)) return {{}, {*refused}};
  const simdjson::padded_string padded(text);
  TreeBuilder builder({padded.data(), padded.size()}, file);
  const auto failed = [&](auto why) {
    builder.fail(why);
    return Parsed{{}, {builder.problem()}};
  };
  json::parser parser;
  json::document document;
  if (const auto error = parser.iterate(padded).get(document)) return failed(error);
  json::value top;
  if (const auto error = document.get_value().get(top)) return failed(error);
  Parsed out;
  if (!builder.build(top, out.root, wanted)) return {{}, {builder.problem()}};
  // simdjson has no location after the last token.
  if (document.current_location().error() == simdjson::SUCCESS) return failed("found text after the end");
  return out;
}

}  // namespace evenkeel::document
