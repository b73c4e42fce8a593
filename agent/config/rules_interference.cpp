#include <algorithm>
#include <set>
#include <tuple>

#include "agent/config/rules.h"

namespace evenkeel::config {
namespace {

/// "namespace/owner/container" or "host/NAME".
bool is_workload(std::string_view key) {
  const bool parts =
      !key.empty() && key.front() != '/' && key.back() != '/' && key.find("//") == std::string_view::npos;
  const auto slashes = std::ranges::count(key, '/');
  return parts && slashes == (key.starts_with("host/") && slashes == 1 ? 1 : 2);
}

void check_given(const ConfiguredNormal& given, const std::string& key, SchemaRead& read) {
  if (!is_workload(given.workload))
    read.problem(key + (given.workload.empty() ? "" : ".workload"),
                 "found " + (given.workload.empty() ? "no workload" : "'" + given.workload + "'") +
                     "; legal: namespace/owner/container, or host/NAME of a host application");
  for (const char* needed : {"signal", "usual", "deviation"})
    if (read.origins.count(key + '.' + needed) == 0)
      read.problem(key, std::string("found no ") + needed + "; legal: one that was measured");
  if (counts_cycles(given.signal) && given.usual <= 0 && read.origins.count(key + ".usual") > 0)
    read.problem(key + ".usual", "found 0; legal: above 0, nothing runs without cycles");
}

}  // namespace

void check_given_normals(const InterferenceSettings& settings, SchemaRead& read) {
  std::set<std::tuple<std::string, std::string, Signal>> seen;
  for (std::size_t index = 0; index < settings.models.size(); ++index) {
    const ConfiguredNormal& given = settings.models[index];
    const auto key = "extensions.evenkeel.interference.models[" + std::to_string(index) + ']';
    check_given(given, key, read);
    if (!seen.emplace(given.workload, given.cpu_model, given.signal).second)
      read.problem(key + ".workload",
                   "found '" + given.workload + "' a second time for this signal and these CPUs");
  }
}

}  // namespace evenkeel::config
