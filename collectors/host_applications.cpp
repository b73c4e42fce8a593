#include <optional>
#include <string_view>

#include "collectors/roster.h"

namespace evenkeel {
namespace {

/// Components joined by single slashes; absent if one would lead out of the hierarchy.
std::optional<std::string> clean(std::string_view path) {
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

std::string base_path(HostAppBase base, const Layout& layout) {
  switch (base) {
    case HostAppBase::cgroup_root:
      return {};
    case HostAppBase::kubepods:
      return layout.kubepods();
    case HostAppBase::kubepods_burstable:
      return layout.qos_dir(KubeQos::burstable);
    case HostAppBase::kubepods_besteffort:
      return layout.qos_dir(KubeQos::besteffort);
  }
  return {};
}

}  // namespace

std::string host_application_path(const HostApplication& app, const Layout& layout) {
  const auto path = clean(base_path(app.base, layout) + '/' + app.relative_dir);
  return path.value_or(std::string{});
}

}  // namespace evenkeel
