// Parses the kernel's text without copies: a cursor over a string_view, and small parsers. No allocation, no
// exceptions, no locale. Also provides the checksum of lines that must survive a crash.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evenkeel {

class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  /// Consumes `word` if the text continues with it.
  bool eat(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  void skip_blanks() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t')) rest_.remove_prefix(1);
  }
  /// The next integer; absent on anything else, including overflow. Leaves the text after it.
  std::optional<std::int64_t> number() {
    skip_blanks();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc{}) return std::nullopt;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }
  std::optional<double> decimal() {
    skip_blanks();
    double value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc{}) return std::nullopt;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }
  /// Up to the next blank or line end.
  std::string_view word() {
    skip_blanks();
    const auto end = rest_.find_first_of(" \t\n");
    const auto out = rest_.substr(0, end);
    rest_.remove_prefix(out.size());
    return out;
  }
  /// The rest of this line, without its end; moves to the next line.
  std::string_view line() {
    const auto end = rest_.find('\n');
    const auto out = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    return out;
  }
  [[nodiscard]] bool done() const { return rest_.empty(); }
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

/// The text without blanks and line ends around it.
constexpr std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const auto first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

/// "/a//./b/" is "a/b": components joined by single slashes. Absent when one is "..", which would lead
/// upwards.
std::optional<std::string> normal_path(std::string_view path);

/// The whole text as one integer, blanks around it allowed.
std::optional<std::int64_t> whole_number(std::string_view text);

/// "key value" files (cpu.stat, memory.stat): calls f(key, value) per well-formed line, skips the others.
template <class F>
void for_each_key(std::string_view text, F&& f) {
  Scanner scan(text);
  while (!scan.done()) {
    Scanner line(scan.line());
    const auto key = line.word();
    const auto value = line.number();
    if (!key.empty() && value) f(key, *value);
  }
}

/// Appends thread ids, one per line, to `out`. Others than positive numbers (0 stands for a thread of a PID
/// namespace that the agent does not see) are left out; returns how many.
int append_threads(std::string_view text, std::vector<std::int32_t>& out);

// Lines that must survive a crash: each begins with a checksum of the rest. Does not correct errors.

/// CRC-32 (IEEE 802.3) as eight hexadecimal digits.
std::string checksum_text(std::string_view text);
/// The checksum, a blank, the body and a newline.
std::string sealed_line(std::string_view body);
/// The body that sealed_line() was given, with or without the newline; absent for any other text.
std::optional<std::string_view> body_of_line(std::string_view line);

}  // namespace evenkeel
