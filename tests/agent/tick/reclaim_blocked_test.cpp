// Tests a write to memory.reclaim that blocks in the kernel: the rest of the agent goes on, and stopping is
// not delayed. A full pipe replaces the file.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/support/agents/stepped_node.h"
#include "tests/support/live/live_agent.h"
#include "tests/support/soon.h"

namespace evenkeel::test {
namespace {

constexpr const char* kPods =
    "items: [{metadata: {uid: 11111111-1111-1111-1111-111111111111, namespace: shop, name: cart}, spec: "
    "{containers: [{name: a, resources: {requests: {memory: 100Mi}, limits: {memory: 1000Mi}}}]}, status: "
    "{phase: Running, qosClass: Burstable, containerStatuses: [{name: a, containerID: 'containerd://aaa', "
    "state: {running: {}}}]}}]\n";

std::string protecting(int percent) {
  return "resourceQOSStrategy: {lsClass: {memoryQOS: {enable: true, minLimitPercent: " +
         std::to_string(percent) + "}}}\n";
}

class ReclaimBlocked : public testing::Test {
 protected:
  ReclaimBlocked() : node(16, FakeNode::Kernel::v2, protecting(50)) {
    pod = node.host.pod(KubeQos::burstable, "11111111-1111-1111-1111-111111111111", {"aaa"});
    node.host.write(Controller::memory, pod + "/aaa", "memory.current", "1020000000\n");
    const auto path =
        node.host.root() + '/' + node.host.dir_of(Controller::memory, pod + "/aaa") + "/memory.reclaim";
    ::unlink(path.c_str());
    EXPECT_EQ(::mkfifo(path.c_str(), 0600), 0);
    pipe = ::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC);
    const std::string much(4096, 'x');
    while (::write(pipe, much.data(), much.size()) > 0) {
    }
    pods = node.pod_list(kPods);
  }
  ~ReclaimBlocked() override { ::close(pipe); }
  [[nodiscard]] std::vector<std::string> args() const {
    auto out = node.args(pods);
    for (const char* more : {"--listen", "none", "--interval", "50ms"}) out.emplace_back(more);
    return out;
  }
  [[nodiscard]] std::string min() const { return node.setting(Controller::memory, pod, "memory.min"); }
  /// Waits until the thread is blocked in its write.
  static bool hangs(const LiveAgent& agent) {
    return soon([&] {
      int threads = 0;
      bool in_pipe = false;
      std::error_code gone;
      for (const auto& task :
           std::filesystem::directory_iterator("/proc/" + std::to_string(agent.pid()) + "/task", gone)) {
        ++threads;
        std::string where;
        std::getline(std::ifstream(task.path() / "wchan"), where);
        std::string call;
        std::ifstream(task.path() / "syscall") >> call;
        in_pipe = in_pipe || where.find("pipe") != std::string::npos || call == "1";
      }
      return threads > 1 && in_pipe;
    });
  }
  SteppedNode node;
  std::string pod, pods;
  int pipe = -1;
};

TEST_F(ReclaimBlocked, TicksGoOnAndStoppingRestores) {
  LiveAgent agent(args());
  ASSERT_TRUE(soon([&] { return min() == "52428800"; })) << agent.log();
  ASSERT_TRUE(hangs(agent)) << agent.log();
  node.configure(protecting(100));
  EXPECT_TRUE(soon([&] { return min() == "104857600"; })) << agent.log();
  agent.stop();
  EXPECT_EQ(agent.exit_status(), 0) << agent.log();
  EXPECT_EQ(min(), "0");
}

TEST_F(ReclaimBlocked, RestoreUndoesEverythingAfterAKill) {
  LiveAgent agent(args());
  ASSERT_TRUE(soon([&] { return min() == "52428800"; })) << agent.log();
  ASSERT_TRUE(hangs(agent)) << agent.log();
  agent.kill();
  EXPECT_EQ(min(), "52428800");
  EXPECT_EQ(node.restore().exit_status, 0);
  EXPECT_EQ(min(), "0");
}

}  // namespace
}  // namespace evenkeel::test
