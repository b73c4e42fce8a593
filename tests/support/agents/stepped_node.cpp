#include "tests/support/agents/stepped_node.h"

#include <filesystem>
#include <fstream>

namespace evenkeel::test {

SteppedNode::SteppedNode(int cpus, Kernel kernel, const std::string& nodeslo, bool kubelet)
    : FakeNode(cpus, kernel, kubelet) {
  std::filesystem::create_directories(state_dir());
  configure(nodeslo);
}

SteppedNode::~SteppedNode() { std::filesystem::remove_all(state_dir()); }

std::string SteppedNode::write(const std::string& name, const std::string& text) const {
  const std::string path = state_dir() + "/" + name;
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

std::string SteppedNode::configure(const std::string& nodeslo) const {
  return write("nodeslo.yaml", nodeslo);
}

std::string SteppedNode::pod_list(const std::string& text) const {
  return "file:" + write("pods.json", text);
}

std::vector<std::string> SteppedNode::args(const std::string& pods) const {
  return {"--host-root", host.root(), "--nodeslo",   state_dir() + "/nodeslo.yaml",
          "--pods",      pods,        "--state-dir", state_dir()};
}

Step SteppedNode::seconds(int count, SteppedAgent& agent) {
  Step last;
  for (int second = 0; second < count; ++second) {
    run(std::chrono::seconds(1));
    last = agent.advance("1s");
  }
  return last;
}

Ran SteppedNode::restore() const {
  return run_evenkeel({"restore", "--host-root", host.root(), "--state-dir", state_dir()});
}

TwoPods::TwoPods(Kernel kernel, const std::string& nodeslo, const Ids& service_containers,
                 const Ids& batch_containers)
    : SteppedNode(16, kernel, nodeslo),
      service(host.pod(KubeQos::burstable, "11111111-1111-1111-1111-111111111111", service_containers)),
      batch(host.pod(KubeQos::besteffort, "22222222-2222-2222-2222-222222222222", batch_containers)) {}

std::string kernel_name(const testing::TestParamInfo<FakeNode::Kernel>& kernel) {
  return kernel.param == FakeNode::Kernel::v1 ? "v1" : "v2";
}

}  // namespace evenkeel::test
