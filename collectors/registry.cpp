#include "collectors/registry.h"

namespace evenkeel::collectors {

extern const CollectorSpec topology_collector;
extern const CollectorSpec node_cpu_collector;
extern const CollectorSpec node_memory_collector;
extern const CollectorSpec node_pressure_collector;
extern const CollectorSpec node_settings_collector;
extern const CollectorSpec resctrl_collector;
extern const CollectorSpec disks_collector;
extern const CollectorSpec network_collector;
extern const CollectorSpec counters_collector;
extern const CollectorSpec run_queue_collector;

namespace {
// The CPU capacity is the number of CPUs that the topology found online: it stands first.
constexpr const CollectorSpec* kCollectors[] = {
    &topology_collector,      &node_cpu_collector,  &node_memory_collector, &node_pressure_collector,
    &node_settings_collector, &resctrl_collector,   &disks_collector,       &network_collector,
    &counters_collector,      &run_queue_collector,
};
}  // namespace

std::span<const CollectorSpec* const> node_collectors() { return kCollectors; }

}  // namespace evenkeel::collectors
