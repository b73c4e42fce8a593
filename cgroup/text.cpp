#include "cgroup/text.h"

namespace evenkeel {

std::optional<std::int64_t> whole_number(std::string_view text) {
  Scanner scan(trimmed(text));
  const auto value = scan.number();
  return scan.done() ? value : std::nullopt;
}

}  // namespace evenkeel
