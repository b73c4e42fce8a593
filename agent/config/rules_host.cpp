#include <algorithm>
#include <set>
#include <tuple>

#include "agent/config/schema_read.h"

namespace evenkeel::config {

namespace {

std::string default_dir(const HostApplication& app) {
  switch (app.qos) {
    case QosClass::lse:
    case QosClass::lsr:
    case QosClass::ls:
      return "host-latency-sensitive/" + app.name;
    case QosClass::be:
      return "host-best-effort/" + app.name;
    case QosClass::system:
      return app.name;
  }
  return app.name;
}

/// "/a//b/" -> "a/b".
std::string tidy(std::string_view dir) {
  std::string out;
  while (!dir.empty()) {
    const auto part = dir.substr(0, dir.find('/'));
    dir.remove_prefix(std::min(part.size() + 1, dir.size()));
    if (part.empty()) continue;
    if (!out.empty()) out += '/';
    out += part;
  }
  return out;
}

/// No part may be ".." or ".".
bool stays_below(std::string_view dir) {
  while (!dir.empty()) {
    const auto part = dir.substr(0, dir.find('/'));
    if (part == "." || part == "..") return false;
    dir.remove_prefix(std::min(part.size() + 1, dir.size()));
  }
  return true;
}

/// Whether the file gives any part of cgroupPath, even only `cgroupPath: {base: CgroupRoot}`.
bool path_given(const std::string& key, const SchemaRead& read) {
  const auto first = read.origins.lower_bound(key + ".cgroupPath.");
  return first != read.origins.end() && first->first.starts_with(key + ".cgroupPath.");
}

void check_dir(HostApplication& app, const std::string& key, SchemaRead& read) {
  if (!path_given(key, read)) app.relative_dir = default_dir(app);
  app.relative_dir = tidy(app.relative_dir);
  if (app.relative_dir.empty()) {
    return read.problem(key + ".cgroupPath",
                        "found no directory; legal: a parentDir or relativePath below the base");
  }
  if (!stays_below(app.relative_dir)) {
    read.problem(key + ".cgroupPath", "found '" + app.relative_dir + "'; legal: a path without . and ..");
  }
}

}  // namespace

void check_host_applications(NodeSlo& slo, SchemaRead& read) {
  std::set<std::string> names;
  for (std::size_t index = 0; index < slo.host_applications.size(); ++index) {
    auto& app = slo.host_applications[index];
    const auto key = "hostApplications[" + std::to_string(index) + ']';
    if (app.name.empty()) {
      read.problem(key, "found no name; legal: a name of its own");
      continue;
    }
    if (!names.insert(app.name).second) read.problem(key + ".name", "found '" + app.name + "' a second time");
    check_dir(app, key, read);
  }
}

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
