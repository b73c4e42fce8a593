// The house rules that a program can check, such as allowed includes, and which files may open files, print,
// or read the clock. Works on any directory with this project's layout, so that the rules themselves can be
// tested.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace evenkeel::house {

/// One file of the project. `code` is the text without comments; line numbers are the same in both.
struct Source {
  std::string path{};  ///< relative to the project ("qos/model/knob.cpp")
  std::string text{};
  std::string code{};
  [[nodiscard]] std::string room() const { return path.substr(0, path.find('/')); }
  [[nodiscard]] bool is_header() const { return path.ends_with(".h"); }
};

/// Every text file of the project except build/, dot directories and recorded or golden data.
std::vector<Source> read_project(const std::string& root);

struct Rule {
  std::string_view name;
  std::string_view sentence;
  /// One line per violation: "path:line: what".
  std::function<std::vector<std::string>(const std::vector<Source>&)> check;
};
const std::vector<Rule>& rules();

/// Exceptions from a rule, each with its reason.
struct Allowed {
  std::string_view rule;
  std::string_view path;  ///< a file, or a directory with its slash
  std::string_view reason;
};
const std::vector<Allowed>& allowed();

/// What a rule reports for a project, without the allowed exceptions.
std::vector<std::string> violations(const Rule& rule, const std::vector<Source>& project);

/// The text without // and /* */ comments; string literals stay. Line ends are kept.
std::string without_comments(std::string_view text);

}  // namespace evenkeel::house
