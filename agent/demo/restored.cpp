#include "agent/demo/restored.h"

#include <set>

#include "cgroup/base/text.h"

namespace evenkeel::demo {
namespace {

std::string value_at(const ControlValues& values, const std::string& path) {
  const auto found = values.find(path);
  return found == values.end() ? "(gone)" : std::string(trimmed(found->second));
}

}  // namespace

Restoration compare(const ControlValues& before, const ControlValues& after,
                    const std::vector<AuditLine>& audit) {
  std::set<std::string> written;
  for (const auto& line : audit)
    if (line.kind == "write") written.insert(line.path);
  Restoration result;
  result.written = written.size();
  for (const auto& path : written)
    if (before.contains(path) && value_at(before, path) == value_at(after, path)) ++result.restored;
  for (const auto& [path, text] : before)
    if (value_at(after, path) != trimmed(text))
      result.left.push_back(path + ": was " + std::string(trimmed(text)) + ", is " + value_at(after, path));
  return result;
}

void add(Restoration& sum, const Restoration& one) {
  sum.written += one.written;
  sum.restored += one.restored;
  sum.left.insert(sum.left.end(), one.left.begin(), one.left.end());
}

}  // namespace evenkeel::demo
