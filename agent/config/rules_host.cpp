#include <algorithm>
#include <set>

#include "agent/config/rules.h"

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

}  // namespace evenkeel::config
