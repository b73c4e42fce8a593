#include "agent/config/schema.h"

namespace evenkeel::config {
namespace {

using namespace schema;

using T = TrustRule;
constexpr Row kTrustRows[] = {
    with_example(
        field<&T::namespaces>("namespaces", Kind::text_list, "", "the pods' namespaces; not given: all"),
        "[team-batch]"),
    with_example(field<&T::kube_qos>("kubeQOS", Kind::text_list, "",
                                     "Kubernetes' own QoS classes of the pods, Guaranteed, Burstable or "
                                     "BestEffort; not given: all"),
                 "[BestEffort]"),
    with_example(number<&T::min_priority>("minPriority", Range{INT32_MIN, INT32_MAX}, "spec.priority",
                                          "pods with this priority or a higher one; not given: all"),
                 "5000"),
    with_example(field<&T::claims>(
                     "claims", Kind::text_list, "",
                     "which of their claims count: hands-off, eviction-policy, cache, cpus, disk-latency, "
                     "cpu-burst, core-sched-group, memory"),
                 "[hands-off]"),
};

}  // namespace

std::span<const Row> trust_rows() { return kTrustRows; }

}  // namespace evenkeel::config
