// Tests scheduler features on a real kernel: switched, and restored, also after kill -9.
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/support/agents/stepped_agent.h"
#include "tests/support/process.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {
namespace fs = std::filesystem;

/// A guest has no debugfs until it is mounted.
class LiveSchedFeatures : public testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv("EVENKEEL_IN_VM") == nullptr)
      GTEST_SKIP() << "turns features of the scheduler: only in a guest";
    if (!fs::exists(kDir) && ::mount("debugfs", "/sys/kernel/debug", "debugfs", 0, nullptr) != 0)
      GTEST_SKIP() << "no debugfs";
    if (!fs::exists(kFile)) GTEST_SKIP() << "the kernel shows no scheduler features";
    before = text_of_file(kFile);
    name = before.substr(0, before.find(' '));
    if (name.starts_with("NO_")) GTEST_SKIP() << "the first feature is off: " << name;
    std::ofstream(dir.path + "/nodeslo.yaml")
        << "systemStrategy: {schedFeatures: {" << name << ": false, NO_SUCH_FEATURE: true}}\n";
  }
  [[nodiscard]] std::vector<std::string> args() const {
    return {"--nodeslo", dir.path + "/nodeslo.yaml", "--pods", "none", "--state-dir", dir.path + "/state"};
  }
  static constexpr const char* kDir = "/sys/kernel/debug/sched";
  static constexpr const char* kFile = "/sys/kernel/debug/sched/features";
  StateDir dir{};
  std::string before{}, name{};
};

TEST_F(LiveSchedFeatures, AreSwitchedAndRestored) {
  SteppedAgent agent(args());
  const Step step = agent.advance();
  EXPECT_TRUE(text_of_file(kFile).starts_with("NO_" + name)) << step.line;
  ASSERT_EQ(step.errors.size(), 1U) << step.line;
  EXPECT_NE(step.errors[0].find("lists no scheduler feature"), std::string::npos) << step.errors[0];
  agent.quit();
  EXPECT_EQ(text_of_file(kFile), before);
}

TEST_F(LiveSchedFeatures, AfterKillMinusNineRestoreUndoesThem) {
  {
    SteppedAgent agent(args());
    agent.advance();
    agent.kill();
  }
  EXPECT_NE(text_of_file(kFile), before);
  EXPECT_EQ(run_evenkeel({"restore", "--state-dir", dir.path + "/state"}).exit_status, 0);
  EXPECT_EQ(text_of_file(kFile), before);
}

}  // namespace
}  // namespace evenkeel::test
