// Tests the real program with invalid input of every kind: a clear error or absence, no crash, and nothing
// written from it.
#include <gtest/gtest.h>

#include "tests/support/agents/stepped_node.h"
#include "tests/support/scenes/nodeslo_texts.h"

namespace evenkeel::test {
namespace {

using namespace evenkeel::literals;
using Kernel = FakeNode::Kernel;

struct BadText {
  const char* name;
  std::string text;
};
const std::vector<BadText>& bad_texts() {
  static const std::vector<BadText> kAll = {
      {"empty", ""},
      {"blank", "\n\n"},
      {"truncated", "cp"},
      {"binary", std::string("\0\xff\xfe\x01\x80", 5)},
      {"huge", "99999999999999999999999999999999"},
      {"negative", "-99999999999999999999"},
      {"words", "not a number at all\n"},
      {"long", std::string(100000, 'x')},
  };
  return kAll;
}

/// Both pods running.
struct BusyNode : TwoPods {
  explicit BusyNode(Kernel kernel) : TwoPods(kernel, kCpuFeatures) {
    service_uses(6000_mcpu);
    uses(batch + "/bbb", 1000_mcpu);
  }
};

using Case = std::tuple<Kernel, std::size_t>;
class BadKernelFile : public testing::TestWithParam<Case> {};

/// Files that suppression needs; when one is invalid the quota must stay as it is.
TEST_P(BadKernelFile, NothingIsWrittenFromIt) {
  const auto [kernel, which] = GetParam();
  const std::string& text = bad_texts()[which].text;
  for (const std::string file : {"proc/stat", "quota"}) {
    BusyNode node(kernel);
    SteppedAgent agent(node.args());
    for (int second = 0; second < 4; ++second) {
      node.run(std::chrono::seconds(1));
      if (file == "quota") {
        node.host.write(Controller::cpu, node.besteffort(), node.quota_file(), text);
      } else {
        node.host.file(file, text);
      }
      const Step step = agent.advance();
      EXPECT_EQ(step.written(std::string("besteffort/") + node.quota_file()), "<none>")
          << file << ": " << step.line;
    }
    agent.quit();
    EXPECT_EQ(agent.exit_status(), 0) << agent.stderr_text();
  }
}

TEST_P(BadKernelFile, NeverCrashesTheAgent) {
  const auto [kernel, which] = GetParam();
  const std::string& text = bad_texts()[which].text;
  BusyNode node(kernel);
  SteppedAgent agent(node.args());
  node.second(agent);
  for (const std::string file :
       {"proc/meminfo", "proc/cpuinfo", "proc/pressure/cpu", "proc/pressure/memory",
        "sys/devices/system/cpu/online", "sys/devices/system/cpu/cpu1/topology/core_id"})
    node.host.file(file, text);
  for (const std::string& cgroup : {node.service, node.service + "/aaa", node.batch, node.besteffort()}) {
    for (const char* file :
         {"cpu.stat", "cpu.cfs_burst_us", "cpu.shares", "cpu.idle", "cpu.max.burst", "cpu.weight"})
      node.host.write(Controller::cpu, cgroup, file, text);
    node.host.write(Controller::memory, cgroup, "memory.stat", text);
    node.host.write(Controller::cpuset, cgroup, "cpuset.cpus", text);
  }
  for (int second = 0; second < 4; ++second) agent.advance();
  agent.quit();
  EXPECT_EQ(agent.exit_status(), 0) << agent.stderr_text();
}

INSTANTIATE_TEST_SUITE_P(Texts, BadKernelFile,
                         testing::Combine(testing::Values(Kernel::v1, Kernel::v2),
                                          testing::Range<std::size_t>(0, 8)),
                         [](const auto& one) {
                           return std::string(std::get<0>(one.param) == Kernel::v1 ? "v1_" : "v2_") +
                                  bad_texts()[std::get<1>(one.param)].name;
                         });

struct BadConfig {
  const char* name;
  const char* text;
  const char* says;  ///< must occur in the error
};
const BadConfig kBadConfigs[] = {
    {"unknown_key", "cpuBurstStrategi: {policy: auto}\n", "cpuBurstStrategy"},
    {"unknown_word", "cpuBurstStrategy: {policy: sometimes}\n", "cfsQuotaBurstOnly"},
    {"out_of_range", "resourceUsedThresholdWithBE:\n  cpuSuppressThresholdPercent: 101\n", ":2:"},
    {"fraction", "resourceUsedThresholdWithBE: {cpuSuppressThresholdPercent: 6.5}\n", "6.5"},
    {"quoted_bool", "resourceUsedThresholdWithBE: {enable: \"true\"}\n", "enable"},
    {"yaml11_bool", "resourceUsedThresholdWithBE: {enable: yes}\n", "true"},
    {"octal", "resourceUsedThresholdWithBE: {cpuSuppressThresholdPercent: 010}\n", "010"},
    {"duplicate", "cpuBurstStrategy: {policy: auto}\ncpuBurstStrategy: {policy: none}\n", ":2:"},
    {"list_for_map", "cpuBurstStrategy: [1, 2]\n", "cpuBurstStrategy"},
    {"tab", "cpuBurstStrategy:\n\tpolicy: auto\n", ":2:"},
    {"unclosed", "cpuBurstStrategy: {policy: auto\n", "nodeslo.yaml:"},
    {"binary", "\x01\x02\xff\n", "nodeslo.yaml:"},
    {"wrong_kind", "apiVersion: v1\nkind: Pod\nspec: {}\n", "kind"},
};

class BadConfiguration : public testing::TestWithParam<BadConfig> {};

TEST_P(BadConfiguration, IsRejectedAtStartWithItsPlace) {
  BusyNode node(Kernel::v1);
  const std::string slo = node.configure(GetParam().text);
  std::vector<std::string> run{"run", "--stepped"};
  for (const auto& arg : node.args()) run.push_back(arg);
  const Ran ran = run_evenkeel(run);
  EXPECT_EQ(ran.exit_status, 2);
  EXPECT_NE(ran.err.find("nodeslo.yaml:"), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find(GetParam().says), std::string::npos) << ran.err;
  const Ran checked = run_evenkeel({"check", slo});
  EXPECT_EQ(checked.exit_status, 2);
  EXPECT_NE(checked.err.find(GetParam().says), std::string::npos) << checked.err;
}

INSTANTIATE_TEST_SUITE_P(Texts, BadConfiguration, testing::ValuesIn(kBadConfigs),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(BadPods, KeepTheLastListAndReportTheProblem) {
  const std::string one_bad_pod = R"({"items":[{"metadata":7}]})";  // skipped: a notice, not an error
  for (const std::string& text : std::vector<std::string>{"", "{", "[1,2]", "\xff\xfe", "kind: Banana\n",
                                                          R"({"items": 7})", one_bad_pod}) {
    BusyNode node(Kernel::v1);
    SteppedAgent agent(node.args(node.pod_list(R"({"kind":"PodList","items":null})")));
    node.seconds(2, agent);
    const std::string held = node.besteffort_quota();
    EXPECT_NE(held, "-1");
    node.pod_list(text);
    const Step step = node.second(agent);
    EXPECT_EQ(step.errors.empty(), text == one_bad_pod) << text << ": " << step.line;
    EXPECT_EQ(node.besteffort_quota(), held) << text;
    agent.quit();
    EXPECT_EQ(agent.exit_status(), 0) << agent.stderr_text();
  }
}

TEST(BadPods, BeforeTheFirstValidListNothingIsWritten) {
  BusyNode node(Kernel::v1);
  SteppedAgent agent(node.args("file:/nonexistent/pods.json"));
  for (int second = 0; second < 4; ++second) {
    const Step step = node.second(agent);
    EXPECT_TRUE(step.writes.empty()) << step.line;
    if (second == 0) {
      EXPECT_FALSE(step.errors.empty()) << step.line;
    }
  }
}

TEST(BadUsage, ExitsWithTwo) {
  for (const std::vector<std::string>& args :
       std::vector<std::vector<std::string>>{{},
                                             {"walk"},
                                             {"run", "--pods", "everywhere", "--stepped"},
                                             {"run", "--interval", "soon"},
                                             {"run", "--banana"},
                                             {"check", "/nonexistent.yaml"}}) {
    const Ran ran = run_evenkeel(args);
    EXPECT_EQ(ran.exit_status, 2) << ran.err;
    EXPECT_FALSE(ran.err.empty());
  }
}

}  // namespace
}  // namespace evenkeel::test
