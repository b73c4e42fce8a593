// kill -9 at random moments of a busy agent on a fake host; then `evenkeel restore`; then every control file
// is as before.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>

#include "tests/support/agents/stepped_node.h"
#include "tests/support/environment.h"
#include "tests/support/rounds.h"
#include "tests/support/scenes/nodeslo_texts.h"

namespace evenkeel::test {
namespace {

/// Per kernel version. EVENKEEL_KILLS: for longer runs.
int kills() { return from_environment("EVENKEEL_KILLS", static_cast<int>(rounds(250))); }

/// Counters are the kernel's, not ours: they differ after every second that passed.
bool is_counter(const std::string& name) {
  return name == "cpuacct.usage" || name == "cpu.stat" || name == "stat";
}

std::map<std::string, std::string> settings_below(const std::string& root) {
  std::map<std::string, std::string> all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root + "/sys/fs/cgroup")) {
    if (!entry.is_regular_file() || is_counter(entry.path().filename())) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    all[entry.path()] = std::string(std::istreambuf_iterator<char>(file), {});
  }
  return all;
}

std::string difference(const std::map<std::string, std::string>& before,
                       const std::map<std::string, std::string>& after) {
  std::string out;
  for (const auto& [path, text] : before) {
    const auto now = after.find(path);
    const std::string has = now == after.end() ? "<gone>" : now->second;
    if (has != text) out += path + ": was '" + text + "', is '" + has + "'\n";
  }
  return out;
}

/// Four services whose use changes every second, and four pods of best effort.
struct BusyNode : SteppedNode {
  explicit BusyNode(Kernel kernel) : SteppedNode(8, kernel, kCpuFeatures) {
    for (int i = 0; i < 4; ++i) {
      const std::string number = std::to_string(i), uid = "0000000" + number + "-0000-0000-0000-00000000000";
      const std::string service = host.pod(KubeQos::burstable, uid + "a", {"s" + number});
      host.pod(KubeQos::besteffort, uid + "b", {"b" + number});
      containers.push_back(service + "/s" + number);
      for (const auto& cgroup : {service, containers.back()}) set_quota(cgroup, "100000");
    }
  }
  void busy_second(SteppedAgent& agent) {
    for (const auto& container : containers) {
      uses(container, MilliCpu(use(random)));
      throttled(container, use(random) > 700);
    }
    run(std::chrono::seconds(1));
    agent.try_advance("1s");
  }
  std::vector<std::string> containers{};  ///< of the services
  std::mt19937 random{42};
  std::uniform_int_distribution<int> use{0, 1500};
};

/// What an agent's life of five seconds takes. A build with sanitizers is several times slower: the kills
/// keep its pace.
int usual_life_us(BusyNode& node) {
  const auto from = std::chrono::steady_clock::now();
  {
    SteppedAgent agent(node.args());
    for (int second = 0; second < 5; ++second) node.busy_second(agent);
    agent.quit();
  }
  const auto took = std::chrono::steady_clock::now() - from;
  return static_cast<int>(std::chrono::duration_cast<std::chrono::microseconds>(took).count());
}

class SteppedCrash : public testing::TestWithParam<FakeNode::Kernel> {};

TEST_P(SteppedCrash, LeavesNothingBehindAfterRestore) {
  BusyNode node(GetParam());
  const auto before = settings_below(node.host.root());
  std::uniform_int_distribution<int> moment_us(0, 2 * usual_life_us(node));
  int wrote_something = 0;
  for (int kill = 0; kill < kills(); ++kill) {
    {
      SteppedAgent agent(node.args());
      agent.kill_after(std::chrono::microseconds(moment_us(node.random)));
      for (int second = 0; second < 40 && agent.alive(); ++second) node.busy_second(agent);
      agent.kill();
    }
    if (settings_below(node.host.root()) != before) ++wrote_something;
    const Ran restored = node.restore();
    ASSERT_EQ(restored.exit_status, 0) << restored.err;
    ASSERT_EQ(difference(before, settings_below(node.host.root())), "")
        << "after kill number " << kill << "\n"
        << restored.err;
  }
  std::printf("%d kills on a fake %s node; %d of them with values in force; all restored\n", kills(),
              node.v1() ? "v1" : "v2", wrote_something);
  EXPECT_GT(wrote_something, kills() / 5) << "the kills came too early to prove anything";
}

INSTANTIATE_TEST_SUITE_P(Kernels, SteppedCrash, testing::Values(FakeNode::Kernel::v1, FakeNode::Kernel::v2),
                         kernel_name);

}  // namespace
}  // namespace evenkeel::test
