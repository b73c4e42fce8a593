// The mode of the state directory: a new one is closed to others, one that was there is left as it is.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/agents/stepped_node.h"

namespace evenkeel::test {
namespace {
namespace fs = std::filesystem;

constexpr const char* kNothing = "cpuBurstStrategy: {policy: none}\n";

fs::perms mode_of(const std::string& dir) { return fs::status(dir).permissions(); }

TEST(StateDirectory, ThatWasThereKeepsItsMode) {
  const SteppedNode node(4, FakeNode::Kernel::v2, kNothing);
  for (const auto mode : {fs::perms{0711}, fs::perms{0755}}) {
    fs::permissions(node.state_dir(), mode);
    SteppedAgent agent(node.args());
    agent.quit();
    EXPECT_EQ(agent.exit_status(), 0) << agent.stderr_text();
    EXPECT_EQ(mode_of(node.state_dir()), mode);
  }
}

TEST(StateDirectory, ThatIsNewIsClosedToOthers) {
  const SteppedNode node(4, FakeNode::Kernel::v2, kNothing);
  auto args = node.args();
  args.back() = node.state_dir() + "/above/new";
  SteppedAgent agent(args);
  agent.quit();
  EXPECT_EQ(agent.exit_status(), 0) << agent.stderr_text();
  EXPECT_EQ(mode_of(args.back()), fs::perms{0750});
}

}  // namespace
}  // namespace evenkeel::test
