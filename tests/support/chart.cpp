#include "tests/support/chart.h"

#include <algorithm>

#include "cgroup/base/text.h"

namespace evenkeel::test {
namespace {

struct Token {
  std::string text{};
  bool code = false;
};

/// "{{-" removes the white space before it.
std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> tokens;
  while (!text.empty()) {
    const auto begin = std::min(text.find("{{"), text.size());
    std::string before(text.substr(0, begin));
    text.remove_prefix(begin);
    if (text.starts_with("{{-")) before.erase(before.find_last_not_of(" \n") + 1);
    tokens.push_back({before, false});
    if (text.empty()) break;
    const auto end = std::min(text.find("}}"), text.size());
    auto code = text.substr(2, end - 2);
    if (code.starts_with('-')) code.remove_prefix(1);
    tokens.push_back({std::string(trimmed(code)), true});
    text.remove_prefix(std::min(end + 2, text.size()));
  }
  return tokens;
}

class Renderer {
 public:
  Renderer(std::vector<Token> tokens, const document::Value& values, std::string release_namespace)
      : tokens_(std::move(tokens)), values_(values), namespace_(std::move(release_namespace)) {}

  Rendered run() {
    Rendered out;
    block(out.text, nullptr, true);
    if (at_ < tokens_.size()) error_ = "more ends than beginnings";
    out.error = error_;
    return out;
  }

 private:
  /// Renders up to the token after the block's end; a block that is not `shown` is skipped.
  void block(std::string& out, const document::Value* item, bool shown) {
    for (; at_ < tokens_.size(); ++at_) {
      const Token token = tokens_[at_];
      if (!token.code) {
        if (shown) out += token.text;
      } else if (token.text == "end" || token.text == "else") {
        return;
      } else if (token.text.starts_with("if ")) {
        conditional(token.text.substr(3), out, item, shown);
      } else if (token.text.starts_with("range ")) {
        repeated(token.text.substr(6), out, shown);
      } else if (shown) {
        out += expression(token.text, item);
      }
    }
  }

  void conditional(std::string_view what, std::string& out, const document::Value* item, bool shown) {
    const bool negated = what.starts_with("not ");
    if (negated) what.remove_prefix(4);
    const bool holds = truth(what) != negated;
    ++at_;
    block(out, item, shown && holds);
    if (at_ >= tokens_.size() || tokens_[at_].text != "else") return;
    ++at_;
    block(out, item, shown && !holds);
  }

  void repeated(std::string_view what, std::string& out, bool shown) {
    const document::Value* list = find(what);
    const std::size_t begin = ++at_;
    std::string unseen;
    block(unseen, nullptr, false);
    const std::size_t end = at_;
    if (!shown || !list || !list->list()) return;
    for (const auto& item : *list->list()) {
      at_ = begin;
      block(out, &item, true);
    }
    at_ = end;
  }

  std::string expression(std::string_view what, const document::Value* item) {
    if (what == ".Release.Namespace") return namespace_;
    if (what == "." && item) return flow_text(*item);
    if (what.starts_with("toYaml ")) return indented(what.substr(7));
    const document::Value* value = find(what);
    return value ? flow_text(*value) : std::string();
  }

  /// "… | nindent 8"
  std::string indented(std::string_view what) {
    const auto pipe = what.find(" | nindent ");
    const document::Value* value = find(what.substr(0, pipe));
    const auto columns = pipe == std::string_view::npos ? std::nullopt : whole_number(what.substr(pipe + 11));
    if (!columns) error_ = "cannot render " + std::string(what);
    if (!columns || !value) return {};
    return '\n' + std::string(static_cast<std::size_t>(*columns), ' ') + flow_text(*value);
  }

  const document::Value* find(std::string_view path) {
    const std::string said(path);
    const document::Value* value = path.starts_with(".Values.") ? &values_ : nullptr;
    path.remove_prefix(std::min<std::size_t>(path.size(), 8));
    while (value && !path.empty()) {
      const auto dot = std::min(path.find('.'), path.size());
      value = value->find(path.substr(0, dot));
      path.remove_prefix(std::min(dot + 1, path.size()));
    }
    if (!value) error_ = "cannot render " + said;
    return value;
  }

  bool truth(std::string_view what) {
    if (what.starts_with("or ")) {
      bool any = false;
      for (what.remove_prefix(3); !what.empty();) {
        const auto blank = std::min(what.find(' '), what.size());
        any = truth(what.substr(0, blank)) || any;
        what.remove_prefix(std::min(blank + 1, what.size()));
      }
      return any;
    }
    const document::Value* value = find(what);
    if (!value || !value->scalar()) return false;
    const auto& text = value->scalar()->text;
    return !text.empty() && text != "false" && text != "0";
  }

