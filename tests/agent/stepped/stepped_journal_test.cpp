// Tests the program as a black box: a journal that was damaged while no agent ran, and two agents on one
// host.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/support/agents/stepped_node.h"

namespace evenkeel::test {
namespace {

using namespace evenkeel::literals;

/// An agent limited best effort by CPU set and died; then one line of its journal was damaged.
struct DamagedNode : TwoPods {
  DamagedNode()
      : TwoPods(Kernel::v1, "resourceUsedThresholdWithBE: {enable: true, cpuSuppressPolicy: cpuset}\n") {
    service_uses(6000_mcpu);
    SteppedAgent agent(args());
    seconds(2, agent);
    agent.kill();
    std::ifstream in(journal);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    const auto line = text.find(batch + "/bbb");
    EXPECT_NE(line, std::string::npos) << text;
    text[line] = '!';
    std::ofstream(journal) << text;
  }
  [[nodiscard]] std::string cpus(const std::string& cgroup) const {
    return setting(Controller::cpuset, cgroup, "cpuset.cpus");
  }
  std::string journal = state_dir() + "/journal";
};

TEST(SteppedJournal, RestoreSaysWhatItCouldNotReadUntilThatIsRemoved) {
  DamagedNode node;
  const Ran first = node.restore();
  EXPECT_EQ(first.exit_status, 1);
  EXPECT_NE(first.err.find("1 lines of the journal could not be read"), std::string::npos) << first.err;
  EXPECT_EQ(node.cpus(node.besteffort()), "0-15") << "the others are restored all the same";
  EXPECT_EQ(node.restore().exit_status, 1);
  std::filesystem::remove(node.journal + ".damaged");
  EXPECT_EQ(node.restore().exit_status, 0);
}

TEST(SteppedJournal, AnAgentStartsAndSaysSo) {
  DamagedNode node;
  SteppedAgent agent(node.args());
  node.seconds(2, agent);
  agent.quit();
  EXPECT_EQ(node.cpus(node.besteffort()), "0-15");
  std::ifstream in(node.journal + ".damaged");
  const std::string kept{std::istreambuf_iterator<char>(in), {}};
  EXPECT_NE(kept.find("cpuset.cpus"), std::string::npos) << kept;
}

std::vector<std::string> with_state_dir(std::vector<std::string> args, const std::string& dir) {
  for (std::size_t i = 0; i + 1 < args.size(); ++i)
    if (args[i] == "--state-dir") args[i + 1] = dir;
  return args;
}

TEST(SteppedTwoAgents, TheSecondOneSaysThatItsCgroupsAreTaken) {
  TwoPods node(FakeNode::Kernel::v2, "cpuBurstStrategy: {policy: auto}\n");
  SteppedAgent first(node.args());
  node.seconds(1, first);
  const auto other = with_state_dir(node.args(), node.state_dir() + "-other");
  std::vector<std::string> run{"run", "--stepped"};
  run.insert(run.end(), other.begin(), other.end());
  const Ran second = run_evenkeel(run);
  EXPECT_EQ(second.exit_status, 1);
  EXPECT_NE(second.err.find("another evenkeel manages the cgroups below"), std::string::npos) << second.err;
  auto dry = other;
  dry.emplace_back("--dry-run");
  SteppedAgent watcher(dry);
  watcher.quit();
  first.kill();
  SteppedAgent third(other);
  node.seconds(1, third);
  third.quit();
  std::filesystem::remove_all(node.state_dir() + "-other");
}

}  // namespace
}  // namespace evenkeel::test
