#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>

#include "cgroup/base/text.h"
#include "collectors/node/parsers.h"

namespace evenkeel::node {
namespace {

const std::string kCpus = "sys/devices/system/cpu/";

std::optional<int> number_in(const Host& host, const std::string& path) {
  const auto text = host.slurp(path);
  const auto value = text ? whole_number(*text) : std::nullopt;
  // The kernel writes -1 for "unknown".
  if (!value || *value < 0 || *value > INT32_MAX) return std::nullopt;
  return static_cast<int>(*value);
}

std::optional<CpuSet> cpus_in(const Host& host, const std::string& path) {
  const auto text = host.slurp(path);
  return text ? CpuSet::parse(*text) : std::nullopt;
}

bool add(CpuSet& set, std::optional<std::int64_t> cpu) {
  if (!cpu || *cpu < 0 || *cpu >= static_cast<std::int64_t>(CpuSet::kCapacity)) return false;
  set.add(static_cast<CpuId>(*cpu));
  return true;
}

std::optional<CpuSet> unless_empty(const CpuSet& set) {
  return set.empty() ? std::nullopt : std::optional(set);
}

std::map<CpuId, int> numa_nodes(const Host& host) {
  std::map<CpuId, int> out;
  const auto names = host.subdirs(kNumaNodes);
  if (!names) return out;
  for (const auto& name : *names) {
    const auto node = number_in_name(name, "node");
    const auto cpus = node ? cpus_in(host, kNumaNodes + '/' + name + "/cpulist") : std::nullopt;
    if (!cpus) continue;
    for (CpuId cpu = cpus->next(0); cpu >= 0; cpu = cpus->next(cpu + 1)) out[cpu] = static_cast<int>(*node);
  }
  return out;
}

/// The kernel's id of a CPU's last-level cache (resctrl uses the same number), otherwise the first CPU that
/// shares it.
std::optional<int> cache_domain(const Host& host, const std::string& cpu) {
  const auto names = host.subdirs(cpu + "/cache");
  if (!names) return std::nullopt;
  int farthest = 0;
  std::string cache;
  for (const auto& name : *names) {
    const auto level =
        number_in_name(name, "index") ? number_in(host, cpu + "/cache/" + name + "/level") : std::nullopt;
    if (!level || *level <= farthest) continue;
    farthest = *level;
    cache = cpu + "/cache/" + name;
  }
  if (cache.empty()) return std::nullopt;
  if (const auto id = number_in(host, cache + "/id")) return id;
  const auto shared = cpus_in(host, cache + "/shared_cpu_list");
  return shared && !shared->empty() ? std::optional(shared->next(0)) : std::nullopt;
}

/// Makes core numbers unique: the kernel's repeat on each socket and die.
class CoreNumbers {
 public:
  int of(int socket, int die, std::optional<int> core) {
    if (!core) return next_++;
    const auto [found, is_new] = known_.try_emplace(std::tuple(socket, die, *core), next_);
    if (is_new) ++next_;
    return found->second;
  }

 private:
  std::map<std::tuple<int, int, int>, int> known_{};
  int next_ = 0;
};

}  // namespace

std::optional<std::int64_t> number_in_name(std::string_view name, std::string_view prefix) {
  Scanner scan(name);
  if (!scan.eat(prefix)) return std::nullopt;
  const auto value = scan.number();
  if (!value || *value < 0 || !scan.done()) return std::nullopt;
  return value;
}

std::optional<CpuSet> cpus_of_cpuinfo(std::string_view text) {
  CpuSet out;
  for (Scanner scan(text); !scan.done();) {
    Scanner line(scan.line());
    if (!line.eat("processor")) continue;
    line.skip_blanks();
    // s390 writes "processor 0: version = ..."; there and on others the list comes from sysfs.
    if (!line.eat(":")) continue;
    if (!add(out, line.number())) return std::nullopt;
  }
  return unless_empty(out);
}

std::optional<CpuSet> cpus_of_stat(std::string_view text) {
  CpuSet out;
  for (Scanner scan(text); !scan.done();) {
    Scanner line(scan.line());
    const auto name = line.word();
    if (!name.starts_with("cpu") || name == "cpu") continue;
    if (!add(out, number_in_name(name, "cpu"))) return std::nullopt;
  }
  return unless_empty(out);
}

std::string cpu_model_of(std::string_view cpuinfo) {
  constexpr std::array<std::string_view, 4> kNames = {"model name", "cpu model", "cpu", "uarch"};
  std::string implementer;
  for (Scanner scan(cpuinfo); !scan.done();) {
    const std::string_view line = scan.line();
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const auto key = trimmed(line.substr(0, colon)), value = trimmed(line.substr(colon + 1));
    if (value.empty()) continue;
    if (std::ranges::find(kNames, key) != kNames.end()) return std::string(value);
    if (key == "CPU implementer") implementer = value;
    if (key == "CPU part" && !implementer.empty()) return implementer + ' ' + std::string(value);
  }
  return {};
}

std::string cpu_vendor_of(std::string_view cpuinfo) {
  for (Scanner scan(cpuinfo); !scan.done();) {
    const std::string_view line = scan.line();
    const auto colon = line.find(':');
    if (colon != std::string_view::npos && trimmed(line.substr(0, colon)) == "vendor_id")
      return std::string(trimmed(line.substr(colon + 1)));
  }
  return {};
}

std::optional<bool> turbo_enabled(std::string_view no_turbo) {
  const auto off = whole_number(trimmed(no_turbo));
  return off && *off >= 0 ? std::optional(*off == 0) : std::nullopt;
}

CpuTopology read_topology(const Host& host, const CpuSet& online) {
  CpuTopology out{.online = online};
  const auto nodes = numa_nodes(host);
  CoreNumbers cores;
  for (CpuId id = online.next(0); id >= 0; id = online.next(id + 1)) {
    const std::string cpu = kCpus + "cpu" + std::to_string(id);
    const auto node = nodes.find(id);
    CpuInfo info{.id = id};
    info.socket = number_in(host, cpu + "/topology/physical_package_id").value_or(0);
    info.numa = node == nodes.end() ? 0 : node->second;
    info.core = cores.of(info.socket, number_in(host, cpu + "/topology/die_id").value_or(0),
                         number_in(host, cpu + "/topology/core_id"));
    info.l3 = cache_domain(host, cpu).value_or(info.socket);
    out.cpus.push_back(info);
  }
  const auto cpuinfo = host.slurp("proc/cpuinfo").value_or(std::string());
  out.model = cpu_model_of(cpuinfo);
  out.vendor = cpu_vendor_of(cpuinfo);
  return out;
}

}  // namespace evenkeel::node
