// Tests eviction without an API server, on real cgroups and with real processes: intent and outcome.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "tests/support/fakes/api_server.h"
#include "tests/support/fakes/http_script.h"
#include "tests/support/live/agent_args.h"
#include "tests/support/live/live_agent.h"
#include "tests/support/live/live_pod.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {

constexpr const char* kBatch = "kubepods/besteffort/podbbbbbbbb-0000-0000-0000-000000000001";
constexpr const char* kService = "kubepods/burstable/podaaaaaaaa-0000-0000-0000-000000000001";
constexpr std::chrono::seconds kPatience{60};  // a first start under emulation is slow

/// Memory counts as short by configuration: any pod labelled best effort would be evicted.
class LiveEvict : public testing::Test {
 protected:
  void SetUp() override {
    if (!cgroups_.why_not().empty()) GTEST_SKIP() << cgroups_.why_not();
    cgroups_.make(std::string(kBatch) + "/c1");
    cgroups_.make(std::string(kService) + "/c2");
    std::ofstream(dir_.path + "/pods.yaml")
        << "items:\n"
           "- {metadata: {uid: bbbbbbbb-0000-0000-0000-000000000001, namespace: batch, name: job, labels: "
           "{koordinator.sh/qosClass: BE}}, spec: {terminationGracePeriodSeconds: 1, containers: [{name: "
           "a}]}, "
           "status: {phase: Running, qosClass: BestEffort, containerStatuses: [{name: a, containerID: "
           "'containerd://c1', state: {running: {}}}]}}\n"
           "- {metadata: {uid: aaaaaaaa-0000-0000-0000-000000000001, namespace: shop, name: cart}, spec: "
           "{containers: [{name: a, resources: {requests: {memory: 16Mi}}}]}, status: {phase: Running, "
           "qosClass: Burstable, containerStatuses: [{name: a, containerID: 'containerd://c2', state: "
           "{running: {}}}]}}\n";
  }
  void TearDown() override {
    for (int i = 0; i < 1000; ++i) {
      const auto left = processes_in(cgroups_, std::string(kBatch) + "/c1");
      for (const int pid : left) ::kill(pid, SIGKILL);
      if (left.empty()) break;
    }
  }
  std::vector<std::string> args(const char* kill_without_api) {
    std::ofstream(dir_.path + "/nodeslo.yaml")
        << "resourceUsedThresholdWithBE: {enable: true, memoryEvictThresholdPercent: 1, "
           "memoryEvictLowerPercent: 0, cpuSuppressThresholdPercent: 100}\n"
           "extensions: {evenkeel: {featureGates: {BEMemoryEvict: true}, killWithoutApi: "
        << kill_without_api << "}}\n";
    return live_args(cgroups_, dir_, "100ms");
  }
  LiveCgroups cgroups_{};
  StateDir dir_{};
};

TEST_F(LiveEvict, KillsThePodAndNothingElse) {
  LiveProcess batch(cgroups_, std::string(kBatch) + "/c1", Manner::waits);
  LiveProcess stubborn(cgroups_, std::string(kBatch) + "/c1", Manner::stubborn);
  LiveProcess runaway(cgroups_, std::string(kBatch) + "/c1", Manner::runs_away);
  LiveProcess service(cgroups_, std::string(kService) + "/c2", Manner::waits);
  LiveAgent agent(args("true"));
  EXPECT_TRUE(agent.logged("event=pod-ended pod=batch/job", kPatience)) << agent.log();
  EXPECT_NE(agent.log().find("event=evict pod=batch/job"), std::string::npos) << agent.log();
  EXPECT_EQ(batch.ended_by(), SIGTERM) << "asked first";
  EXPECT_EQ(stubborn.ended_by(), SIGKILL) << "after its grace";
  EXPECT_TRUE(empty_soon(cgroups_, std::string(kBatch) + "/c1"));
  EXPECT_TRUE(service.alive());
  EXPECT_EQ(agent.log().find("event=evict pod=shop/cart"), std::string::npos) << agent.log();
  EXPECT_TRUE(agent.alive());
  agent.stop();
  EXPECT_EQ(agent.exit_status(), 0) << agent.log();
}

TEST_F(LiveEvict, OnlyReportsUnlessKillingIsEnabled) {
  LiveProcess batch(cgroups_, std::string(kBatch) + "/c1", Manner::waits);
  LiveAgent agent(args("false"));
  EXPECT_TRUE(agent.logged("event=not-evicted pod=batch/job", kPatience)) << agent.log();
  EXPECT_NE(agent.log().find("event=would-evict pod=batch/job"), std::string::npos) << agent.log();
  EXPECT_NE(agent.log().find("killWithoutApi is not set"), std::string::npos) << agent.log();
  std::this_thread::sleep_for(std::chrono::seconds(2));
  EXPECT_TRUE(batch.alive());
  EXPECT_EQ(agent.log().find("pod-ended"), std::string::npos);
}

/// The API server has forgotten the pod, and its cgroup is still there.
TEST_F(LiveEvict, APodThatTheServerNoLongerHasIsNoFailure) {
  ScriptedServer server{{.tls = true}};
  server.answers([](const Asked& asked, Exchange& exchange) {
    const bool discovers = asked.method == "GET" && asked.target == "/api/v1";
    exchange.send(discovers ? http_answer(200, R"({"kind":"APIResourceList","resources":[]})")
                            : http_answer(404, R"({"kind":"Status","message":"pods \"job\" not found"})"));
  });
  write_access(server, dir_.path);
  auto with_server = args("false");
  with_server.insert(with_server.end(), {"--kubeconfig", dir_.path + "/kubeconfig", "--node-name", "n1"});
  LiveProcess batch(cgroups_, std::string(kBatch) + "/c1", Manner::waits);
  LiveAgent agent(with_server);
  EXPECT_TRUE(agent.logged("event=evict-gone pod=batch/job", kPatience)) << agent.log();
  EXPECT_EQ(agent.log().find("event=not-evicted"), std::string::npos) << agent.log();
  EXPECT_TRUE(batch.alive());
}

TEST_F(LiveEvict, ADryRunKillsNoPod) {
  LiveProcess batch(cgroups_, std::string(kBatch) + "/c1", Manner::waits);
  auto dry = args("true");
  dry.emplace_back("--dry-run");
  LiveAgent agent(dry);
  EXPECT_TRUE(agent.logged("event=would-evict pod=batch/job", kPatience)) << agent.log();
  std::this_thread::sleep_for(std::chrono::seconds(2));
  EXPECT_TRUE(batch.alive());
}

}  // namespace
}  // namespace evenkeel::test
