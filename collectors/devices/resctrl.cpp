#include <algorithm>
#include <string>

#include "cgroup/base/text.h"
#include "cgroup/resctrl/text.h"
#include "collectors/devices/devices.h"

namespace evenkeel::devices {
namespace {

const std::string kRoot = resctrl::kResctrlDir;

/// mba_MBps: the largest 32-bit number means no limit, and every other number is a bandwidth.
constexpr std::uint64_t kMostPercent = 100;
/// AMD's value for "no limit"; the root's value if it is a larger power of two.
constexpr std::uint64_t kUnlimitedEighths = 2048, kMostEighths = std::uint64_t{1} << 24U;

std::optional<std::string> info(const Host& host, const std::string& resource, const char* file) {
  const auto text = host.slurp(kRoot + "/info/" + resource + "/" + file);
  return text ? std::optional(std::string(trimmed(*text))) : std::nullopt;
}
std::optional<std::int64_t> info_number(const Host& host, const std::string& resource, const char* file) {
  const auto text = info(host, resource, file);
  const auto value = text ? whole_number(*text) : std::nullopt;
  return value && *value >= 0 && *value <= INT32_MAX ? value : std::nullopt;
}

std::uint64_t mask_or(std::uint64_t otherwise, const std::optional<std::string>& text) {
  return text ? resctrl::parse_mask(*text).value_or(otherwise) : otherwise;
}

void read_ways(const Host& host, ResctrlResource& resource) {
  resource.full = mask_or(0, info(host, resource.name, "cbm_mask"));
  if (resource.full == 0) return;
  resource.unit = ResctrlUnit::ways;
  resource.least = std::max<std::int64_t>(1, info_number(host, resource.name, "min_cbm_bits").value_or(1));
  resource.sparse = info_number(host, resource.name, "sparse_masks").value_or(0) == 1;
  resource.shared = mask_or(0, info(host, resource.name, "shareable_bits"));
}

bool made_by_amd(const Host& host) {
  const auto text = host.slurp("proc/cpuinfo").value_or(std::string());
  return text.find("AuthenticAMD") != std::string::npos || text.find("HygonGenuine") != std::string::npos;
}

/// The unit of the MB numbers. Intel's have a granularity and are linear; AMD's have neither, and MPAM has no
/// non-linear scale: the CPU vendor decides only if none of this does.
ResctrlUnit bandwidth_unit(const Host& host, const ResctrlResource& resource, std::uint64_t largest) {
  const bool coarse = resource.step > 1 || resource.least > 1;
  if (coarse) return largest <= kMostPercent ? ResctrlUnit::percent : ResctrlUnit::other;
  if (largest > kMostEighths) return ResctrlUnit::other;
  if (largest > kMostPercent) return ResctrlUnit::eighths;
  return made_by_amd(host) ? ResctrlUnit::eighths : ResctrlUnit::percent;
}

void read_bandwidth(const Host& host, const resctrl::SchemataLine& line, ResctrlResource& resource) {
  const auto least = info_number(host, "MB", "min_bandwidth");
  const auto step = info_number(host, "MB", "bandwidth_gran");
  if (!least || !step) return;
  resource.least = std::max<std::int64_t>(1, *least);
  resource.step = std::max<std::int64_t>(1, *step);
  std::uint64_t largest = 0;
  for (const auto& domain : line.domains) largest = std::max(largest, domain.value);
  resource.unit = bandwidth_unit(host, resource, largest);
  if (resource.unit == ResctrlUnit::percent) resource.full = kMostPercent;
  if (resource.unit != ResctrlUnit::eighths) return;
  resource.full = kUnlimitedEighths;
  if (largest > kUnlimitedEighths && (largest & (largest - 1)) == 0) resource.full = largest;
}

ResctrlResource read_resource(const Host& host, const resctrl::SchemataLine& line) {
  ResctrlResource out{.name = line.resource};
  for (const auto& domain : line.domains) out.domains.push_back(domain.id);
  if (resctrl::is_mask(line.resource)) read_ways(host, out);
  if (line.resource == "MB") read_bandwidth(host, line, out);
  return out;
}

bool is_part_of_root(const std::string& name) {
  return name == "info" || name == "mon_data" || name == "mon_groups";
}

}  // namespace

std::optional<ResctrlSystem> read_resctrl(const Host& host) {
  const auto text = host.slurp(kRoot + "/schemata");
  const auto lines = text ? resctrl::parse_schemata(*text) : std::nullopt;
  const auto names = host.subdirs(kRoot);
  if (!lines || !names) return std::nullopt;
  ResctrlSystem out;
  for (const auto& line : *lines) {
    out.resources.push_back(read_resource(host, line));
    const auto closids = info_number(host, line.resource, "num_closids");
    if (!closids || *closids < 1) continue;
    const auto groups = static_cast<int>(*closids);
    out.max_groups = out.max_groups == 0 ? groups : std::min(out.max_groups, groups);
  }
  for (const auto& name : *names)
    if (!is_part_of_root(name) && !name.starts_with(resctrl::kResctrlPrefix)) ++out.other_groups;
  return out;
}

}  // namespace evenkeel::devices
