// When cgroups whose tasks are followed are checked again: all in turn, and not too many at a time.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "cgroup/tree/task_follow.h"

namespace evenkeel::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Cgroups that are not new any more.
std::vector<tree::TrackedTasks> old_ones(std::size_t count) {
  return std::vector<tree::TrackedTasks>(count, tree::TrackedTasks{.checks_left = 0});
}

struct Turn {
  std::vector<int> checked{};  ///< how often each was due
  std::size_t most = 0;        ///< in a tick
};
Turn turn_of(tree::CheckTimer timer, std::size_t count, int ticks, Duration interval = seconds(1)) {
  const auto members = old_ones(count);
  Turn out{.checked = std::vector<int>(count)};
  MonoTime now{std::chrono::hours(1)};
  for (int i = 0; i < ticks; ++i) {
    timer.find_due(members, now, true);
    for (const auto at : timer.due()) ++out.checked[at];
    out.most = std::max(out.most, timer.due().size());
    now += interval;
  }
  return out;
}

TEST(CheckTimer, InATurnEachIsCheckedOnce) {
  const Turn turn = turn_of(tree::CheckTimer(seconds(10), 16), 110, 10);
  EXPECT_EQ(turn.most, 11U);
  EXPECT_EQ(std::ranges::count(turn.checked, 1), 110);
}

TEST(CheckTimer, ATickThatComesALittleEarlyIsOneToo) {
  const Turn turn = turn_of(tree::CheckTimer(seconds(10), 16), 110, 10, milliseconds(995));
  EXPECT_EQ(std::ranges::count(turn.checked, 1), 110);
  EXPECT_EQ(turn_of(tree::CheckTimer(seconds(10), 16), 110, 10, milliseconds(50)).most, 11U)
      << "rounds between two ticks check nothing more";
}

TEST(CheckTimer, WithManyATurnTakesLongerInsteadOfATick) {
  const Turn turn = turn_of(tree::CheckTimer(seconds(10), 16), 256, 16);
  EXPECT_EQ(turn.most, 16U);
  EXPECT_EQ(std::ranges::count(turn.checked, 1), 256);
}

TEST(CheckTimer, WithoutAnythingElseSaidATurnIsAMinute) {
  const Turn turn = turn_of(tree::CheckTimer(), 300, 60);
  EXPECT_EQ(std::ranges::count(turn.checked, 1), 300);
  EXPECT_EQ(turn.most, 30U);
}

}  // namespace
}  // namespace evenkeel::test
