// Tests sharing a real network: the throughput of pods of different classes in both directions, and that
// everything is removed. The node, its peer and its pods are network namespaces of this machine.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "tests/support/agents/stepped_agent.h"
#include "tests/support/live/agent_args.h"
#include "tests/support/live/live_cgroups.h"
#include "tests/support/live/live_network.h"
#include "tests/support/process.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {

constexpr const char* kServiceUid = "dddddddd-0000-0000-0000-000000000001";
constexpr const char* kBatchUid = "dddddddd-0000-0000-0000-000000000002";
constexpr const char *kService = "10.244.0.10", *kBatch = "10.244.0.20";
/// Best effort: 4 Mbit/s guaranteed, limits of 20 egress and 10 ingress; services: 16 guaranteed, no limit.
constexpr const char* kOn =
    "systemStrategy: {totalNetworkBandwidth: 40M}\n"
    "resourceQOSStrategy:\n"
    "  lsClass: {networkQOS: {enable: true, egressRequest: 40}}\n"
    "  beClass: {networkQOS: {enable: true, egressRequest: 10, egressLimit: 50, ingressLimit: 25}}\n";
constexpr const char* kOff = "{}\n";

std::string pod(const char* uid, const char* name, const char* qos, const char* kube, const char* address,
                bool of_host, const char* annotation) {
  return std::string("- {metadata: {uid: ") + uid + ", namespace: shop, name: " + name +
         ", labels: {koordinator.sh/qosClass: " + qos + "}, annotations: {" + annotation +
         "}}, spec: {hostNetwork: " + (of_host ? "true" : "false") + ", containers: [{name: a}]}, status: {" +
         "phase: Running, qosClass: " + kube + ", podIPs: [{ip: " + address + "}]}}\n";
}

class LiveNetworkQos : public testing::Test {
 protected:
  void SetUp() override {
    if (!cgroups_.why_not().empty()) GTEST_SKIP() << cgroups_.why_not();
    if (!net_.why_not().empty()) GTEST_SKIP() << net_.why_not();
    net_.add_pod("shop", kService);
    net_.add_pod("night", kBatch);
    ASSERT_EQ(net_.why_not(), "");
    cgroups_.make(service());
    cgroups_.make(batch());
    list(false);
    configure(kOn);
    ::setenv("EVENKEEL_BINARY", net_.wrapped(evenkeel_binary(), dir_.path).c_str(), 1);
  }
  void TearDown() override {
    if (given_.empty()) {
      ::unsetenv("EVENKEEL_BINARY");
    } else {
      ::setenv("EVENKEEL_BINARY", given_.c_str(), 1);
    }
  }
  static std::string service() { return std::string("kubepods/burstable/pod") + kServiceUid; }
  static std::string batch() { return std::string("kubepods/besteffort/pod") + kBatchUid; }
  void configure(const std::string& text) const { std::ofstream(dir_.path + "/nodeslo.yaml") << text; }
  void list(bool of_host, const char* annotation = "") const {
    std::ofstream(dir_.path + "/pods.yaml")
        << "items:\n"
        << pod(kServiceUid, "cart", "LS", "Burstable", kService, of_host, "")
        << pod(kBatchUid, "train", "BE", "BestEffort", kBatch, of_host, annotation);
  }
  [[nodiscard]] std::vector<std::string> args() const { return stepped_args(cgroups_, dir_); }
  [[nodiscard]] std::string queue() const { return net_.on_node("tc qdisc show dev nic root"); }
  [[nodiscard]] std::string tables() const { return net_.on_node("nft list tables"); }
  void expect_untouched() const {
    EXPECT_EQ(queue().find("e7e1"), std::string::npos) << queue();
    EXPECT_EQ(tables().find("evenkeel"), std::string::npos) << tables();
  }
  /// The throughput of each pod at the peer, alone and together.
  void expect_shared(const LiveNetwork::Flow& service, const LiveNetwork::Flow& batch) const {
    const auto alone = net_.rates({batch}), both = net_.rates({service, batch});
    std::printf(
        "Mbit/s of 40: best effort alone %.1f of 20; beside a service %.1f (4 are guaranteed), which has "
        "%.1f\n",
        alone[0], both[1], both[0]);
    EXPECT_GT(alone[0], 14);
    EXPECT_LT(alone[0], 22);
    EXPECT_GT(both[1], 2);
    EXPECT_LT(both[1], 9);
    EXPECT_GT(both[0], 25);
    EXPECT_LT(both[0], 40);
  }
  std::string given_ = std::getenv("EVENKEEL_BINARY") == nullptr ? "" : std::getenv("EVENKEEL_BINARY");
  LiveCgroups cgroups_{};
  LiveNetwork net_{};
  StateDir dir_{};
};

