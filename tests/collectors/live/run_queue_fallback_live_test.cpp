// The run-queue collector on the real kernel where BPF programs cannot be loaded: what it still reports, and
// the reason it gives.
#include <gtest/gtest.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "tests/support/live/pinned_task.h"
#include "tests/support/live/run_queue_node.h"
#include "tests/support/live/without_rights.h"

namespace evenkeel::test {
namespace {

using namespace std::chrono_literals;

constexpr const char* kRefused = "EPERM: the kernel wants CAP_BPF and CAP_PERFMON for it";

class LiveRunQueueFallback : public testing::Test {
 protected:
  void SetUp() override {
    if (!node_.cgroups().why_not().empty()) GTEST_SKIP() << node_.cgroups().why_not();
    if (::geteuid() != 0) GTEST_SKIP() << "not root: there is nothing to take away";
  }
  /// Toggles the feature, so that loading is tried again.
  void begin() {
    node_.enable(false);
    node_.tick();
    node_.enable(true);
    node_.tick();
  }
  [[nodiscard]] const RunQueue& run_queue() { return node_.node().run_queue; }
  [[nodiscard]] PinnedTask task(const std::string& pod, const std::function<void()>& work) {
    return {node_.cgroups(), RunQueueNode::container(pod), 0, work};
  }
  RunQueueNode node_{{"aa", "bb"}};
};

TEST_F(LiveRunQueueFallback, WaitsComeFromTheTasksFiles) {
  const auto a = task("aa", spin), b = task("bb", spin);
  ASSERT_TRUE(a.why_not().empty() && b.why_not().empty()) << a.why_not();
  {
    const WithoutRights poor{CAP_BPF, CAP_SYS_ADMIN};
    begin();
    EXPECT_EQ(run_queue().source, RunQueueSource::schedstat);
    EXPECT_EQ(run_queue().why, kRefused);
    node_.begin();
    const auto before = a.waited();
    node_.watch(1s);
    a.hold();
    node_.add();
    const auto waited = a.waited() - before;
    if (waited < 100ms) GTEST_SKIP() << "they hardly met";
    EXPECT_GT(node_.waited("aa"), waited * 8 / 10);
    EXPECT_LT(node_.waited("aa"), waited * 12 / 10);
    EXPECT_TRUE(run_queue().blame.empty()) << "without BPF it is unknown which task ran";
    EXPECT_EQ(run_queue().source, RunQueueSource::schedstat);
    EXPECT_EQ(run_queue().why, kRefused);
  }
  node_.tick();
  EXPECT_EQ(run_queue().source, RunQueueSource::schedstat) << "it is not tried in every tick";
}

/// One process with that many sleeping tasks.
[[noreturn]] void sleep_in(int tasks) {
  std::vector<std::thread> threads;
  try {
    for (int i = 1; i < tasks; ++i) threads.emplace_back([] { ::pause(); });
  } catch (const std::system_error&) {
    ::_exit(1);
  }
  for (;;) ::pause();
}

TEST_F(LiveRunQueueFallback, AboveAThousandTasksNothingIsKnownAndTheReasonIsReported) {
  const WithoutRights poor{CAP_BPF, CAP_SYS_ADMIN};
  begin();
  ASSERT_EQ(run_queue().source, RunQueueSource::schedstat);
  {
    const auto crowd = task("aa", [] { sleep_in(1001); });
    for (int i = 0; i < 100 && run_queue().source != RunQueueSource::none && crowd.alive(); ++i) {
      std::this_thread::sleep_for(50ms);
      node_.tick();
    }
    if (!crowd.alive()) GTEST_SKIP() << "this machine has no room for a thousand threads";
    EXPECT_EQ(run_queue().source, RunQueueSource::none);
    EXPECT_EQ(run_queue().why, std::string(kRefused) +
                                   "; containers have more than 1000 tasks: too many to read one by one "
                                   "until there are at most 800");
    EXPECT_TRUE(run_queue().waits.empty() && node_.node().stalls.empty());
  }
  for (int i = 0; i < 100 && run_queue().source == RunQueueSource::none; ++i) {
    std::this_thread::sleep_for(50ms);
    node_.tick();
  }
  EXPECT_EQ(run_queue().source, RunQueueSource::schedstat);
  EXPECT_EQ(run_queue().why, kRefused);
}

/// With the program, only the number of running tasks is unknown.
TEST_F(LiveRunQueueFallback, WithTheProgramTooManyTasksAreReportedToo) {
  if (const auto why = node_.why_not(); !why.empty()) GTEST_SKIP() << why;
  const auto crowd = task("aa", [] { sleep_in(1001); });
  std::this_thread::sleep_for(1s);
  begin();
  if (!crowd.alive()) GTEST_SKIP() << "this machine has no room for a thousand threads";
  EXPECT_EQ(run_queue().source, RunQueueSource::bpf);
  EXPECT_EQ(run_queue().why.substr(0, 60), "tasks are not counted: containers have more than 1000 tasks:");
  node_.add();
  EXPECT_FALSE(node_.stalls("aa").running);
  EXPECT_TRUE(node_.stalls("aa").reclaim);
}

}  // namespace
}  // namespace evenkeel::test
