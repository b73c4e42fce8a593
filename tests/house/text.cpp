#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/house/rules.h"

namespace evenkeel::house {
namespace {

namespace fs = std::filesystem;

/// The end of the literal that begins at `from` (one past its closing quote).
std::size_t end_of_literal(std::string_view text, std::size_t from) {
  if (text[from] == '"' && from > 0 && text[from - 1] == 'R') {
    const auto open = text.find('(', from);
    if (open == std::string_view::npos) return text.size();
    const std::string close = ")" + std::string(text.substr(from + 1, open - from - 1)) + "\"";
    const auto end = text.find(close, open);
    return end == std::string_view::npos ? text.size() : end + close.size();
  }
  for (std::size_t i = from + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == text[from] || text[i] == '\n') {
      return i + 1;
    }
  }
  return text.size();
}

/// The end of the comment that begins at `from`; `from` itself if none begins there.
std::size_t end_of_comment(std::string_view text, std::size_t from) {
  const auto two = text.substr(from, 2);
  if (two != "//" && two != "/*") return from;
  const auto end = two == "//" ? text.find('\n', from) : text.find("*/", from + 2);
  if (end == std::string_view::npos) return text.size();
  return two == "//" ? end : end + 2;
}

/// Whether the quote begins a literal; the one inside 10'000 does not.
bool opens_literal(std::string_view text, std::size_t at) {
  if (text[at] == '"') return true;
  return text[at] == '\'' && (at == 0 || std::isxdigit(static_cast<unsigned char>(text[at - 1])) == 0);
}

bool is_text(const fs::path& path) {
  constexpr std::string_view kEndings[] = {".cpp", ".h",    ".c",       ".sh",   ".md",
                                           ".txt", ".json", ".service", ".yaml", ""};
  return std::ranges::find(kEndings, path.extension().string()) != std::end(kEndings);
}

bool is_passed_over(const fs::path& relative) {
  const auto name = relative.filename().string();
  return name == "build" || name.starts_with("build-") || name == "corpus" || name == "fixtures" ||
         name == "golden" || name == ".git" || name == "LICENSE";
}

}  // namespace

std::string without_comments(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const auto comment_end = end_of_comment(text, i);
    if (comment_end != i) {
      const auto comment = text.substr(i, comment_end - i);
      out.append(static_cast<std::size_t>(std::ranges::count(comment, '\n')), '\n');
      i = comment_end;
      continue;
    }
    const auto end = opens_literal(text, i) ? end_of_literal(text, i) : i + 1;
    out.append(text.substr(i, end - i));
    i = end;
  }
  return out;
}

std::vector<Source> read_project(const std::string& root) {
  std::vector<Source> project;
  for (fs::recursive_directory_iterator it(root), end; it != end; ++it) {
    const auto relative = fs::relative(it->path(), root);
    if (is_passed_over(relative)) {
      if (it->is_directory()) it.disable_recursion_pending();
    } else if (it->is_regular_file() && is_text(relative)) {
      std::ifstream file(it->path());
      std::string text(std::istreambuf_iterator<char>(file), {});
      auto code = without_comments(text);
      project.push_back({relative.string(), std::move(text), std::move(code)});
    }
  }
  std::ranges::sort(project, {}, &Source::path);
  return project;
}

}  // namespace evenkeel::house
