#include "collectors/per_cgroup/files.h"

#include <sys/resource.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "cgroup/kernel/knob_files.h"
#include "collectors/node/parsers.h"
#include "collectors/per_cgroup/reading.h"

namespace evenkeel::per_cgroup {

namespace {

template <std::optional<Pressure> PressureSample::*Member>
void parse_psi(Text text, CgroupReading& reading) {
  auto& pressure = reading.sample.pressure.*Member;
  pressure = text ? node::parse_pressure(*text) : std::nullopt;
  if (pressure) pressure->at = reading.now;
}

// memory.stat costs as much as all others together; settings change rarely, and writes to them are watched.
// The kernel updates pressure averages every two seconds (PSI_FREQ), so faster reads give nothing new. Few
// policies use a single container's pressure or memory: its pod's is read more often.
constexpr int kEach = 1, kPressure = 2, kSlow = 5, kSlowest = 10, kSetting = 10;
using enum Where;
using enum Importance;

constexpr CgroupFile setting(Knob knob, Controller controller, ParseFile parse, Kinds kinds = kAll) {
  return {"", either, controller, kSetting, low, kinds, parse, true, false, knob};
}
CgroupFile plain(const KnobRow& lever) {
  const auto kinds = lever.read_in == ReadIn::pods_and_containers ? kPodsAndContainers
                     : lever.in_subgroups                         ? kAllAndSubgroups
                                                                  : kAll;
  return {"",      either, lever.controller,      kSetting,  low, kinds,
          nullptr, true,   lever.may_be_absent(), lever.knob};
}

constexpr CgroupFile kFiles[] = {
    {"cpuacct.usage", v1, Controller::cpuacct, kEach, high, kAll, parse_cpuacct_usage},
    {"cpuacct.stat", v1, Controller::cpuacct, kSlow, low, kNotKubepods, parse_cpuacct_stat},
    {"cpu.stat", v1, Controller::cpu, kEach, high, kNotKubepods, parse_cpu_stat_v1},
    {"cpu.stat", v2, Controller::cpu, kEach, high, kAllAndSubgroups, parse_cpu_stat_v2},

    {"memory.usage_in_bytes", v1, Controller::memory, kEach, normal, kAll, parse_memory_current},
    {"memory.current", v2, Controller::memory, kEach, normal, kAll, parse_memory_current},
    {"memory.stat", v1, Controller::memory, kSlow, low, kNotContainers, parse_memory_stat_v1},
    {"memory.stat", v1, Controller::memory, kSlowest, low, kContainers, parse_memory_stat_v1},
    {"memory.stat", v2, Controller::memory, kSlow, low, kNotContainers, parse_memory_stat_v2},
    {"memory.stat", v2, Controller::memory, kSlowest, low, kContainers, parse_memory_stat_v2},
    {"memory.oom_control", v1, Controller::memory, kSlowest, low, kNotKubepods, parse_oom_control},
    {"memory.failcnt", v1, Controller::memory, kSlowest, low, kNotKubepods, parse_failcnt},
    {"memory.events", v2, Controller::memory, kSlow, low, kNotKubepods, parse_memory_events},

    {"cpu.pressure", pressure, Controller::cpuacct, kPressure, high, kNotContainers,
     parse_psi<&PressureSample::cpu>},
    {"cpu.pressure", pressure, Controller::cpuacct, kSlowest, low, kContainers,
     parse_psi<&PressureSample::cpu>},
    {"memory.pressure", pressure, Controller::cpuacct, kPressure, normal, kNotContainers,
     parse_psi<&PressureSample::memory>},
    {"memory.pressure", pressure, Controller::cpuacct, kSlowest, low, kContainers,
     parse_psi<&PressureSample::memory>},
    {"io.pressure", pressure, Controller::cpuacct, kSlow, low, kNotContainers,
     parse_psi<&PressureSample::io>},
    {"io.pressure", pressure, Controller::cpuacct, kSlowest, low, kContainers,
     parse_psi<&PressureSample::io>},

    {"cpu.cfs_period_us", v1, Controller::cpu, kSetting, low, kAll, parse_cfs_period, true},
    setting(Knob::cpu_quota, Controller::cpu, parse_cpu_limit, kAllAndSubgroups),
    setting(Knob::cpu_burst, Controller::cpu, parse_cpu_burst, kAllAndSubgroups),
    setting(Knob::cpu_shares, Controller::cpu, parse_cpu_shares),
    setting(Knob::cpu_idle, Controller::cpu, parse_cpu_idle),
    setting(Knob::cpuset_cpus, Controller::cpuset, parse_cpus),
};
constexpr CgroupFile kEffectiveCpus = {"cpuset.cpus.effective", v2,  Controller::cpuset, kSetting, low, kAll,
                                       parse_cpus_effective,    true};

/// The plain levers of cgroups follow the others in the order of their table.
std::vector<CgroupFile> all_files() {
  std::vector<CgroupFile> out(std::begin(kFiles), std::end(kFiles));
  for (const auto& lever : knob_table())
    if (is_plain(lever.knob) && !is_of_node(lever.knob) && !has_disk_lines(lever.knob))
      out.push_back(plain(lever));
  out.push_back(kEffectiveCpus);
  return out;
}

/// In that controller's hierarchy; nowhere, if there is none.
FilePath in(Controller controller, const tree::Layout& layout) {
  return {.there = !layout.root(controller).empty(), .controller = controller};
}

/// On a hybrid host a cgroup has a unified directory only if another process created it; a vendor kernel may
/// have the file in cpuacct as well.
FilePath pressure_path(std::string_view name, const tree::CgroupTree& tree, const tree::Cgroup& cgroup) {
  const auto directory = tree.unified_dir(cgroup);
  const FilePath unified{.there = !directory.empty(), .unified = true};
  if (tree.layout().v2(Controller::cpuacct)) return unified;
  const FilePath vendor = in(Controller::cpuacct, tree.layout());
  if (!unified.there) return vendor;
  const auto has_it = [&](const std::string& dir) {
    return !dir.empty() && tree.host().exists(dir + '/' + std::string(name));
  };
  const bool only_vendor = !tree.host().exists(directory) && has_it(tree.dir(cgroup, Controller::cpuacct));
  return only_vendor ? vendor : unified;
}

bool needed_by(CgroupKind kind, Kinds kinds) { return ((kinds >> static_cast<unsigned>(kind)) & 1U) != 0; }

}  // namespace

std::span<const CgroupFile> cgroup_files() {
  static const auto all = all_files();
  return all;
}

void parse_file(const CgroupFile& file, Text text, CgroupReading& reading) {
  if (file.parse != nullptr) return file.parse(text, reading);
  parse_plain(file.knob, text, reading);
}

std::string_view name_of(const CgroupFile& file, const tree::Layout& layout) {
  return file.where == either ? kernel::file_name(file.knob, layout) : file.name;
}

FilePath file_path(const CgroupFile& file, const tree::CgroupTree& tree, const tree::Cgroup& cgroup) {
  const auto& layout = tree.layout();
  if (!needed_by(cgroup.kind, file.kinds) || name_of(file, layout).empty()) return {};
  const bool on_v2 = layout.v2(file.controller);
  switch (file.where) {
    case pressure:
      return pressure_path(file.name, tree, cgroup);
    case either:
      return in(file.controller, layout);
    case v1:
      return on_v2 ? FilePath{} : in(file.controller, layout);
    case v2:
      return on_v2 ? in(file.controller, layout) : FilePath{};
  }
  return {};
}

namespace {
// The event loop, watches, metric scrapes and their connections, journal, audit and a directory walk need
// about half of it.
constexpr std::size_t kReserve = 64;
}  // namespace

std::vector<std::size_t> share_descriptors(std::span<const DescriptorNeed> rows, std::size_t limit) {
  std::vector<std::size_t> kept(rows.size(), 0);
  for (const auto importance : {Importance::high, Importance::normal, Importance::low}) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].importance != importance) continue;
      kept[i] = std::min(rows[i].files, limit);
      limit -= kept[i];
    }
  }
  return kept;
}

std::size_t descriptor_limit_of_process() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  if (limit.rlim_cur < limit.rlim_max) {
    const rlimit raised{limit.rlim_max, limit.rlim_max};
    if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  }
  const auto soft = static_cast<std::size_t>(limit.rlim_cur);
  return soft > kReserve ? soft - kReserve : 0;
}

}  // namespace evenkeel::per_cgroup
