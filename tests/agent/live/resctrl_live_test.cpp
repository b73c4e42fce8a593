// Tests the program on a real resctrl: real groups, tasks, rejections and effects.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/support/agents/stepped_agent.h"
#include "tests/support/live/agent_args.h"
#include "tests/support/live/live_cgroups.h"
#include "tests/support/live/pinned_task.h"
#include "tests/support/process.h"
#include "tests/support/soon.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {
namespace fs = std::filesystem;

const std::string kDir = "/sys/fs/resctrl/";
constexpr const char* kBatchUid = "dddddddd-0000-0000-0000-000000000001";
constexpr const char* kOwnUid = "dddddddd-0000-0000-0000-000000000002";
const std::string kOwnGroup = std::string("evenkeel-pod-") + kOwnUid;

class LiveResctrl : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(kDir + "schemata")) GTEST_SKIP() << "resctrl is not mounted here (tests/run resctrl)";
    if (!cgroups_.why_not().empty()) GTEST_SKIP() << cgroups_.why_not();
    cgroups_.make(batch());
    cgroups_.make(own());
    configure(30, 20);
    std::ofstream(dir_.path + "/pods.yaml")
        << "items:\n"
           "- {metadata: {uid: "
        << kBatchUid
        << ", namespace: night, name: batch, labels: {koordinator.sh/qosClass: BE}},"
           " spec: {containers: [{name: a}]}, status: {phase: Running, qosClass: BestEffort, "
           "containerStatuses:"
           " [{name: a, containerID: 'containerd://c1', state: {running: {}}}]}}\n"
           "- {metadata: {uid: "
        << kOwnUid
        << ", namespace: shop, name: cart, annotations: {node.koordinator.sh/resctrl:"
           " '{\"llc\":{\"schemata\":{\"range\":[50,100]}},\"mb\":{\"schemata\":{\"percent\":50}}}'}},"
           " spec: {containers: [{name: a, resources: {requests: {cpu: 10m}}}]}, status: {phase: Running, "
           "qosClass:"
           " Burstable, containerStatuses: [{name: a, containerID: 'containerd://c2', state: {running: "
           "{}}}]}}\n";
  }
  void TearDown() override {
    for (const pid_t child : children_) {
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
    }
    for (const auto& name : made_) ::rmdir((kDir + name).c_str());
  }
  static std::string batch() { return std::string("kubepods/besteffort/pod") + kBatchUid + "/c1"; }
  static std::string own() { return std::string("kubepods/burstable/pod") + kOwnUid + "/c2"; }
  void configure(int ways_end, int bandwidth) const {
    std::ofstream(dir_.path + "/nodeslo.yaml")
        << "resourceQOSStrategy: {beClass: {resctrlQOS: {enable: " << (ways_end > 0 ? "true" : "false")
        << ", catRangeEndPercent: " << std::max(1, ways_end) << ", mbaPercent: " << bandwidth << "}}}\n";
  }
  [[nodiscard]] std::vector<std::string> args() const { return stepped_args(cgroups_, dir_); }
  pid_t busy(const std::string& cgroup) {
    children_.push_back(busy_process(cgroups_.file(Controller::cpu, cgroup, "cgroup.procs")));
    for (int i = 0; i < 2000 && text_of_file(cgroups_.file(Controller::cpu, cgroup, "cgroup.procs")).empty();
         ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return children_.back();
  }
  static bool has(const std::string& group) { return fs::exists(kDir + group); }
  static std::string schemata(const std::string& group) {
    auto text = text_of_file(kDir + group + "/schemata");
    std::erase(text, ' ');
    return text;
  }
  static bool is_in(const std::string& group, pid_t task) {
    const auto text = "\n" + text_of_file(kDir + group + (group.empty() ? "" : "/") + "tasks");
    return text.find("\n" + std::to_string(task) + "\n") != std::string::npos;
  }
  static std::string status() { return text_of_file(kDir + "info/last_cmd_status"); }
  void make(const std::string& name) {
    if (::mkdir((kDir + name).c_str(), 0755) == 0) made_.push_back(name);
  }
  static bool say(const std::string& file, const std::string& text) {
    std::ofstream out(kDir + file);
    out << text << std::flush;
    return out.good();
  }
  LiveCgroups cgroups_{};
  StateDir dir_{};
  std::vector<pid_t> children_{};
  std::vector<std::string> made_{};
};

