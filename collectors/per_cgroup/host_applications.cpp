#include "cgroup/base/text.h"
#include "collectors/per_cgroup/roster.h"

namespace evenkeel::per_cgroup {
namespace {

std::string base_path(HostAppBase base, const tree::Layout& layout) {
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

std::string host_application_path(const HostApplication& app, const tree::Layout& layout) {
  const auto path = normal_path(base_path(app.base, layout) + '/' + app.relative_dir);
  return path.value_or(std::string{});
}

}  // namespace evenkeel::per_cgroup
