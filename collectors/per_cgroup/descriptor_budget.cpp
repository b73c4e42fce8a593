#include "collectors/per_cgroup/descriptor_budget.h"

#include <sys/resource.h>

#include <algorithm>

namespace evenkeel::per_cgroup {
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
