#include "tests/support/live/live_population.h"

#include <fstream>

#include "tests/support/fakes/kubelet_texts.h"

namespace evenkeel::test {
namespace {

std::string uid(int pod) {
  std::string number = std::to_string(pod);
  return "bbbbbbbb-0000-0000-0000-" + std::string(12 - number.size(), '0') + number;
}

void limit_to_one_cpu(LiveCgroups& cgroups, const std::string& path) {
  std::ofstream(cgroups.quota_file(path)) << "100000" << std::flush;
}

void give_cpus_below(const Host& host, const std::string& dir, const std::string& parent) {
  for (const char* name : {"/cpuset.cpus", "/cpuset.mems"})
    if (const auto text = host.slurp(parent + name))
      std::ofstream(host.absolute(dir + name)) << *text << std::flush;
  if (const auto names = host.subdirs(dir))
    for (const auto& name : *names) give_cpus_below(host, dir + '/' + name, dir);
}

}  // namespace

void give_cpus(const LiveCgroups& cgroups) {
  const auto& layout = cgroups.layout();
  const auto& root = layout.root(Controller::cpuset);
  if (!root.empty() && !layout.v2(Controller::cpuset))
    give_cpus_below(cgroups.host(), root + '/' + cgroups.top(), root);
}

Population populate(LiveCgroups& cgroups, int pods) {
  Population all;
  for (int pod = 0; pod < pods; ++pod) {
    const bool service = pod % 3 != 2;
    const std::string path =
        std::string("kubepods/") + (service ? "burstable" : "besteffort") + "/pod" + uid(pod);
    (service ? all.services : all.batches).push_back(path);
    for (int container = 0; container < 3; ++container) {
      const std::string child = path + "/c" + std::to_string(container);
      cgroups.make(child);
      if (service) limit_to_one_cpu(cgroups, child);
    }
  }
  return all;
}

std::string pod_list_of(const Population& population) {
  std::vector<PodText> pods;
  const auto uid_of = [](const std::string& path) { return path.substr(path.rfind("pod") + 3); };
  for (const auto& path : population.services)
    pods.push_back({.uid = uid_of(path),
                    .container_ids = {"c0", "c1", "c2"},
                    .resources = R"({"requests":{"cpu":"500m","memory":"64Mi"},)"
                                 R"("limits":{"cpu":"1","memory":"128Mi"}})"});
  pods.front().labels = R"({"koordinator.sh/qosClass":"LSR"})";
  pods.front().annotations = R"({"scheduling.koordinator.sh/resource-status":"{\"cpuset\":\"0\"}"})";
  for (const auto& path : population.batches)
    pods.push_back({.uid = uid_of(path),
                    .labels = R"({"koordinator.sh/qosClass":"BE"})",
                    .qos = "BestEffort",
                    .container_ids = {"c0", "c1", "c2"},
                    .resources =
                        R"({"requests":{"kubernetes.io/batch-cpu":"500","kubernetes.io/batch-memory":)"
                        R"("64Mi"},"limits":{"kubernetes.io/batch-cpu":"1000",)"
                        R"("kubernetes.io/batch-memory":"128Mi"}})"});
  return pod_list_json(pods);
}

}  // namespace evenkeel::test
