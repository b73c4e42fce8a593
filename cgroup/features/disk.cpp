#include "cgroup/features/disk.h"

#include <algorithm>
#include <optional>

namespace evenkeel::features {
namespace {

Capability* row(std::vector<Capability>& all, std::string_view feature) {
  const auto found = std::ranges::find(all, feature, &Capability::feature);
  return found == all.end() ? nullptr : &*found;
}

/// The first cgroup's file of this name, if there is one.
bool somewhere(const Host& host, const tree::CgroupTree& tree, const char* file) {
  return std::ranges::any_of(tree.all(), [&](const tree::Cgroup* cgroup) {
    return host.exists(tree.dir(*cgroup, Controller::blkio) + '/' + file);
  });
}

/// Mainline's two ways to share a busy disk: the cost model's weights and those of a scheduler.
void add_bfq(const Host& host, const tree::CgroupTree& tree, Capability* weight) {
  const bool v2 = tree.layout().v2(Controller::blkio);
  const char* file = v2 ? "io.bfq.weight" : "blkio.bfq.weight_device";
  if (weight == nullptr || !somewhere(host, tree, file)) return;
  const std::string only = std::string(file) + ", on disks whose scheduler is bfq";
  if (weight->works) {
    weight->detail = "also " + only;
  } else {
    *weight = {weight->feature, true, "", "", only};
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
  auto* throttle = row(all, "io-throttle");
  if (throttle != nullptr && throttle->works && !tree.layout().v2(Controller::blkio))
    throttle->detail =
        "on cgroup v1 of each container by itself, and not of writes that go through the page cache";
  add_bfq(host, tree, row(all, "io-weight"));
  all.push_back(cost(host, tree));
}

}  // namespace evenkeel::features
