#include "collectors/sampler.h"

// Each collector is a constant in its own folder, named only in this list.
namespace evenkeel::node {
extern const collectors::CollectorSpec topology_collector;
extern const collectors::CollectorSpec node_cpu_collector;
extern const collectors::CollectorSpec node_memory_collector;
extern const collectors::CollectorSpec node_pressure_collector;
extern const collectors::CollectorSpec node_settings_collector;
extern const collectors::CollectorSpec scheduler_collector;
}  // namespace evenkeel::node

namespace evenkeel::devices {
extern const collectors::CollectorSpec resctrl_collector;
extern const collectors::CollectorSpec disks_collector;
extern const collectors::CollectorSpec disk_use_collector;
extern const collectors::CollectorSpec network_collector;
}  // namespace evenkeel::devices

namespace evenkeel::counters {
extern const collectors::CollectorSpec counters_collector;
}  // namespace evenkeel::counters

namespace evenkeel::run_queue {
extern const collectors::CollectorSpec run_queue_collector;
}  // namespace evenkeel::run_queue

namespace evenkeel::collectors {
namespace {

// The topology comes first: CPU capacity is the number of CPUs that it found online.
constexpr const CollectorSpec* kCollectors[] = {
    &node::topology_collector,      &node::node_cpu_collector,      &node::node_memory_collector,
    &node::node_pressure_collector, &node::node_settings_collector, &node::scheduler_collector,
    &devices::resctrl_collector,    &devices::disks_collector,      &devices::disk_use_collector,
    &devices::network_collector,    &counters::counters_collector,  &run_queue::run_queue_collector,
};
}  // namespace

std::span<const CollectorSpec* const> node_collectors() { return kCollectors; }

}  // namespace evenkeel::collectors
