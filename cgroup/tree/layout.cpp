#include "cgroup/tree/layout.h"

#include <algorithm>

#include "cgroup/base/text.h"

namespace evenkeel::tree {
namespace {

constexpr const char* kBase = "sys/fs/cgroup";
constexpr std::array<std::string_view, kControllerCount> kV1Names = {"cpu",    "cpuacct", "cpuset",
                                                                     "memory", "blkio",   "perf_event"};
// cpuacct and perf_event cannot be switched on v2: they are part of every cgroup.
constexpr std::array<std::string_view, kControllerCount> kV2Names = {"cpu", "", "cpuset", "memory", "io", ""};

bool has_word(std::string_view list, std::string_view word, char separator) {
  while (!list.empty()) {
    const auto end = list.find(separator);
    if (list.substr(0, end) == word) return true;
    if (end == std::string_view::npos) return false;
    list.remove_prefix(end + 1);
  }
  return false;
}

bool empty_dir(const Host& host, const std::string& dir) {
  const auto dirs = host.subdirs(dir);
  const auto files = host.files(dir);
  return (!dirs || dirs->empty()) && (!files || files->empty());
}

// "cpu,cpuacct" holds both. A mount point without a mount is an empty directory: used only if there is no
// other.
std::string v1_dir(const Host& host, const std::vector<std::string>& names, std::string_view controller,
                   bool accept_empty) {
  for (const auto& name : names) {
    std::string dir = std::string(kBase) + '/' + name;
    if (has_word(name, controller, ',') && (accept_empty || !empty_dir(host, dir))) return dir;
  }
  const std::string linked = std::string(kBase) + '/' + std::string(controller);
  const bool is_dir = host.open_dir(linked).has_value();
  return is_dir && (accept_empty || !empty_dir(host, linked)) ? linked : std::string();
}

Layout pure_v2() {
  Layout layout;
  layout.version = CgroupVersion::v2;
  layout.unified = kBase;
  layout.roots.fill(kBase);
  layout.on_v2.fill(true);
  return layout;
}

void place_controller(const Host& host, const std::vector<std::string>& names, std::string_view unified_has,
                      std::size_t index, Layout& layout) {
  const bool on_unified =
      !layout.unified.empty() && (kV2Names[index].empty() || has_word(unified_has, kV2Names[index], ' '));
  layout.roots[index] = v1_dir(host, names, kV1Names[index], false);
  if (!layout.roots[index].empty()) return;
  layout.on_v2[index] = on_unified;
  layout.roots[index] = on_unified ? layout.unified : v1_dir(host, names, kV1Names[index], true);
}

Layout v1_or_hybrid(const Host& host) {
  Layout layout;
  const std::string unified = std::string(kBase) + "/unified";
  const auto controllers = host.slurp(unified + "/cgroup.controllers");
  if (controllers) {
    layout.version = CgroupVersion::hybrid;
    layout.unified = unified;
  }
  const auto names = host.subdirs(kBase).value_or(std::vector<std::string>{});
  for (std::size_t i = 0; i < kControllerCount; ++i)
    place_controller(host, names, controllers ? trimmed(*controllers) : std::string_view(), i, layout);
  return layout;
}

std::string joined(const std::string& above, std::string_view below) {
  return above.empty() ? std::string(below) : above + '/' + std::string(below);
}

// systemd prefixes a slice's name with all the slices above it: "a/b" -> "a.slice/a-b.slice".
std::string as_slices(std::string_view path) {
  std::string out, prefix;
  while (!path.empty()) {
    const auto end = path.find('/');
    prefix += (prefix.empty() ? "" : "-") + std::string(path.substr(0, end));
    out = joined(out, prefix + ".slice");
    path.remove_prefix(end == std::string_view::npos ? path.size() : end + 1);
  }
  return out;
}

// "x.slice/x-y.slice" -> "x-y-": systemd's prefix for the names of the slices in it.
std::string slice_prefix(std::string_view cgroup_root) {
  const auto last = cgroup_root.substr(cgroup_root.rfind('/') + 1);
  if (!last.ends_with(".slice")) return {};
  return std::string(last.substr(0, last.size() - 6)) + '-';
}

bool any_has(const Host& host, const Layout& layout, const std::string& path) {
  return std::ranges::any_of(layout.hierarchies(),
                             [&](const std::string& root) { return host.exists(root + '/' + path); });
}

bool has_pods(const Host& host, const Layout& layout) {
  for (const auto qos : {KubeQos::guaranteed, KubeQos::burstable, KubeQos::besteffort}) {
    const auto names = host.subdirs(layout.primary() + '/' + layout.qos_dir(qos));
    if (names &&
        std::ranges::any_of(*names, [](const auto& name) { return parse_pod_dir(name).has_value(); }))
      return true;
  }
  return false;
}

bool runs_systemd(const Host& host, const Layout& layout) {
  const std::string named = std::string(kBase) + "/systemd";
  for (const char* unit : {"system.slice", "init.scope"})
    if (any_has(host, layout, unit) || host.exists(named + '/' + unit)) return true;
  return false;
}

}  // namespace

const char* name(CgroupVersion version) {
  switch (version) {
    case CgroupVersion::v1:
      return "v1";
    case CgroupVersion::v2:
      return "v2";
    case CgroupVersion::hybrid:
      return "hybrid";
  }
  return "";
}

const char* name(CgroupDriver driver) { return driver == CgroupDriver::systemd ? "systemd" : "cgroupfs"; }

const std::string& Layout::primary() const {
  if (!root(Controller::cpu).empty()) return root(Controller::cpu);
  const auto found = std::ranges::find_if(roots, [](const auto& dir) { return !dir.empty(); });
  return found == roots.end() ? unified : *found;
}

std::vector<std::string> Layout::hierarchies() const {
  std::vector<std::string> out{primary()};
  const auto add = [&](const std::string& dir) {
    if (!dir.empty() && std::ranges::find(out, dir) == out.end()) out.push_back(dir);
  };
  for (const auto& dir : roots) add(dir);
  add(unified);
  return out;
}

std::string Layout::kubepods() const {
  if (driver == CgroupDriver::cgroupfs) return joined(cgroup_root, "kubepods");
  return joined(cgroup_root, slice_prefix(cgroup_root) + "kubepods.slice");
}

std::vector<std::string> Layout::kubepods_candidates() const {
  auto systemd = *this, cgroupfs = *this, sliced = *this;
  systemd.driver = sliced.driver = CgroupDriver::systemd;
  cgroupfs.driver = CgroupDriver::cgroupfs;
  std::vector<std::string> out{systemd.kubepods(), cgroupfs.kubepods()};
  if (cgroup_root.empty() || cgroup_root.ends_with(".slice")) return out;
  sliced.cgroup_root = as_slices(cgroup_root);
  out.push_back(sliced.kubepods());
  return out;
}

std::string Layout::qos_dir(KubeQos qos) const {
  if (qos == KubeQos::guaranteed) return kubepods();
  const std::string branch = qos == KubeQos::burstable ? "burstable" : "besteffort";
  if (driver == CgroupDriver::cgroupfs) return kubepods() + '/' + branch;
  return kubepods() + '/' + slice_prefix(cgroup_root) + "kubepods-" + branch + ".slice";
}

Result<Layout> detect_layout(const Host& host, std::string_view cgroup_root) {
  const auto below = normal_path(cgroup_root);
  if (!below) return fail(EINVAL, Op::parse, "cgroup root");
  const bool v2 = host.exists(std::string(kBase) + "/cgroup.controllers");
  Layout layout = v2 ? pure_v2() : v1_or_hybrid(host);
  if (layout.primary().empty()) return fail(ENOENT, Op::list, kBase);
  layout.cgroup_root = *below;
  detect_driver(host, layout);
  return layout;
}

bool is_true_root(const Host& host, const Layout& layout, const std::string& hierarchy) {
  // The root has no cgroup.type.
  if (hierarchy == layout.unified) return !host.exists(hierarchy + "/cgroup.type");
  // Only the root has cgroup.sane_behavior; a fake root counts as one.
  return host.exists(hierarchy + "/cgroup.sane_behavior") || !host.on_kernel_fs(hierarchy);
}

bool detect_driver(const Host& host, Layout& layout) {
  auto systemd = layout, cgroupfs = layout, sliced = layout;
  systemd.driver = sliced.driver = CgroupDriver::systemd;
  cgroupfs.driver = CgroupDriver::cgroupfs;
  sliced.cgroup_root = as_slices(layout.cgroup_root);
  const bool has_systemd = any_has(host, layout, systemd.kubepods());
  const bool has_cgroupfs = any_has(host, layout, cgroupfs.kubepods());
  const auto adopt = [&](const Layout& chosen) {
    const bool changed = chosen.driver != layout.driver || chosen.cgroup_root != layout.cgroup_root;
    layout = chosen;
    return changed;
  };
  // Both: one of them is left over from before the kubelet's driver was changed, and has no pods.
  if (has_systemd && has_cgroupfs)
    return adopt(has_pods(host, cgroupfs) && !has_pods(host, systemd) ? cgroupfs : systemd);
  if (has_systemd) return adopt(systemd);
  if (has_cgroupfs) return adopt(cgroupfs);
  if (!layout.cgroup_root.ends_with(".slice") && any_has(host, layout, sliced.kubepods()))
    return adopt(sliced);
  return adopt(runs_systemd(host, layout) ? systemd : cgroupfs);
}

}  // namespace evenkeel::tree
