#include "agent/runtime/printable.h"

#include <algorithm>

#include "agent/runtime/json.h"

namespace evenkeel::runtime {

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    // What JSON escapes besides: it does no harm outside of a JSON string.
    const auto mark = std::min(text.find_first_of("\"\\"), text.size());
    std::string quoted;
    Json(quoted).value(text.substr(0, mark));
    out.append(quoted, 1, quoted.size() - 2);
    out.append(text.substr(mark, 1));
    text.remove_prefix(std::min(mark + 1, text.size()));
  }
  return out;
}

}  // namespace evenkeel::runtime
