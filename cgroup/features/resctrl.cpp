#include "cgroup/base/text.h"
#include "cgroup/features/features.h"
#include "cgroup/resctrl/text.h"

namespace evenkeel::features {
namespace {

constexpr const char* kSubstitute = "CPU suppression";

bool cpu_has(const Host& host, std::string_view flag) {
  const auto cpuinfo = host.slurp("proc/cpuinfo").value_or(std::string());
  const auto at = cpuinfo.find("\nflags");
  if (at == std::string::npos) return false;
  Scanner line(std::string_view(cpuinfo).substr(at + 1, cpuinfo.find('\n', at + 1) - at - 1));
  for (auto word = line.word(); !word.empty(); word = line.word())
    if (word == flag) return true;
  return false;
}

std::string info(const Host& host, const std::string& file) {
  const auto text = host.slurp(std::string(resctrl::kResctrlDir) + "/info/" + file);
  return text ? std::string(trimmed(*text)) : std::string();
}

Capability cache_ways(const Host& host) {
  for (const char* cache : {"L3", "L3CODE"}) {
    const auto mask = info(host, std::string(cache) + "/cbm_mask");
    if (!mask.empty())
      return {"cache-ways", true, "", "",
              std::string(cache) + " mask " + mask + ", " + info(host, std::string(cache) + "/num_closids") +
                  " groups"};
  }
  return {"cache-ways", false, "no L3 in /sys/fs/resctrl/info", kSubstitute, ""};
}

Capability memory_bandwidth(const Host& host) {
  const auto least = info(host, "MB/min_bandwidth");
  if (least.empty()) return {"memory-bandwidth", false, "no MB in /sys/fs/resctrl/info", kSubstitute, ""};
  return {"memory-bandwidth", true, "", "",
          "from " + least + " in steps of " + info(host, "MB/bandwidth_gran") + ", " +
              info(host, "MB/num_closids") + " groups"};
}

Capability cache_monitor(const Host& host) {
  auto events = info(host, "L3_MON/mon_features");
  if (events.empty()) return {"cache-monitor", false, "no L3_MON in /sys/fs/resctrl/info", "", ""};
  for (auto& c : events)
    if (c == '\n') c = ' ';
  return {"cache-monitor", true, "", "", events};
}

}  // namespace

void probe_resctrl(const Host& host, std::vector<Capability>& out) {
  if (host.exists(std::string(resctrl::kResctrlDir) + "/schemata")) {
    out.push_back({"resctrl", true, "", "", ""});
    out.push_back(cache_ways(host));
    out.push_back(memory_bandwidth(host));
    out.push_back(cache_monitor(host));
    return;
  }
  // A mount outlives the process and affects all processes: mounting is the operator's decision.
  const bool cpu = cpu_has(host, "cat_l3") || cpu_has(host, "mba") || cpu_has(host, "rdt_a");
  out.push_back(
      {"resctrl", false,
       cpu ? "not mounted: mount -t resctrl resctrl /sys/fs/resctrl" : "the CPU cannot partition its caches",
       kSubstitute, ""});
  for (const char* feature : {"cache-ways", "memory-bandwidth"})
    out.push_back({feature, false, "no resctrl", kSubstitute, ""});
  out.push_back({"cache-monitor", false, "no resctrl", "", ""});
}

}  // namespace evenkeel::features
