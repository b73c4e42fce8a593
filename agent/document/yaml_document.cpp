// The YAML parser, the only user of yaml-cpp: its event interface, so that keys keep their places and scalars
// stay texts. No exception of the library leaves this file.
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>  // the only file that includes it

#include <algorithm>
#include <map>
#include <sstream>

#include "agent/document/document.h"

namespace evenkeel::document {
namespace {

constexpr std::size_t kAliasBudget = std::size_t{1} << 20;

Place place_of(const YAML::Mark& mark) {
  if (mark.is_null()) return {};
  return {mark.line + 1, mark.column + 1};
}

/// Approximate bytes that a copy of the value takes.
std::size_t weight(const Value& value) {
  std::size_t sum = sizeof(Value);
  if (const auto* scalar = value.scalar()) sum += scalar->text.size();
  if (const auto* list = value.list()) {
    for (const auto& item : *list) sum += weight(item);
  }
  if (const auto* map = value.map()) {
    for (const auto& [key, member] : *map) sum += key.size() + weight(member);
  }
  return sum;
}

int height(const Value& value) {
  int most = 0;
  if (const auto* list = value.list()) {
    for (const auto& item : *list) most = std::max(most, height(item));
  }
  if (const auto* map = value.map()) {
    for (const auto& member : *map) most = std::max(most, height(member.second));
  }
  return most + 1;
}

/// Builds the Value tree from yaml-cpp's events; throws the library's own exception to stop early.
class TreeBuilder : public YAML::EventHandler {
 public:
  Value root{};

  /// At a stray bracket or similar, yaml-cpp emits empty documents without advancing.
  void OnDocumentStart(const YAML::Mark& mark) override {
    if (mark.pos == document_start_) throw YAML::ParserException(mark, "found something out of place");
    document_start_ = mark.pos;
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { add(mark, {}, anchor); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto anchored = anchors_.find(anchor);
    if (anchored == anchors_.end()) throw YAML::ParserException(mark, "an alias is inside its own anchor");
    if (static_cast<int>(open_.size()) + height(anchored->second) > kDeepestNesting) too_deep(mark);
    add(mark, copied(mark, anchored->second).is, 0);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    const bool text_tag = tag == "tag:yaml.org,2002:str";
    if (!text_tag) refuse_tag(mark, tag);
    add(mark, Scalar{value, tag == "!" || text_tag}, anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    begin(mark, tag, anchor, ValueList{});
  }
  void OnSequenceEnd() override { end(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    begin(mark, tag, anchor, ValueMap{});
  }
  void OnMapEnd() override {
    const auto* twin = duplicate_key(std::get<ValueMap>(open_.back().value.is));
    if (twin != nullptr) {
      const auto place = twin->second.key_place;
      YAML::Mark mark;
      mark.line = place.line - 1;
      mark.column = place.column - 1;
      throw YAML::ParserException(mark, "the key '" + twin->first + "' occurs twice in the same map");
    }
    end();
  }

 private:
  struct Open {
    Value value{};
    YAML::Mark mark{};
    YAML::anchor_t anchor = 0;
    std::string key{};
    Place key_place{};
    bool has_key = false;
  };
  using Content = decltype(Value::is);

  [[noreturn]] static void too_deep(const YAML::Mark& mark) {
    throw YAML::ParserException(mark, "found more than 64 levels of nesting; legal: at most 64");
  }
  static void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!") return;
    throw YAML::ParserException(mark, "found the tag '" + tag + "'; legal: no tag, or !!str");
  }
  Value copied(const YAML::Mark& mark, const Value& value) {
    budget_used_ += weight(value);
    if (budget_used_ > kAliasBudget)
      throw YAML::ParserException(mark, "aliases and anchors grow beyond 1 MiB");
    return value;
  }
  [[nodiscard]] bool expects_key() const {
    return !open_.empty() && open_.back().value.map() != nullptr && !open_.back().has_key;
  }
  void begin(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, Content empty) {
    refuse_tag(mark, tag);
    if (expects_key())
      throw YAML::ParserException(mark, "found a map or list as a key, or a bracket that is never closed");
    if (static_cast<int>(open_.size()) >= kDeepestNesting) too_deep(mark);
    open_.push_back({.value = {.is = std::move(empty)}, .mark = mark, .anchor = anchor});
  }
  void end() {
    auto done = std::move(open_.back());
    open_.pop_back();
    add(done.mark, std::move(done.value.is), done.anchor);
  }
  void add(const YAML::Mark& mark, Content content, YAML::anchor_t anchor) {
    Value value{.is = std::move(content), .place = place_of(mark)};
    if (anchor != 0) anchors_[anchor] = copied(mark, value);
    if (expects_key()) return set_key(mark, value);
    if (open_.empty()) return take_root(mark, std::move(value));
    auto& parent = open_.back();
    if (auto* list = std::get_if<ValueList>(&parent.value.is)) {
      list->push_back(std::move(value));
      return;
    }
    value.key_place = parent.key_place;
    std::get<ValueMap>(parent.value.is).emplace_back(std::move(parent.key), std::move(value));
    parent.has_key = false;
  }
  void set_key(const YAML::Mark& mark, Value& value) {
    auto* scalar = std::get_if<Scalar>(&value.is);
    if (scalar == nullptr) throw YAML::ParserException(mark, "found something else as a key; legal: a text");
    auto& parent = open_.back();
    parent.key = std::move(scalar->text);
    parent.key_place = value.place;
    parent.has_key = true;
  }
  void take_root(const YAML::Mark& mark, Value value) {
    if (value.null()) return;  // an empty document, from "---" at the end of a file
    if (!root.null()) throw YAML::ParserException(mark, "found a second document; legal: one");
    root = std::move(value);
  }

  int document_start_ = -1;
  std::vector<Open> open_{};
  std::map<YAML::anchor_t, Value> anchors_{};
  std::size_t budget_used_ = 0;
};

/// Control characters are never legal YAML, and yaml-cpp takes 0x04 for the end of the text.
std::optional<Problem> refuse_control_characters(std::string_view text, const std::string& file) {
  const auto bad = std::find_if(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\n' && c != '\t' && c != '\r') || byte == 0x7f;
  });
  if (bad == text.end()) return std::nullopt;
  const auto place = PlaceFinder(text).at(static_cast<std::size_t>(bad - text.begin()));
  return Problem{file, place, {}, "found a control character; legal: text"};
}

}  // namespace

Parsed parse_yaml(std::string_view text, const std::string& file) {
  auto refused = refusal_message(text, file);
  if (!refused) refused = refuse_control_characters(text, file);
  if (refused) return {{}, {*refused}};
  TreeBuilder builder;
  try {
    // yaml-cpp accepts an unclosed quote when the text ends at a line's end; a comment appended there makes
    // it an error.
    std::istringstream input{std::string(text) + "\n#"};
    YAML::Parser parser(input);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    return {{}, {{file, place_of(error.mark), {}, error.msg}}};
  } catch (const std::exception& error) {
    return {{}, {{file, {}, {}, error.what()}}};
  }
  return {std::move(builder.root), {}};
}

}  // namespace evenkeel::document
