// Tests interference from cycles per instruction to the limit and back, on the machine of tests/run resctrl,
// whose counters depend on cache sharing: 1.0 cycles per instruction alone, 3.0 beside a neighbour that never
// sleeps.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <optional>
#include <thread>

#include "tests/support/agents/stepped_agent.h"
#include "tests/support/live/agent_args.h"
#include "tests/support/live/live_cgroups.h"
#include "tests/support/live/modelled_cache.h"
#include "tests/support/live/pinned_task.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {

using namespace std::chrono_literals;

constexpr const char* kShop = "aaaaaaaa-0000-0000-0000-000000000001";
constexpr const char* kNight = "aaaaaaaa-0000-0000-0000-000000000002";
const std::string kGroups = "/sys/fs/resctrl/";

class LiveCure : public testing::Test {
 protected:
  void SetUp() override {
    if (!cache_is_modelled()) GTEST_SKIP() << kNoModelledCache;
    if (!cgroups_.why_not().empty()) GTEST_SKIP() << cgroups_.why_not();
    ASSERT_TRUE(pin(0, 0));  // keep agent and test off the service's cache
    cgroups_.make(service());
    cgroups_.make(batch());
    cgroups_.make("elsewhere");
    std::ofstream(dir_.path + "/nodeslo.yaml")
        << "resourceUsedThresholdWithBE: {enable: true, cpuSuppressPolicy: cfsQuota, "
           "cpuSuppressThresholdPercent: 100}\n"
        << "extensions: {evenkeel: {interference: {enable: true, act: "
           "true, runQueue: false, counterWindow: 1s,"
           " counterPeriod: 1s, stallWindow: 1s, capLease: 15s, evictAfter: 1}, featureGates: "
           "{InterferenceEvict: true}, trust: [{claims: [cache]}]}}\n";
    list_pods("");
    agent_.emplace(stepped_args(cgroups_, dir_));
    next_ = std::chrono::steady_clock::now();
  }
  void TearDown() override {
    if (agent_ && agent_->alive()) agent_->quit();  // free its groups for the next test
    for (const char* group : {"quiet", "own"}) ::rmdir((kGroups + group).c_str());
  }
  /// `annotations` of the batch pod: "{key: 'value'}".
  void list_pods(const std::string& annotations) {
    const auto pod = [](const char* uid, const std::string& metadata, const char* qos,
                        const char* container) {
      return std::string("- {metadata: {uid: ") + uid + ", namespace: lab, " + metadata +
             "}, spec: {containers: [{name: a}]}, status: {phase: Running, qosClass: " + qos +
             ", containerStatuses: [{name: a, containerID: 'containerd://" + container +
             "', state: {running: {}}}]}}\n";
    };
    std::string night = "name: night, labels: {koordinator.sh/qosClass: BE}";
    if (!annotations.empty()) night += ", annotations: " + annotations;
    std::ofstream(dir_.path + "/pods.yaml")
        << "items:\n"
        << pod(kShop, "name: shop", "Burstable", "c1") << pod(kNight, night, "BestEffort", "c2");
  }
  static std::string service() { return std::string("kubepods/burstable/pod") + kShop + "/c1"; }
  static std::string batch() { return std::string("kubepods/besteffort/pod") + kNight + "/c2"; }
  /// One tick of a second.
  void tick() {
    next_ += 1s;
    std::this_thread::sleep_until(next_);
    const Step step = agent_->advance();
    evicted_ = evicted_ || step.line.find("\"by\":\"interference-evict\"") != std::string::npos;
    for (const auto& write : step.writes)
      if (write.by != "cpu-suppress") std::printf("%s -> %s\n", write.path.c_str(), write.new_text.c_str());
  }
  /// Whether any pod is limited, by any means, within so many ticks.
  bool limited_within(int ticks) {
    const double before = std::max(0.0, outcome_count("limited"));
    for (int i = 0; i < ticks && outcome_count("limited") <= before; ++i) tick();
    return outcome_count("limited") > before;
  }
  double outcome_count(const std::string& outcome) {
    return metric("evenkeel_interference_total{outcome=\"" + outcome + "\"}");
  }
  bool counted_within(const std::string& outcome, int ticks) {
    for (int i = 0; i < ticks && outcome_count(outcome) < 1; ++i) tick();
    return outcome_count(outcome) >= 1;
  }
  /// Works in bursts: one coincidence with the service's slowdown may be chance, three are not. Ends with its
  /// work running.
  bool limited_while_in_turns(std::optional<PinnedTask>& task, const std::function<void()>& start) {
    for (int turn = 0; turn < 3; ++turn) {
      start();
      if (limited_within(7)) return true;
      task.reset();
      if (limited_within(6)) return true;
    }
    start();
    return limited_within(20);
  }
  [[nodiscard]] std::string quota() const {
    const std::string pod = batch().substr(0, batch().rfind('/'));
    std::string text;
    std::getline(std::ifstream(cgroups_.quota_file(pod)), text);
    return text;
  }
  static bool group_is_there() {
    struct stat there {};
    return ::stat((kGroups + "evenkeel-limited").c_str(), &there) == 0;
  }
  double metric(const std::string& name) {
    const std::string text = agent_->metrics();
    const auto at = text.find("\n" + name);
    return at == std::string::npos ? -1 : std::stod(text.substr(text.find(' ', at + 1)));
  }
  double cpi() { return metric("evenkeel_container_cpi{cgroup=\"" + cgroups_.top() + "/" + service()); }
  static bool group(const std::string& name, const std::string& ways, pid_t pid) {
    ::mkdir((kGroups + name).c_str(), 0755);
    std::ofstream schemata(kGroups + name + "/schemata");
    schemata << "L3:0=" << ways << ";1=" << ways << "\n" << std::flush;
    std::ofstream tasks(kGroups + name + "/tasks");
    tasks << pid << std::flush;
    return schemata.good() && tasks.good();
  }

