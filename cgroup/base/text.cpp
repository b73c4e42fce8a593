#include "cgroup/base/text.h"

namespace evenkeel {

std::optional<std::int64_t> whole_number(std::string_view text) {
  Scanner scan(trimmed(text));
  const auto value = scan.number();
  return scan.done() ? value : std::nullopt;
}

std::optional<std::string> normal_path(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    const auto end = path.find('/');
    const auto part = path.substr(0, end);
    path.remove_prefix(end == std::string_view::npos ? path.size() : end + 1);
    if (part == "..") return std::nullopt;
    if (part.empty() || part == ".") continue;
    if (!out.empty()) out += '/';
    out += part;
  }
  return out;
}

}  // namespace evenkeel
