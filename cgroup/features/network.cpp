#include "cgroup/features/network.h"

#include "cgroup/network/kernel_network.h"

namespace evenkeel::features {

/// HTB itself is a module that the kernel loads with the first queue: testing it would touch an interface.
void probe_network(const Host& host, const tree::CgroupTree& tree, std::vector<Capability>& out) {
  Capability row{"network-classes", false, network::network_unavailable_reason(host), "", ""};
  row.works = row.why_not.empty();
  if (row.works)
    row.detail = network::KernelNetworkPort(host).supports_cgroup_match() && tree.layout().v2(Controller::cpu)
                     ? "by address, and by cgroup where a pod has the node's"
                     : "by address: pods with the node's own are not told apart here";
  out.push_back(std::move(row));
}

}  // namespace evenkeel::features
