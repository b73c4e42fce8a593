// Tests the program as a black box: best effort follows the latency that a service writes into a file.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/agents/stepped_node.h"

namespace evenkeel::test {
namespace {

using namespace evenkeel::literals;
using Kernel = FakeNode::Kernel;

constexpr const char* kUid = "11111111-1111-1111-1111-111111111111";
constexpr const char* kBatchUid = "22222222-2222-2222-2222-222222222222";

std::string pods() {
  const auto pod = [](const char* uid, const char* name, const char* label, const char* kube,
                      const char* id) {
    return std::string("{metadata: {uid: ") + uid + ", namespace: shop, name: " + name + ", labels: {" +
           label + "}}, spec: {containers: [{name: a}]}, status: {phase: Running, qosClass: " + kube +
           ", containerStatuses: [{name: a, containerID: 'containerd://" + id + "', state: {running: {}}}]}}";
  };
  return "items: [" + pod(kUid, "web", "app: web", "Burstable", "aaa") + ", " +
         pod(kBatchUid, "job", "koordinator.sh/qosClass: BE", "BestEffort", "bbb") + "]\n";
}

/// 16 CPUs of which the service uses 2 and best effort 8; the threshold leaves best effort 8.4 of 10.4.
class SteppedObjectives : public testing::TestWithParam<Kernel> {
 protected:
  SteppedObjectives() {
    service = node.host.pod(KubeQos::burstable, kUid, {"aaa"});
    batch = node.host.pod(KubeQos::besteffort, kBatchUid, {"bbb"});
    node.uses(service + "/aaa", 2000_mcpu);
    node.uses(batch + "/bbb", 8000_mcpu);
    node.configure(
        "resourceUsedThresholdWithBE: {enable: true, cpuSuppressPolicy: cfsQuota}\n"
        "extensions: {evenkeel: {objectives: [{name: web, namespace: shop, matchLabels: {app: web}, file: " +
        file + ", target: 0.005, pauseDuration: 5s}]}}\n");
  }
  std::vector<std::string> args() { return node.args(node.pod_list(pods())); }
  /// The next seconds, in each of which the service writes this.
  Step reports(const std::string& figure, SteppedAgent& agent, int seconds = 1) {
    Step last;
    for (int i = 0; i < seconds; ++i) {
      // Renamed, so that it is another file even within one tick of the file system's clock.
      std::filesystem::rename(node.extra("latency.new", figure), file);
      last = node.second(agent);
    }
    return last;
  }
  [[nodiscard]] std::string unlimited() const { return GetParam() == Kernel::v1 ? "-1" : "max"; }
  [[nodiscard]] int quota() const {
    const std::string text = node.besteffort_quota();
    return text == unlimited() ? 1'600'000 : std::stoi(text);
  }
  SteppedNode node{16, GetParam(), ""};
  const std::string file = node.extra("latency", "0.1");
  std::string service, batch;
};

TEST_P(SteppedObjectives, BestEffortGrowsHoldsShrinksPausesAndFallsBack) {
  SteppedAgent agent(args());
  node.seconds(2, agent);
  EXPECT_EQ(quota(), 840'000) << "no figure yet: the threshold, although a file of yesterday says 0.1";

  reports("0.003\n", agent, 10);
  EXPECT_GT(quota(), 840'000) << "more than the threshold";
  reports("0.003\n", agent, 60);
  EXPECT_EQ(node.besteffort_quota(), unlimited()) << "up to the whole node";

  const Step missed = reports("0.0051\n", agent);
  EXPECT_EQ(quota(), 640'000) << missed.line;
  EXPECT_NE(missed.line.find("a service misses its target by 2 % of it"), std::string::npos) << missed.line;

  reports("0.0045\n", agent, 5);
  const int held = quota();
  reports("0.0045\n", agent, 20);
  EXPECT_EQ(quota(), held) << "too little to spare";

  reports("0.050\n", agent);
  EXPECT_EQ(quota(), 2000);
  reports("0.001\n", agent, 4);
  EXPECT_EQ(quota(), 2000) << "for five seconds";
  reports("0.001\n", agent, 30);
  EXPECT_GT(quota(), 200'000);

  const std::string explained = agent.explain();
  EXPECT_NE(explained.find("\"standing\":\"ample\""), std::string::npos) << explained;
  EXPECT_NE(agent.metrics().find("evenkeel_objective_stale{objective=\"web\"} 0"), std::string::npos);

  node.seconds(11, agent);
  const std::string metrics = agent.metrics();
  EXPECT_NE(metrics.find("evenkeel_objective_stale{objective=\"web\"} 1"), std::string::npos) << metrics;
  node.seconds(60, agent);
  EXPECT_EQ(quota(), 840'000) << "the rules without objectives";

  agent.quit();
  EXPECT_EQ(node.besteffort_quota(), unlimited());
  const std::string log = agent.stderr_text();
  for (const char* event :
       {"event=objective-met", "event=objective-missed", "event=objective-far", "event=objective-unknown"})
    EXPECT_NE(log.find(event), std::string::npos) << event << " in:\n" << log;
}

TEST_P(SteppedObjectives, HostileFiguresAreRefusedAndSaidAndNothingIsLost) {
  SteppedAgent agent(args());
  node.second(agent);
  reports("0.003\n", agent, 2);
  const auto refuses = [&](const std::string& figure, const char* why) {
    reports(figure, agent);
    const std::string explained = agent.explain();
    EXPECT_NE(explained.find(why), std::string::npos) << figure << ": " << explained;
    EXPECT_NE(explained.find("\"standing\":\"ample\""), std::string::npos)
        << "the last good figure counts until it is stale: " << explained;
  };
  refuses("-1", "the figure is negative");
  refuses("nan", "not a finite number");
  refuses("1e300", "more than a million times its target");
  refuses("fast", "not one decimal number");
  refuses(std::string(4096, '1'), "longer than 128 bytes");
  refuses("", "the text is empty");
  std::filesystem::remove(file);
  std::filesystem::create_directory(file);
  node.second(agent);
  EXPECT_NE(agent.explain().find("it is not a regular file"), std::string::npos);
  std::filesystem::remove(file);
  reports("0.0031\n", agent);
  EXPECT_EQ(agent.explain().find("\"problem\""), std::string::npos);
  EXPECT_NE(agent.stderr_text().find("event=objective-figure-refused"), std::string::npos);
}

TEST_P(SteppedObjectives, WithoutItsPodAnObjectiveSaysNothing) {
  SteppedAgent agent(node.args(node.pod_list("items: []\n")));
  reports("0.050\n", agent, 5);
  EXPECT_NE(agent.explain().find("\"standing\":\"absent\""), std::string::npos);
  EXPECT_EQ(agent.stderr_text().find("objective-"), std::string::npos) << "not every node runs every service";
}

TEST_P(SteppedObjectives, TheFiguresAreEvidenceAboutTheLeversInForce) {
  node.configure(
      "resourceUsedThresholdWithBE: {enable: true, cpuSuppressPolicy: cfsQuota}\n"
      "extensions: {evenkeel: {proof: {enable: true, budgetPercent: 20}, objectives: [{name: web, namespace: "
      "shop, matchLabels: {app: web}, file: " +
      file + ", target: 0.005, staleAfter: 2s, figureCovers: 1s}]}}\n");
  SteppedAgent agent(args());
  reports("0.0051\n", agent, 2);     // best effort gets a quota
  reports("0.0045\n", agent, 1200);  // and keeps it
  const std::string series = "evenkeel_proof_reported_trials_total{lever=\"besteffort-quota\"} ";
  const std::string metrics = agent.metrics();
  EXPECT_NE(metrics.find(series), std::string::npos) << metrics;
  EXPECT_EQ(metrics.find(series + "0\n"), std::string::npos) << metrics;
  agent.quit();
}

INSTANTIATE_TEST_SUITE_P(Kernels, SteppedObjectives, testing::Values(Kernel::v1, Kernel::v2), kernel_name);

}  // namespace
}  // namespace evenkeel::test