TEST_F(LiveResctrl, ClassAndPodGroupsAreCreatedAndRemoved) {
  const pid_t worker = busy(batch()), service = busy(own());
  const auto root = schemata("");
  SteppedAgent agent(args());
  const Step step = agent.advance();
  EXPECT_TRUE(step.errors.empty()) << step.line;
  EXPECT_TRUE(is_in("evenkeel-be", worker)) << step.line;
  EXPECT_TRUE(is_in(kOwnGroup, service)) << step.line;
  EXPECT_TRUE(is_in("", ::getpid()));
  EXPECT_NE(schemata("evenkeel-be").find("L3:0=00f"), std::string::npos) << schemata("evenkeel-be");
  EXPECT_NE(schemata("evenkeel-be").find("MB:0=20"), std::string::npos) << schemata("evenkeel-be");
  EXPECT_NE(schemata(kOwnGroup).find("L3:0=7c0"), std::string::npos) << schemata(kOwnGroup);
  const pid_t later = busy(batch());
  for (int i = 0; i < 70 && !is_in("evenkeel-be", later); ++i) agent.advance();
  EXPECT_TRUE(is_in("evenkeel-be", later)) << "a process that joined afterwards";
  const Step still = agent.advance();
  EXPECT_NE(still.line.find("\"writes\":[]"), std::string::npos) << still.line;
  EXPECT_NE(agent.explain().find("best effort has 0 % to 30 % of the cache"), std::string::npos);
  const auto metrics = agent.metrics();
  EXPECT_NE(metrics.find("evenkeel_resctrl_groups 2"), std::string::npos) << metrics;
  EXPECT_NE(metrics.find("evenkeel_resctrl_llc_occupancy_bytes{group=\"evenkeel-be\""), std::string::npos);
  configure(0, 100);
  agent.advance();
  EXPECT_FALSE(has("evenkeel-be"));
  EXPECT_TRUE(is_in("", worker));
  EXPECT_TRUE(has(kOwnGroup)) << "a pod's own intent does not depend on the classes";
  agent.quit();
  EXPECT_FALSE(has(kOwnGroup));
  EXPECT_TRUE(is_in("", service));
  EXPECT_EQ(schemata(""), root);
}

TEST_F(LiveResctrl, AfterKillMinusNineRestoreRemovesTheGroups) {
  const pid_t worker = busy(batch());
  {
    SteppedAgent agent(args());
    agent.advance();
    ASSERT_TRUE(is_in("evenkeel-be", worker));
    agent.kill();
  }
  EXPECT_TRUE(has("evenkeel-be"));
  const auto ran = run_evenkeel({"restore", "--state-dir", dir_.path + "/state"});
  EXPECT_EQ(ran.exit_status, 0) << ran.err;
  EXPECT_FALSE(has("evenkeel-be")) << ran.err;
  EXPECT_FALSE(has(kOwnGroup));
  EXPECT_TRUE(is_in("", worker));
}

TEST_F(LiveResctrl, ForeignChangesAreDetectedAndKept) {
  busy(batch());
  SteppedAgent agent(args());
  agent.advance();
  ASSERT_TRUE(say("evenkeel-be/schemata", "L3:0=7ff\n")) << status();
  const Step step = agent.advance();
  EXPECT_NE(step.line.find("\"theirs\":\"MB:0= 20"), std::string::npos) << step.line;
  agent.advance();
  EXPECT_NE(schemata("evenkeel-be").find("L3:0=7ff"), std::string::npos);
  agent.advance("61s");
  EXPECT_NE(schemata("evenkeel-be").find("L3:0=00f"), std::string::npos) << "once a minute";
  agent.quit();
  EXPECT_FALSE(has("evenkeel-be"));
}

TEST_F(LiveResctrl, WithoutAFreeClosidThePodUsesItsClassGroup) {
  const pid_t worker = busy(batch()), service = busy(own());
  for (int i = 0; i < 200 && made_.size() == static_cast<std::size_t>(i); ++i)
    make("other" + std::to_string(i));
  ::rmdir((kDir + made_.back()).c_str());
  SteppedAgent agent(args());
  Step step = agent.advance();
  EXPECT_TRUE(is_in("evenkeel-be", worker)) << step.line;
  EXPECT_FALSE(has(kOwnGroup)) << "best effort has the only one that was left";
  EXPECT_TRUE(is_in("", service)) << "its class is not enabled";
  EXPECT_TRUE(step.errors.empty()) << step.line;
  ::rmdir((kDir + made_.front()).c_str());
  step = agent.advance();
  EXPECT_TRUE(is_in(kOwnGroup, service)) << "one came free: " << step.line;
  make("other-again");
  agent.quit();
}

