// Bad input of every kind into the real program: a clear error or absence, no crash, and nothing written from
// it.
#include <gtest/gtest.h>

#include "tests/support/fake_node.h"
#include "tests/support/stepped_agent.h"

namespace evenkeel::test {
namespace {

using namespace evenkeel::literals;
using Kernel = FakeNode::Kernel;

constexpr const char* kEverything =
    "resourceUsedThresholdWithBE: {enable: true, cpuSuppressThresholdPercent: 65, cpuSuppressPolicy: "
    "cfsQuota}\n"
    "cpuBurstStrategy: {policy: auto}\n"
    "resourceQOSStrategy: {beClass: {cpuQOS: {enable: true}}}\n";

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

struct Scene {
  explicit Scene(Kernel kernel) : node(16, kernel) {
    service = node.host.pod(KubeQos::burstable, "11111111-1111-1111-1111-111111111111", {"aaa"});
    batch = node.host.pod(KubeQos::besteffort, "22222222-2222-2222-2222-222222222222", {"bbb"});
    node.uses(service + "/aaa", 6000_mcpu);
    node.uses(batch + "/bbb", 1000_mcpu);
  }
  std::vector<std::string> args(const std::string& slo) const {
    return {"--host-root", node.host.root(), "--nodeslo",   slo,
            "--pods",      "cgroup",         "--state-dir", node.state_dir()};
  }
  FakeNode node;
  std::string service, batch;
};

using Case = std::tuple<Kernel, std::size_t>;
class BadKernelFile : public testing::TestWithParam<Case> {};

/// What suppression cannot do without; a bad one of these must keep the quota as it is.
TEST_P(BadKernelFile, NothingIsWrittenFromIt) {
  const auto [kernel, which] = GetParam();
  const std::string& text = bad_texts()[which].text;
  const bool v1 = kernel == Kernel::v1;
  for (const std::string file : {"proc/stat", "quota"}) {
    Scene scene(kernel);
    SteppedAgent agent(scene.args(scene.node.text_file("nodeslo.yaml", kEverything)));
    for (int second = 0; second < 4; ++second) {
      scene.node.run(std::chrono::seconds(1));
      if (file == "quota") {
        scene.node.host.write(Controller::cpu, scene.node.besteffort(), v1 ? "cpu.cfs_quota_us" : "cpu.max",
                              text);
      } else {
        scene.node.host.file(file, text);
      }
      const Step step = agent.advance();
      EXPECT_EQ(step.written(v1 ? "besteffort/cpu.cfs_quota_us" : "besteffort/cpu.max"), "<none>")
          << file << ": " << step.line;
    }
    agent.quit();
    EXPECT_EQ(agent.exit_status(), 0) << agent.stderr_text();
  }
}

TEST_P(BadKernelFile, IsSurvivedWhereverItIs) {
  const auto [kernel, which] = GetParam();
  const std::string& text = bad_texts()[which].text;
  Scene scene(kernel);
  SteppedAgent agent(scene.args(scene.node.text_file("nodeslo.yaml", kEverything)));
  scene.node.run(std::chrono::seconds(1));
  agent.advance();
  for (const std::string file :
       {"proc/meminfo", "proc/cpuinfo", "proc/pressure/cpu", "proc/pressure/memory",
        "sys/devices/system/cpu/online", "sys/devices/system/cpu/cpu1/topology/core_id"})
    scene.node.host.file(file, text);
  for (const std::string& cgroup :
       {scene.service, scene.service + "/aaa", scene.batch, scene.node.besteffort()}) {
    for (const char* file :
         {"cpu.stat", "cpu.cfs_burst_us", "cpu.shares", "cpu.idle", "cpu.max.burst", "cpu.weight"})
      scene.node.host.write(Controller::cpu, cgroup, file, text);
    scene.node.host.write(Controller::memory, cgroup, "memory.stat", text);
    scene.node.host.write(Controller::cpuset, cgroup, "cpuset.cpus", text);
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
  const char* says;  ///< must be in the error
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

TEST_P(BadConfiguration, IsRefusedAtTheStartWithItsPlace) {
  Scene scene(Kernel::v1);
  const std::string slo = scene.node.text_file("nodeslo.yaml", GetParam().text);
  const Ran ran = run_evenkeel({"run", "--stepped", "--host-root", scene.node.host.root(), "--nodeslo", slo,
                                "--pods", "cgroup", "--state-dir", scene.node.state_dir()});
  EXPECT_EQ(ran.exit_status, 2);
  EXPECT_NE(ran.err.find("nodeslo.yaml:"), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find(GetParam().says), std::string::npos) << ran.err;
  const Ran checked = run_evenkeel({"check", slo});
  EXPECT_EQ(checked.exit_status, 2);
  EXPECT_NE(checked.err.find(GetParam().says), std::string::npos) << checked.err;
}

INSTANTIATE_TEST_SUITE_P(Texts, BadConfiguration, testing::ValuesIn(kBadConfigs),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(BadPods, KeepWhatWasKnownAndSayWhatIsWrong) {
  for (const char* text :
       {"", "{", "[1,2]", "\xff\xfe", "kind: Banana\n", "{\"items\": 7}", "{\"items\":[{\"metadata\":7}]}"}) {
    Scene scene(Kernel::v1);
    const std::string slo = scene.node.text_file("nodeslo.yaml", kEverything);
    const std::string pods = scene.node.text_file("pods.json", R"({"kind":"PodList","items":null})");
    SteppedAgent agent({"--host-root", scene.node.host.root(), "--nodeslo", slo, "--pods", "file:" + pods,
                        "--state-dir", scene.node.state_dir()});
    scene.node.run(std::chrono::seconds(1));
    agent.advance();
    scene.node.run(std::chrono::seconds(1));
    agent.advance();
    const std::string held = scene.node.quota_of(scene.node.besteffort());
    EXPECT_NE(held, "-1");
    scene.node.text_file("pods.json", text);
    scene.node.run(std::chrono::seconds(1));
    const Step step = agent.advance();
    EXPECT_EQ(scene.node.quota_of(scene.node.besteffort()), held) << text;
    agent.quit();
    EXPECT_EQ(agent.exit_status(), 0) << agent.stderr_text();
  }
}

TEST(BadPods, AreNotServedFromBeforeTheFirstGoodList) {
  Scene scene(Kernel::v1);
  const std::string slo = scene.node.text_file("nodeslo.yaml", kEverything);
  SteppedAgent agent({"--host-root", scene.node.host.root(), "--nodeslo", slo, "--pods",
                      "file:/nonexistent/pods.json", "--state-dir", scene.node.state_dir()});
  for (int second = 0; second < 4; ++second) {
    scene.node.run(std::chrono::seconds(1));
    const Step step = agent.advance();
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
