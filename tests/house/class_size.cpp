#include "tests/house/class_size.h"

#include <algorithm>
#include <cctype>
#include <regex>

namespace evenkeel::house {
namespace {

struct Declaration {
  std::string text{};  ///< without what is in parentheses, brackets and braces
  bool is_public = false;
};

std::string trimmed(const std::string& text) {
  const auto from = text.find_first_not_of(" \n\t");
  return from == std::string::npos ? "" : text.substr(from, text.find_last_not_of(" \n\t") + 1 - from);
}

/// Literals become blanks, so that no brace in them counts.
std::string without_literals(std::string_view code) {
  static const std::regex literal(R"("(\\.|[^"\\\n])*"|'(\\.|[^'\\\n])')");
  std::string out(code);
  for (std::cregex_iterator it(code.data(), code.data() + code.size(), literal), end; it != end; ++it)
    std::fill_n(out.begin() + it->position(), it->length(), ' ');
  return out;
}

/// One past the bracket that closes the one at `from`.
std::size_t closed(std::string_view code, std::size_t from) {
  int depth = 0;
  for (std::size_t i = from; i < code.size(); ++i) {
    if (std::string_view("([{").find(code[i]) != std::string_view::npos) ++depth;
    if (std::string_view(")]}").find(code[i]) != std::string_view::npos && --depth == 0) return i + 1;
  }
  return code.size();
}

bool starts_type(const std::string& text) {
  static const std::regex type(
      R"((template\s*<[^>]*>\s*)?(class|struct|enum|union|using|typedef|friend|static_assert)\b[^]*)");
  return std::regex_match(text, type);
}

/// Template arguments go: they may have commas and parentheses of their own.
std::string without_arguments(std::string text) {
  static const std::regex arguments("<[^<>]*>");
  for (std::string before; before != text;) {
    before = text;
    text = std::regex_replace(before, arguments, "");
  }
  return text;
}

/// Up to where a value is given.
std::string head_of(const Declaration& one) {
  const auto text = without_arguments(one.text);
  if (text.find("operator") != std::string::npos) return text;
  return text.substr(0, text.find_first_of("={"));
}

bool is_function(const Declaration& one) { return head_of(one).find('(') != std::string::npos; }

/// Whether the braces that were just skipped were the body of a function; `next` comes after them.
bool ends_function(const Declaration& one, char next) {
  return next != ';' && next != ',' && next != '{' && !starts_type(one.text) && is_function(one);
}

std::vector<Declaration> declarations(std::string_view body) {
  std::vector<Declaration> all;
  std::string text;
  bool is_public = false;
  const auto end_one = [&] {
    if (const auto one = trimmed(text); !one.empty()) all.push_back({one, is_public});
    text.clear();
  };
  for (std::size_t i = 0; i < body.size();) {
    const char c = body[i];
    const auto access = c == ':' ? trimmed(text) : std::string();
    if (c == '(' || c == '[' || c == '{') {
      text += c == '(' ? "()" : c == '{' ? "{}" : "";
      i = closed(body, i);
      const auto next = std::find_if(body.begin() + static_cast<long>(i), body.end(),
                                     [](unsigned char each) { return std::isspace(each) == 0; });
      if (c == '{' && ends_function({trimmed(text)}, next == body.end() ? '\0' : *next)) end_one();
      continue;
    }
    if (access == "public" || access == "private" || access == "protected") {
      is_public = access == "public";
      text.clear();
    } else if (c == ';') {
      end_one();
    } else {
      text += c;
    }
    ++i;
  }
  return all;
}

void count(const Declaration& one, const std::string& name, ClassSize& size) {
  if (starts_type(one.text)) return;
  const auto head = head_of(one);
  if (!is_function(one)) {
    if (!one.text.starts_with("static "))
      size.members += 1 + static_cast<std::size_t>(std::ranges::count(head, ','));
    return;
  }
  static const std::regex deleted(R"([^]*=\s*delete)");
  const std::regex special("(explicit |virtual |constexpr )*~?" + name +
                           R"(\s*\([^]*|[^]*\boperator=\([^]*)");
  if (one.is_public && !std::regex_match(one.text, deleted) && !std::regex_match(head, special))
    ++size.methods;
}

}  // namespace

std::vector<ClassSize> class_sizes(std::string_view given) {
  static const std::regex start(
      R"((enum\s+)?\b(class|struct)\s+((?:\w+::)*(\w+))(\s+final)?(\s*:[^;{()]*)?\s*\{)");
  const std::string code = without_literals(given);
  std::vector<ClassSize> all;
  for (std::sregex_iterator it(code.begin(), code.end(), start), end; it != end; ++it) {
    const auto& match = *it;
    if (match[1].matched || (match[2] == "struct" && match[4] != "Impl")) continue;
    const auto open = static_cast<std::size_t>(match.position() + match.length()) - 1;
    ClassSize size{match[3], static_cast<std::size_t>(match.position())};
    const auto body = std::string_view(code).substr(open + 1, closed(code, open) - open - 2);
    for (const auto& one : declarations(body)) count(one, match[4], size);
    all.push_back(std::move(size));
  }
  return all;
}

std::vector<std::string> check_class_sizes(const std::vector<Source>& project) {
  constexpr std::size_t kMaxMethods = 15, kMaxMembers = 12;
  std::vector<std::string> found;
  for (const auto& source : project) {
    if (source.room() != "agent" || !(source.is_header() || source.path.ends_with(".cpp"))) continue;
    for (const auto& one : class_sizes(source.code)) {
      if (one.methods <= kMaxMethods && one.members <= kMaxMembers) continue;
      const auto line =
          1 + std::count(source.code.begin(), source.code.begin() + static_cast<long>(one.offset), '\n');
      found.push_back(source.path + ':' + std::to_string(line) + ": " + one.name + " has " +
                      std::to_string(one.methods) + " public methods and " + std::to_string(one.members) +
                      " members");
    }
  }
  return found;
}

}  // namespace evenkeel::house