  bool evicted_ = false;  ///< would have been evicted: a stepped agent only reports
  LiveCgroups cgroups_{};
  StateDir dir_{};
  std::optional<SteppedAgent> agent_{};
  std::chrono::steady_clock::time_point next_{};
};

constexpr const char* kNoQuota = "max 100000";

TEST_F(LiveCure, ACacheAndBandwidthLimitCuresTheServiceAndEnds) {
  const PinnedTask shop(cgroups_, service(), 0, [] { spin(); });
  EXPECT_FALSE(limited_within(60));
  const double alone = cpi();
  std::optional<PinnedTask> night;
  ASSERT_TRUE(limited_while_in_turns(night, [&] { night.emplace(cgroups_, batch(), 1, [] { spin(); }); }));
  const double beside = cpi();
  // A tick for the group, one for the tasks, then samples.
  EXPECT_TRUE(counted_within("confirmed", 12));
  const double relieved = cpi();
  EXPECT_EQ(quota(), kNoQuota) << "its CPU is its own";
  std::ifstream tasks(kGroups + "evenkeel-limited/tasks");
  const std::string listed((std::istreambuf_iterator<char>(tasks)), {});
  EXPECT_NE(("\n" + listed).find("\n" + std::to_string(night->pid()) + "\n"), std::string::npos) << listed;
  std::printf("cycles per instruction: %.2f alone, %.2f beside, %.2f with less cache and bandwidth\n", alone,
              beside, relieved);
  EXPECT_LT(alone, 1.3);
  EXPECT_GT(beside, 2.5);
  EXPECT_LT(relieved, 1.5);
  tick();
  EXPECT_TRUE(evicted_) << "it helped, and once is enough here";
  for (int i = 0; i < 20 && group_is_there(); ++i) tick();
  EXPECT_FALSE(group_is_there()) << "the lease is over and the limit stays";
}

// A pod with its own cache allocation keeps it; only its CPU can be limited.
TEST_F(LiveCure, ACpuLimitCuresTheServiceAndEnds) {
  list_pods("{node.koordinator.sh/resctrl: '{\"llc\": {\"schemata\": {\"range\": [0, 100]}}}'}");
  const PinnedTask shop(cgroups_, service(), 0, [] { spin(); });
  EXPECT_FALSE(limited_within(60));
  const double alone = cpi();
  std::optional<PinnedTask> night;
  ASSERT_TRUE(limited_while_in_turns(night, [&] { night.emplace(cgroups_, batch(), 1, [] { spin(); }); }));
  const double beside = cpi();
  const std::string limit = quota();
  EXPECT_NE(limit, kNoQuota);
  for (int i = 0; i < 4; ++i) tick();
  const double relieved = cpi();
  std::printf("cycles per instruction: %.2f alone, %.2f beside, %.2f with a limit of %s\n", alone, beside,
              relieved, limit.c_str());
  EXPECT_LT(alone, 1.3);
  EXPECT_GT(beside, 2.5);
  EXPECT_LT(relieved, 2);
  EXPECT_TRUE(counted_within("confirmed", 4));
  for (int i = 0; i < 20 && quota() != kNoQuota; ++i) tick();
  EXPECT_EQ(quota(), kNoQuota) << "the lease is over and the limit stays";
}

// A pod that works exactly when another one slows the service: it has its own cache ways, so it cannot be the
// cause.
TEST_F(LiveCure, AnInnocentPodsLimitIsLifted) {
  const PinnedTask shop(cgroups_, service(), 0, [] { spin(); });
  ASSERT_TRUE(group("own", "7fc", shop.pid()));
  EXPECT_FALSE(limited_within(60));
  std::optional<PinnedTask> night, guilty;
  ASSERT_TRUE(limited_while_in_turns(guilty, [&] {
    guilty.emplace(cgroups_, "elsewhere", 2, [] { spin(); });
    night.reset();
    night.emplace(cgroups_, batch(), 1, [] { work_and_rest(5s, 10s); });
    EXPECT_TRUE(group("quiet", "3", night->pid()));
  }));
  EXPECT_TRUE(counted_within("cleared", 14));
  // A CPU limit may be tried before it is cleared.
  for (int i = 0; i < 14 && (group_is_there() || quota() != kNoQuota); ++i) tick();
  EXPECT_FALSE(group_is_there());
  EXPECT_EQ(quota(), kNoQuota);
  std::printf("cycles per instruction: %.2f\n", cpi());
  EXPECT_EQ(outcome_count("confirmed"), 0);
  EXPECT_FALSE(evicted_);
}

}  // namespace
}  // namespace evenkeel::test
