// The mode of the state directory: a new one is closed to others, one that was there is left as it is.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

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

// Whoever writes there decides what root restores.
TEST(StateDirectory, ThatAnotherUserMayWriteIsRefused) {
  const SteppedNode node(4, FakeNode::Kernel::v2, kNothing);
  std::vector<std::string> run{"run", "--stepped"};
  for (const auto& argument : node.args()) run.push_back(argument);
  const auto is_refused = [&](const std::string& why) {
    const Ran ran = run_evenkeel(run);
    EXPECT_EQ(ran.exit_status, 1);
    EXPECT_NE(ran.err.find("state directory " + node.state_dir() + ": " + why), std::string::npos) << ran.err;
    EXPECT_FALSE(fs::exists(node.state_dir() + "/journal"));
  };
  fs::permissions(node.state_dir(), fs::perms{0757});
  is_refused("everyone may write there");
  fs::permissions(node.state_dir(), fs::perms{0755});
  constexpr uid_t kNobody = 65534;
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives a directory away";
  ASSERT_EQ(::chown(node.state_dir().c_str(), kNobody, static_cast<gid_t>(-1)), 0);
  is_refused("it belongs to user 65534");
}

}  // namespace
}  // namespace evenkeel::test
