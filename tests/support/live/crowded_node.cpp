#include "tests/support/live/crowded_node.h"

#include <fstream>

#include "tests/support/process.h"

namespace evenkeel::test {
namespace {

constexpr const char* kService = "kubepods/burstable/podeeeeeeee-0000-0000-0000-000000000001/c1";
constexpr const char* kBatch = "kubepods/besteffort/podeeeeeeee-0000-0000-0000-000000000002/c2";
constexpr std::size_t kMiB = std::size_t{1} << 20;

}  // namespace

CrowdedNode::CrowdedNode() : unavailable_reason_(cgroups_.why_not()) {
  if (!unavailable_reason_.empty()) return;
  if (!cgroups_.layout().v2(Controller::memory)) {
    unavailable_reason_ = "memory.high is on cgroup v2 only";
    return;
  }
  cgroups_.make(kService);
  cgroups_.make(kBatch);
  std::ofstream(cgroups_.file(Controller::memory, "", "memory.max")) << 320 * kMiB << std::flush;
  files_ = files_to_read(512 * kMiB);
  if (files_.empty()) unavailable_reason_ = "no large files to read";
  std::ofstream(dir_.path + "/pods.yaml")
      << "items: [{metadata: {uid: eeeeeeee-0000-0000-0000-000000000001, namespace: shop, name: cart}, "
         "spec: {containers: [{name: a}]}, status: {phase: Running, qosClass: Burstable, "
         "containerStatuses: [{name: a, containerID: 'containerd://c1', state: {running: {}}}]}}, "
         "{metadata: {uid: eeeeeeee-0000-0000-0000-000000000002, namespace: shop, name: batch}, "
         "spec: {containers: [{name: a}]}, status: {phase: Running, qosClass: BestEffort, "
         "containerStatuses: [{name: a, containerID: 'containerd://c2', state: {running: {}}}]}}]\n";
}

void CrowdedNode::configure(const std::string& extensions) const {
  std::ofstream(dir_.path + "/nodeslo.yaml") << "extensions: {evenkeel: {" << extensions << "}}\n";
}

std::string CrowdedNode::file(const char* cgroup, const char* name) const {
  return text_of_file(cgroups_.file(Controller::memory, cgroup, name));
}

MemoryHog CrowdedNode::fill() const {
  return reader(cgroups_.file(Controller::memory, kBatch, "cgroup.procs"), files_, 60 * kMiB, true);
}

MemoryHog CrowdedNode::service_works() const {
  return toucher(cgroups_.file(Controller::memory, kService, "cgroup.procs"), 128 * kMiB, 4);
}

long CrowdedNode::stall_us() const {
  const auto text = file(kService, "memory.pressure");
  return std::stol(text.substr(text.find("total=") + 6));
}

std::string CrowdedNode::best_effort(const char* name) const { return file("kubepods/besteffort", name); }

/// How often the node's limit was hit.
long CrowdedNode::limit_met() const {
  const auto text = file("", "memory.events");
  return std::stol(text.substr(text.find("\nmax ") + 5));
}

}  // namespace evenkeel::test
