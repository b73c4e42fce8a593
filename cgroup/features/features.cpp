#include "cgroup/features/features.h"

#include <sys/statvfs.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "cgroup/base/disk_text.h"
#include "cgroup/base/text.h"

namespace evenkeel::features {
namespace {

/// A file of every cgroup: the kernel supports it if one cgroup has the file.
struct FileRow {
  int place;  ///< sort key of the rows
  std::string_view feature;
  Controller controller;
  std::string_view v1_file, v2_file;  ///< empty: this cgroup version has none
  std::string_view substitute;
  std::string_view v1_detail;
};

/// Files that are no levers, between those of the knob table.
constexpr FileRow kOtherFiles[] = {
    {140, "memory-reclaim", Controller::memory, "", "memory.reclaim", "", ""},
    {190, "cgroup-kill", Controller::cpu, "", "cgroup.kill", "SIGKILL to each process, until none is left",
     ""},
};

std::vector<FileRow> file_rows() {
  std::vector<FileRow> out(std::begin(kOtherFiles), std::end(kOtherFiles));
  for (const auto& lever : knob_table())
    if (const auto& own = lever.capability; !own.what.empty())
      out.push_back({own.place, own.name, lever.controller, file_part(lever.v1_file),
                     file_part(lever.v2_file), own.substitute, own.v1_detail});
  std::ranges::stable_sort(out, {}, &FileRow::place);
  return out;
}

// Cgroups to read: up to 16 known ones, then directories in the hierarchy's root up to 32 in all, and the
// root itself, which has the files too on v1.
std::vector<std::string> places(const Host& host, const tree::CgroupTree& tree, const std::string& root) {
  constexpr std::size_t kEnough = 16;
  std::vector<std::string> out;
  for (const auto* cgroup : tree.all())
    if (out.size() < kEnough) out.push_back(root + '/' + cgroup->path);
  if (const auto names = host.subdirs(root))
    for (const auto& name : *names)
      if (out.size() < 2 * kEnough) out.push_back(root + '/' + name);
  out.push_back(root);
  return out;
}

/// Why no cgroup has the file; absent when one has it.
std::optional<std::string> why_missing(const Host& host, const tree::CgroupTree& tree,
                                       const std::string& root, const std::string& file) {
  const auto dirs = places(host, tree, root);
  for (const auto& dir : dirs)
    if (host.exists(dir + '/' + file)) return std::nullopt;
  // The root of v2 has no settings, so it alone proves nothing.
  if (dirs.size() == 1 && root == tree.layout().unified)
    return "no cgroup below /" + root + " to look for " + file;
  return "no " + file + " in /" + dirs.front();
}

Capability look_for(const Host& host, const tree::CgroupTree& tree, const FileRow& row) {
  const auto& layout = tree.layout();
  const bool v2 = layout.v2(row.controller);
  const std::string file(v2 ? row.v2_file : row.v1_file);
  const auto& root = layout.root(row.controller);
  Capability out{std::string(row.feature), false, "", std::string(row.substitute), ""};
  if (root.empty()) {
    out.why_not = "no hierarchy has the controller";
  } else if (file.empty()) {
    out.why_not = "cgroup v1 has no " + std::string(row.v2_file);
  } else if (const auto why = why_missing(host, tree, root, file)) {
    out.why_not = *why;
  } else {
    out.works = true;
    out.substitute.clear();
    if (!v2) out.detail = row.v1_detail;
  }
  return out;
}

/// Names the substitute for a missing lever, if the substitute itself works.
void choose_stand_ins(std::vector<Capability>& all) {
  const auto usable = [&](std::string_view needs) { return needs.empty() || works(all, needs); };
  for (const auto& lever : knob_table()) {
    const auto& stand_in = lever.capability.stand_in;
    Capability* row = find_row(all, lever.capability.name);
    if (stand_in.text.empty() || row == nullptr || row->works) continue;
    if (usable(stand_in.needs) && usable(stand_in.needs_too)) row->substitute = stand_in.text;
  }
}

Capability hierarchy(const tree::Layout& layout) {
  const bool v2 = layout.v2(Controller::cpu);
  Capability out{"cgroup-v2", v2, "", "",
                 std::string(tree::name(layout.version)) + ", " + tree::name(layout.driver)};
  out.detail += " driver";
  if (!v2) {
    out.why_not = "this host is cgroup " + std::string(tree::name(layout.version)) + ": cpu is at /" +
                  layout.root(Controller::cpu);
    out.substitute = "the files of v1";
  }
  return out;
}

Capability cgroup_pressure(const Host& host, const tree::CgroupTree& tree) {
  const auto& layout = tree.layout();
  Capability out{"psi-cgroup", true, "", "", ""};
  std::optional<std::string> why = "cgroup v1 without a unified hierarchy";
  if (!layout.unified.empty()) why = why_missing(host, tree, layout.unified, "cpu.pressure");
  if (!why) {
    out.detail = "from /" + layout.unified;
    return out;
  }
  const auto& v1 = layout.root(Controller::cpuacct);
  if (!v1.empty() && !why_missing(host, tree, v1, "cpu.pressure")) {
    out.detail = "from /" + v1;
    return out;
  }
  return {"psi-cgroup", false, *why, "the node's pressure", ""};
}

Capability node_pressure(const Host& host) {
  const auto text = host.slurp("proc/pressure/cpu");
  if (text && text->starts_with("some")) return {"psi-node", true, "", "", ""};
  const std::string why = text ? "/proc/pressure/cpu says nothing"
                               : std::string("/proc/pressure/cpu: ") + errno_name(text.error().code) +
                                     " (the kernel may need psi=1)";
  return {"psi-node", false, why, "CPU use and throttling alone", ""};
}

Capability huge_pages(const Host& host) {
  const auto pools = host.subdirs("sys/kernel/mm/hugepages");
  if (!pools || pools->empty()) return {"hugepages", false, "no /sys/kernel/mm/hugepages", "", ""};
  std::string found;
  for (const auto& pool : *pools) {
    const auto count = host.slurp("sys/kernel/mm/hugepages/" + pool + "/nr_hugepages");
    found += (found.empty() ? "" : ", ") + pool + ": ";
    found += count ? std::string(trimmed(*count)) : "?";
  }
  return {"hugepages", true, "", "", found};
}

/// Write access to cgroups does not imply write access to /proc/sys: it is read-only in most containers.
Capability vm_settings(const Host& host) {
  constexpr const char* kDir = "proc/sys/vm";
  const auto dir = host.open_dir_path(kDir);
  struct statvfs mount {};
  std::string why;
  if (!dir)
    why = std::string("no /") + kDir;
  else if (::fstatvfs(dir->get(), &mount) != 0 || (mount.f_flag & ST_RDONLY) != 0)
    why = std::string("/") + kDir + " is read-only here";
  return {"vm-settings", why.empty(), why, "", ""};
}

Capability type_information(const Host& host) {
  if (host.exists("sys/kernel/btf/vmlinux")) return {"btf", true, "", "", ""};
  return {"btf", false, "no /sys/kernel/btf/vmlinux", "pressure instead of run-queue delay", ""};
}

}  // namespace

Capability* find_row(std::vector<Capability>& all, std::string_view feature) {
  const auto found = std::ranges::find(all, feature, &Capability::feature);
  return found == all.end() ? nullptr : &*found;
}

bool works(const std::vector<Capability>& all, std::string_view feature) {
  return std::ranges::any_of(all, [&](const Capability& c) { return c.feature == feature && c.works; });
}

std::vector<Capability> probe(const Host& host, const tree::CgroupTree& tree) {
  std::vector<Capability> out{hierarchy(tree.layout())};
  for (const auto& row : file_rows()) out.push_back(look_for(host, tree, row));
  out.push_back(cgroup_pressure(host, tree));
  out.push_back(node_pressure(host));
  probe_memory(host, tree, out);
  probe_disks(host, tree, out);
  probe_kernel(host, out);
  probe_resctrl(host, out);
  probe_sched(host, out);
  probe_network(host, tree, out);
  probe_bpf(host, tree, out);
  out.push_back(type_information(host));
  out.push_back(vm_settings(host));
  out.push_back(huge_pages(host));
  choose_stand_ins(out);
  return out;
}

}  // namespace evenkeel::features