  std::vector<Token> tokens_;
  const document::Value& values_;
  std::string namespace_;
  std::size_t at_ = 0;
  std::string error_{};
};

}  // namespace

Rendered render_template(std::string_view text, const document::Value& values,
                         const std::string& release_namespace) {
  return Renderer(tokens_of(text), values, release_namespace).run();
}

std::string flow_text(const document::Value& value) {
  if (const auto* scalar = value.scalar()) return scalar->text.empty() ? "\"\"" : scalar->text;
  std::vector<std::string> parts;
  if (const auto* map = value.map())
    for (const auto& [key, member] : *map) parts.push_back(key + ": " + flow_text(member));
  if (const auto* list = value.list())
    for (const auto& member : *list) parts.push_back(flow_text(member));
  if (value.map()) std::ranges::sort(parts);
  std::string out;
  for (const auto& part : parts) out += (out.empty() ? "" : ", ") + part;
  return value.map() ? '{' + out + '}' : '[' + out + ']';
}

namespace {

/// The member or item of that name or position; null: there is none.
document::Value* child(document::Value& of, const std::string& step) {
  if (auto* map = std::get_if<document::ValueMap>(&of.is)) {
    const auto found = std::ranges::find(*map, step, &std::pair<std::string, document::Value>::first);
    return found == map->end() ? nullptr : &found->second;
  }
  auto* list = std::get_if<document::ValueList>(&of.is);
  const bool position =
      !step.empty() && std::ranges::all_of(step, [](char c) { return c >= '0' && c <= '9'; });
  return list && position && std::stoul(step) < list->size() ? &(*list)[std::stoul(step)] : nullptr;
}

bool remove_child(document::Value& of, const std::string& step) {
  const document::Value* gone = child(of, step);
  if (!gone) return false;
  if (auto* map = std::get_if<document::ValueMap>(&of.is))
    std::erase_if(*map, [&](const auto& member) { return &member.second == gone; });
  else
    std::get<document::ValueList>(of.is).erase(std::get<document::ValueList>(of.is).begin() +
                                               static_cast<std::ptrdiff_t>(std::stoul(step)));
  return true;
}

bool add_child(document::Value& to, const std::string& step, const document::Value& value) {
  if (auto* map = std::get_if<document::ValueMap>(&to.is)) {
    static_cast<void>(remove_child(to, step));
    map->emplace_back(step, value);
    return true;
  }
  auto* list = std::get_if<document::ValueList>(&to.is);
  if (list && step == "-") list->push_back(value);
  return list && step == "-";
}

/// A step of a JSON pointer (RFC 6901).
std::string unescaped(std::string step) {
  for (std::size_t at = step.find("~1"); at != std::string::npos; at = step.find("~1", at))
    step.replace(at, 2, "/");
  for (std::size_t at = step.find("~0"); at != std::string::npos; at = step.find("~0", at + 1))
    step.replace(at, 2, "~");
  return step;
}

bool apply_operation(const std::string& op, document::Value& parent, const std::string& step,
                     const document::Value& value) {
  if (op == "add") return add_child(parent, step, value);
  document::Value* old = child(parent, step);
  if (!old) return false;
  if (op == "remove") return remove_child(parent, step);
  if (op == "replace") *old = value;
  return op == "replace" || (op == "test" && flow_text(*old) == flow_text(value));
}

}  // namespace

std::string apply_patch(const document::Value& patch, document::Value& object) {
  if (!patch.list()) return "not a list of operations";
  for (const auto& operation : *patch.list()) {
    const auto path = operation.text("path");
    document::Value* parent = &object;
    std::size_t from = 1;
    for (auto to = path.find('/', from); parent && to != std::string::npos; to = path.find('/', from)) {
      parent = child(*parent, unescaped(path.substr(from, to - from)));
      from = to + 1;
    }
    const auto* value = operation.find("value");
    const bool done = parent && path.starts_with('/') &&
                      apply_operation(operation.text("op"), *parent, unescaped(path.substr(from)),
                                      value ? *value : document::Value{});
    if (!done) return flow_text(operation);
  }
  return {};
}

std::vector<document::Value> documents(std::string_view text) {
  constexpr std::string_view kBetween = "\n---\n";
  std::vector<document::Value> out;
  while (!text.empty()) {
    const auto end = std::min(text.find(kBetween), text.size());
    out.push_back(document::parse_yaml(text.substr(0, end), "documents").root);
    text.remove_prefix(std::min(end + kBetween.size(), text.size()));
  }
  return out;
}

}  // namespace evenkeel::test