TEST_F(LiveNetworkQos, ClassesShareEgressAndLimitIngress) {
  SteppedAgent agent(args());
  const Step step = agent.advance();
  ASSERT_NE(queue().find("htb e7e1:"), std::string::npos) << step.line << queue();
  ASSERT_NE(tables().find("inet evenkeel"), std::string::npos) << step.line;
  expect_shared({"shop", "peer", LiveNetwork::kPeer, "", ""}, {"night", "peer", LiveNetwork::kPeer, "", ""});
  const auto inwards = net_.rates({{"peer", "night", kBatch, "", ""}});
  std::printf("Mbit/s inwards: %.1f of 10\n", inwards[0]);
  EXPECT_GT(inwards[0], 5);
  EXPECT_LT(inwards[0], 12);
  EXPECT_NE(agent.metrics().find("evenkeel_network_classes 8"), std::string::npos);
  EXPECT_NE(agent.explain().find("4 Mbit/s guaranteed, 20 Mbit/s at most"), std::string::npos)
      << agent.explain();

  list(false, R"(koordinator.sh/networkQOS: '{"egressLimit": "8M"}')");
  agent.advance();
  const auto own = net_.rates({{"night", "peer", LiveNetwork::kPeer, "", ""}});
  std::printf("Mbit/s with a limit of its own: %.1f of 8\n", own[0]);
  EXPECT_GT(own[0], 5);
  EXPECT_LT(own[0], 9);

  configure(kOff);
  agent.advance();
  expect_untouched();
  const auto free = net_.rates({{"night", "peer", LiveNetwork::kPeer, "", ""}});
  std::printf("Mbit/s without: %.0f\n", free[0]);
  EXPECT_GT(free[0], 60);
  configure(kOn);
  agent.advance();
  EXPECT_NE(queue().find("e7e1"), std::string::npos);
  agent.quit();
  expect_untouched();
}

TEST_F(LiveNetworkQos, AShortFlowDoesNotWaitBehindLongOnesOfItsClass) {
  SteppedAgent agent(args());
  if (const Step step = agent.advance(); step.line.find("fq_codel") != std::string::npos)
    GTEST_SKIP() << "this kernel has no fq_codel";
  const LiveNetwork::Flow night{"night", "peer", LiveNetwork::kPeer, "", ""};
  const std::vector<LiveNetwork::Flow> many(8, night);
  const auto fair = net_.answer_time(many, night, 7);
  // The qdisc that the kernel creates in a class by default.
  ASSERT_EQ(net_.on_node("tc qdisc replace dev nic parent e7e1:31 pfifo limit 1000"), "");
  const auto queued = net_.answer_time(many, night, 7);
  std::printf("an answer beside eight flows of 20 Mbit/s together: %.1f ms, %.1f ms in one queue\n",
              static_cast<double>(fair.count()) / 1000, static_cast<double>(queued.count()) / 1000);
  EXPECT_LT(fair * 2, queued);
  agent.quit();
  expect_untouched();
}

TEST_F(LiveNetworkQos, HostNetworkProcessesAreClassifiedByCgroup) {
  if (!cgroups_.layout().v2(Controller::cpu)) GTEST_SKIP() << "on cgroup v1 only addresses tell";
  list(true);
  SteppedAgent agent(args());
  const Step step = agent.advance();
  ASSERT_NE(queue().find("htb e7e1:"), std::string::npos) << step.line;
  const auto procs = [&](const std::string& cgroup) {
    return cgroups_.file(Controller::cpu, cgroup, "cgroup.procs");
  };
  expect_shared({"node", "peer", LiveNetwork::kPeer, procs(service()), ""},
                {"node", "peer", LiveNetwork::kPeer, procs(batch()), ""});
  const auto inwards = net_.rates({{"peer", "node", "10.9.0.1", "", procs(batch())}});
  std::printf("Mbit/s inwards: %.1f of 10\n", inwards[0]);
  EXPECT_GT(inwards[0], 5);
  EXPECT_LT(inwards[0], 12);
  agent.quit();
  expect_untouched();
}

TEST_F(LiveNetworkQos, AfterKillMinusNineRestoreRemovesTheQueues) {
  {
    SteppedAgent agent(args());
    agent.advance();
    ASSERT_NE(queue().find("e7e1"), std::string::npos);
    agent.kill();
  }
  EXPECT_NE(queue().find("e7e1"), std::string::npos);
  const auto ran = run_evenkeel({"restore", "--state-dir", dir_.path + "/state"});
  EXPECT_EQ(ran.exit_status, 0) << ran.err;
  expect_untouched();
}

TEST_F(LiveNetworkQos, AForeignQueueIsKept) {
  ASSERT_EQ(net_.on_node("tc qdisc add dev nic root handle 8001: tbf rate 30mbit burst 64k latency 50ms"),
            "");
  SteppedAgent agent(args());
  const Step step = agent.advance();
  EXPECT_NE(step.line.find("another process has put tbf 8001:0 on the interface"), std::string::npos)
      << step.line;
  EXPECT_NE(queue().find("tbf 8001:"), std::string::npos);
  agent.quit();
  EXPECT_NE(queue().find("tbf 8001:"), std::string::npos);
}

}  // namespace
}  // namespace evenkeel::test
