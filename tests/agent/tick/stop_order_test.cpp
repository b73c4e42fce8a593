// Stopping restores every value before anything waits for the disk of the state directory. A named pipe that
// nobody reads replaces the file that the agent saves last: opening it blocks, as a stalled disk does.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "tests/support/agents/stepped_node.h"
#include "tests/support/live/live_agent.h"
#include "tests/support/soon.h"

namespace evenkeel::test {
namespace {

constexpr const char* kProtect =
    "resourceQOSStrategy: {lsClass: {memoryQOS: {enable: true, minLimitPercent: 50}}}\n";

constexpr const char* kPods =
    "items: [{metadata: {uid: 11111111-1111-1111-1111-111111111111, namespace: shop, name: cart}, spec: "
    "{containers: [{name: a, resources: {requests: {memory: 100Mi}, limits: {memory: 1000Mi}}}]}, status: "
    "{phase: Running, qosClass: Burstable, containerStatuses: [{name: a, containerID: 'containerd://aaa', "
    "state: {running: {}}}]}}]\n";

TEST(StopOrder, ValuesAreRestoredBeforeAnythingWaitsForTheDisk) {
  SteppedNode node(16, FakeNode::Kernel::v2, kProtect);
  const auto pod = node.host.pod(KubeQos::burstable, "11111111-1111-1111-1111-111111111111", {"aaa"});
  auto args = node.args(node.pod_list(kPods));
  for (const char* more : {"--listen", "none", "--interval", "50ms"}) args.emplace_back(more);
  const auto min = [&] { return node.setting(Controller::memory, pod, "memory.min"); };

  LiveAgent agent(args);
  ASSERT_TRUE(soon([&] { return min() == "52428800"; })) << agent.log();
  const std::string saved = node.state_dir() + "/prediction.new";
  ASSERT_EQ(::mkfifo(saved.c_str(), 0600), 0);
  ::kill(agent.pid(), SIGTERM);
  EXPECT_TRUE(soon([&] { return min() == "0"; })) << agent.log();
  EXPECT_TRUE(agent.alive()) << "it did not try to save, so this test shows nothing: " << agent.log();
  const int reader = ::open(saved.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  agent.stop();
  ::close(reader);
}

}  // namespace
}  // namespace evenkeel::test
