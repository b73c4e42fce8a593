// When an agent cannot do its work, and what it says then.
#include <gtest/gtest.h>

#include "agent/record/health.h"

namespace evenkeel::test {
namespace {

struct DegradedTest : testing::Test {
  executor::ExecutorCounters levers{};
  record::HealthInputs being{.writes = levers};
  [[nodiscard]] std::string reason() const {
    const auto found = record::degraded(being);
    return found ? found->reason : "";
  }
};

TEST_F(DegradedTest, ASoundAgentIsNot) {
  being.inputs = {{.name = "nodeslo", .path = "f", .usable = true, .loaded = MonoTime{}},
                  {.name = "pods", .path = "u", .usable = true, .loaded = MonoTime{}},
                  {.name = "node"}};
  EXPECT_FALSE(record::degraded(being));
  being.inputs[0] = {.name = "nodeslo", .path = "f", .fallback = "the defaults"};
  EXPECT_FALSE(record::degraded(being)) << "no file is no error where none was asked for";
  being.inputs[1].usable = false;
  being.inputs[1].error = "Connection refused";
  EXPECT_FALSE(record::degraded(being)) << "one unanswered question; the list is young";
}

TEST_F(DegradedTest, WithoutPodsOrWithOldOnes) {
  being.inputs = {{.name = "pods", .path = "u", .error = "403 Forbidden"}};
  being.pods_stale = true;
  EXPECT_EQ(record::degraded(being)->message, "an old list of pods is in force: 403 Forbidden");
  being.pods_known = false;
  EXPECT_EQ(record::degraded(being)->message, "it is not known which pods run here: 403 Forbidden");
  EXPECT_EQ(reason(), "PodsUnknown");
}

TEST_F(DegradedTest, WithoutTheConfigurationThatPeopleWrote) {
  being.inputs = {{.name = "nodeslo", .path = "f", .error = "f:1:2: what", .loaded = MonoTime{}}};
  EXPECT_EQ(record::degraded(being)->message, "the previous configuration is in force: f:1:2: what");
  being.inputs[0].loaded.reset();
  EXPECT_EQ(record::degraded(being)->message, "there is no configuration: f:1:2: what");
  EXPECT_EQ(reason(), "NodeSloRefused");
}

TEST_F(DegradedTest, WhenNoLeverMoves) {
  levers.quarantined = 3;
  levers.refusals_by_errno = {{30, 7}};
  EXPECT_EQ(record::degraded(being)->message,
            "the kernel refuses every value that the agent tries to set: EROFS");
  levers.managed = 1;
  EXPECT_EQ(reason(), "") << "a single pod's trouble is reported to its owner";
}

}  // namespace
}  // namespace evenkeel::test