TEST_F(LiveResctrl, ARejectionIsReportedInTheKernelsWords) {
  busy(batch());
  make("exclusive");
  // Another group takes everything that the root does not use exclusively.
  ASSERT_TRUE(say("schemata", "L3:0=1;1=1\n") || say("schemata", "L3:0=1\n")) << status();
  const bool taken =
      (say("exclusive/schemata", "L3:0=1e;1=1e\n") || say("exclusive/schemata", "L3:0=1e\n")) &&
      say("exclusive/mode", "exclusive\n");
  const auto why = status();
  if (taken) {
    SteppedAgent agent(args());
    const Step step = agent.advance();
    EXPECT_NE(step.line.find("\"errno\":\"EINVAL\""), std::string::npos) << step.line;
    EXPECT_NE(step.line.find("verlaps with"), std::string::npos) << step.line;
    agent.quit();
  }
  say("exclusive/mode", "shareable\n");
  say("schemata", "L3:0=7ff;1=7ff\n");
  say("schemata", "L3:0=7ff\n");
  if (!taken) GTEST_SKIP() << "no exclusive group here: " << why;
}

/// Bytes that best effort has moved since its group was created.
double traffic() {
  double sum = 0;
  std::error_code none;
  for (const auto& domain : fs::directory_iterator(kDir + "evenkeel-be/mon_data", none))
    sum += std::strtod(text_of_file(domain.path().string() + "/mbm_total_bytes").c_str(), nullptr);
  return sum;
}
double traffic_of_two_seconds() {
  const double before = traffic();
  std::this_thread::sleep_for(std::chrono::seconds(2));
  return traffic() - before;
}

TEST_F(LiveResctrl, ALowerBandwidthLimitReducesTraffic) {
  busy(batch());
  configure(30, 100);
  SteppedAgent agent(args());
  agent.advance();
  if (!soon([] { return traffic() > 0; })) GTEST_SKIP() << "traffic is not measured here";
  const double free = traffic_of_two_seconds();
  configure(30, 10);
  agent.advance();
  const double held = traffic_of_two_seconds();
  printf("traffic of best effort in 2 s: %.0f MB without a limit, %.0f MB at 10 %%\n", free / 1e6,
         held / 1e6);
  EXPECT_GT(free, 0);
  EXPECT_LT(held, free * 0.5);
  agent.quit();
}

TEST_F(LiveResctrl, BestEffortBandwidthIsCutToTheMemorysCapacityAndRestored) {
  const pid_t worker = busy(batch());
  configure(30, 100);
  SteppedAgent agent(args());
  agent.advance();
  if (!soon([] { return traffic() > 0; })) GTEST_SKIP() << "traffic is not measured here";
  const double free = traffic_of_two_seconds() / 2;
  // A configured bandwidth of half of what this load moves.
  std::ofstream(dir_.path + "/nodeslo.yaml", std::ios::app)
      << "extensions: {evenkeel: {resctrlDynamic: {enable: true, memoryBandwidthBytesPerSecond: "
      << static_cast<std::int64_t>(free / 2) << "}}}\n";
  double held = free;
  for (int i = 0; i < 10 && held > free * 0.4; ++i) {
    agent.advance("2s");
    held = traffic_of_two_seconds() / 2;
  }
  printf("traffic of best effort: %.0f MB/s freely, %.0f MB/s steered (80 %% of %.0f MB/s are its mark)\n",
         free / 1e6, held / 1e6, free / 2e6);
  EXPECT_LE(held, free * 0.4) << agent.explain();
  EXPECT_NE(agent.explain().find("are moved at the busiest cache"), std::string::npos) << agent.explain();
  ::kill(worker, SIGSTOP);
  const auto is_whole = [] { return schemata("evenkeel-be").find("MB:0=100;1=100") != std::string::npos; };
  EXPECT_FALSE(is_whole()) << schemata("evenkeel-be");
  for (int i = 0; i < 60 && !is_whole(); ++i) agent.advance("2s");
  EXPECT_TRUE(is_whole()) << schemata("evenkeel-be");
  agent.quit();
}

}  // namespace
}  // namespace evenkeel::test
