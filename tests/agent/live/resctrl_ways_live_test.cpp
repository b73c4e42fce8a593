// Tests adjusting best effort's cache ways by real counters on a real resctrl, on the machine of tests/run
// resctrl: there a service misses the cache once in a thousand instructions, and six times beside a neighbour
// that never sleeps and shares all of its ways.
#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <fstream>
#include <optional>
#include <thread>
#include <vector>

#include "tests/support/agents/stepped_agent.h"
#include "tests/support/live/agent_args.h"
#include "tests/support/live/live_cgroups.h"
#include "tests/support/live/modelled_cache.h"
#include "tests/support/live/pinned_task.h"
#include "tests/support/metrics_page.h"
#include "tests/support/process.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {

using namespace std::chrono_literals;

constexpr const char* kShop = "bbbbbbbb-0000-0000-0000-000000000001";
constexpr const char* kNight = "bbbbbbbb-0000-0000-0000-000000000002";
const std::string kSchemata = "/sys/fs/resctrl/evenkeel-be/schemata";

class LiveResctrlWays : public testing::Test {
 protected:
  void SetUp() override {
    if (!cache_is_modelled()) GTEST_SKIP() << kNoModelledCache;
    if (::access("/sys/fs/resctrl/schemata", F_OK) != 0) GTEST_SKIP() << "resctrl is not mounted here";
    if (!cgroups_.why_not().empty()) GTEST_SKIP() << cgroups_.why_not();
    ASSERT_TRUE(pin(0, 0));  // keep agent and test off the service's cache
    cgroups_.make(service());
    cgroups_.make(batch());
    std::ofstream(dir_.path + "/nodeslo.yaml")
        << "resourceQOSStrategy: {beClass: {resctrlQOS: {enable: true, catRangeEndPercent: 100}}}\n"
           "extensions: {evenkeel: {resctrlDynamic: {enable: true, cacheWays: true},\n"
           "  interference: {enable: true, runQueue: false, counterWindow: 1s, counterPeriod: 2s}}}\n";
    const auto pod = [](const char* uid, const char* metadata, const char* qos, const char* container) {
      return std::string("- {metadata: {uid: ") + uid + ", namespace: lab, " + metadata +
             "}, spec: {containers: [{name: a}]}, status: {phase: Running, qosClass: " + qos +
             ", containerStatuses: [{name: a, containerID: 'containerd://" + container +
             "', state: {running: {}}}]}}\n";
    };
    std::ofstream(dir_.path + "/pods.yaml")
        << "items:\n"
        << pod(kShop, "name: shop", "Burstable", "c1")
        << pod(kNight, "name: night, labels: {koordinator.sh/qosClass: BE}", "BestEffort", "c2");
    agent_.emplace(stepped_args(cgroups_, dir_));
    next_ = std::chrono::steady_clock::now();
  }
  void TearDown() override {
    if (agent_ && agent_->alive()) agent_->quit();
  }
  static std::string service() { return std::string("kubepods/burstable/pod") + kShop + "/c1"; }
  static std::string batch() { return std::string("kubepods/besteffort/pod") + kNight + "/c2"; }
  /// One tick of a second.
  void tick() {
    next_ += 1s;
    std::this_thread::sleep_until(next_);
    agent_->advance();
    if (const int now = ways(); seen_.empty() || seen_.back() != now) seen_.push_back(now);
  }
  /// Best effort's ways at cache 0; -1: it has no group.
  static int ways() {
    const auto text = text_of_file(kSchemata);
    const auto at = text.find("L3:0=");
    return at == std::string::npos ? -1 : std::popcount(std::stoul(text.substr(at + 5), nullptr, 16));
  }
  double misses() { return metric(agent_->metrics(), "evenkeel_services_cache_misses_per_instruction"); }

  LiveCgroups cgroups_{};
  StateDir dir_{};
  std::optional<SteppedAgent> agent_{};
  std::chrono::steady_clock::time_point next_{};
  std::vector<int> seen_{};  ///< best effort's ways, each change
};

TEST_F(LiveResctrlWays, AreReducedWhileThatHelpsTheServiceAndRestored) {
  const PinnedTask shop(cgroups_, service(), 0, [] { spin(); });
  for (int i = 0; i < 60 && (misses() < 0 || i < 20); ++i) tick();
  const double alone = misses();
  const int all = ways();
  ASSERT_GT(alone, 0);
  ASSERT_GE(all, 4);
  std::optional<PinnedTask> night(std::in_place, cgroups_, batch(), 1, [] { spin(); });
  double most = 0;
  for (int i = 0; i < 120 && ways() > 3; ++i) {
    tick();
    most = std::max(most, misses());
  }
  for (int i = 0; i < 10; ++i) tick();
  const double steered = misses();
  const int left = ways();
  EXPECT_NE(agent_->explain().find("services miss the cache"), std::string::npos) << agent_->explain();
  night.reset();
  for (int i = 0; i < 60 && ways() <= left; ++i) tick();
  std::printf("misses in a million instructions: %.0f alone, %.0f beside with %d ways, %.0f with %d\n",
              1e6 * alone, 1e6 * most, all, 1e6 * steered, left);
  for (const int one : seen_) std::printf("%d ", one);
  std::printf("ways\n");
  EXPECT_LE(left, 3);
  EXPECT_GT(most, 3 * alone);
  EXPECT_LT(steered, 0.6 * most);
  EXPECT_GT(ways(), left) << "no group misses more than usual";
  agent_->quit();
  EXPECT_EQ(ways(), -1);
}

}  // namespace
}  // namespace evenkeel::test
