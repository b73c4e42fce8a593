#include "cgroup/base/text.h"

#include <limits>

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

int append_threads(std::string_view text, std::vector<std::int32_t>& out) {
  int others = 0;
  for (Scanner scan(text); !scan.done();) {
    const auto line = trimmed(scan.line());
    if (line.empty()) continue;
    const auto id = whole_number(line);
    if (id && *id > 0 && *id <= std::numeric_limits<std::int32_t>::max()) {
      out.push_back(static_cast<std::int32_t>(*id));
    } else {
      ++others;
    }
  }
  return others;
}

}  // namespace evenkeel
