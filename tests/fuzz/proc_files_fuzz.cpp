#include <sys/sysmacros.h>

#include "agent/writers/writers.h"
#include "collectors/devices/devices.h"
#include "collectors/node/parsers.h"
#include "tests/fuzz/fuzz.h"

using namespace evenkeel;
using fuzz::promise;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  if (const auto ticks = node::cpu_ticks(text)) promise(ticks->used >= 0 && ticks->stolen.value_or(0) >= 0);
  promise(node::tasks_started(text).value_or(0) >= 0);
  if (const auto memory = node::parse_meminfo(text))
    promise(memory->total.count() > 0 && memory->available.count() >= 0);
  node::hugepage_size(text);
  node::cpus_of_cpuinfo(text);
  promise(node::cpu_model_of(text).size() <= text.size() + 1);
  promise(node::cpu_vendor_of(text).size() <= text.size());
  promise(node::number_in_name(text, "cpu").value_or(0) >= 0);
  node::cpus_of_stat(text);
  if (const auto use = devices::parse_disk_use(text))
    promise(use->moved.count() >= 0 && use->requests >= 0 && use->busy.count() >= 0);
  std::vector<DiskUse> disks{{.disk = 253U << 20U}};
  devices::add_besteffort_use(text, disks);
  promise(disks[0].besteffort_moved.value_or(Bytes{}).count() >= 0);
  for (const auto& route : {devices::read_route(text), devices::read_route6(text)})
    promise(!route || (!route->link.empty() && route->link.find('/') == std::string_view::npos));
  for (const int process : writers::flock_holders(text, makedev(0, 0x21), 7)) promise(process > 0);
  if (const auto pressure = node::parse_pressure(text)) promise(pressure->some.total.count() >= 0);
  return 0;
}
