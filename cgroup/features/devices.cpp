#include <algorithm>

#include "cgroup/features/features.h"
#include "cgroup/network/kernel_network.h"

namespace evenkeel::features {

namespace {

/// Whether one of the known cgroups has the file.
bool somewhere(const Host& host, const tree::CgroupTree& tree, Controller controller, std::string_view file) {
  return std::ranges::any_of(tree.all(), [&](const tree::Cgroup* cgroup) {
    return host.exists(tree.dir(*cgroup, controller) + '/' + std::string(file));
  });
}

/// A lever that provides a capability for some disks which another lever provides for the rest.
void add_other_file(const Host& host, const tree::CgroupTree& tree, const KnobRow& lever,
                    std::vector<Capability>& all) {
  auto* capability = find_row(all, lever.capability.name);
  const auto file = lever.file(tree.layout().v2(lever.controller));
  if (capability == nullptr || !somewhere(host, tree, lever.controller, file)) return;
  const std::string only = std::string(file) + ", on " + std::string(lever.capability.also_on);
  if (capability->works) {
    capability->detail = "also " + only;
  } else {
    *capability = {capability->feature, true, "", "", only};
  }
}

Capability cost(const Host& host, const tree::CgroupTree& tree) {
  const auto& layout = tree.layout();
  const auto& root = layout.root(Controller::blkio);
  const char* file = layout.v2(Controller::blkio) ? "io.cost.qos" : "blkio.cost.qos";
  if (!root.empty() && host.exists(root + '/' + file)) return {"io-cost", true, "", "", ""};
  const std::string why =
      root.empty() ? "no hierarchy has the controller" : "no " + std::string(file) + " in /" + root;
  return {"io-cost", false, why, "throttling, which is not work-conserving", ""};
}

}  // namespace

void probe_disks(const Host& host, const tree::CgroupTree& tree, std::vector<Capability>& all) {
  for (const auto& lever : knob_table())
    if (!lever.capability.also_on.empty()) add_other_file(host, tree, lever, all);
  all.push_back(cost(host, tree));
}

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
