// What policies do without on a node is said, with the reason: there is no value that would show it.
#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <utility>

#include "agent/agent.h"
#include "agent/api/metrics.h"
#include "agent/api/pages.h"
#include "tests/support/fakes/fake_node.h"
#include "tests/support/fakes/fixed_wall.h"

namespace evenkeel::test {
namespace {

/// A node with a batch service of its own, whose cgroup has no CPU set.
class Limitations : public testing::Test {
 protected:
  Limitations() {
    node_.host.cgroup("batch.service").remove("sys/fs/cgroup/batch.service/cpuset.cpus");
    kernel("6.18.1");
  }
  void kernel(const std::string& release) { node_.host.file("proc/sys/kernel/osrelease", release + "\n"); }
  static constexpr const char* kNodeSlo =
      "resourceUsedThresholdWithBE: {enable: true, cpuSuppressPolicy: cfsQuota}\n"
      "hostApplications: [{name: batch, qos: BE, cgroupPath: {base: CgroupRoot, relativePath: "
      "batch.service}}]\n"
      "extensions: {evenkeel: {brake: {enable: true}, interference: {enable: true, act: true}}}\n";
  /// An agent that has run for a tick.
  std::unique_ptr<Agent> agent() {
    node_.host.file("nodeslo.yaml", kNodeSlo);
    AgentOptions options{
        .host_root = node_.host.root(), .state_dir = node_.host.root() + "/state", .stepped = true};
    options.inputs.nodeslo = node_.host.root() + "/nodeslo.yaml";
    auto created = Agent::create(options, log_, clock_, &wall_);
    EXPECT_TRUE(created.agent) << created.error;
    if (created.agent) created.agent->tick(MonoTime{} + std::chrono::seconds(1));
    return std::move(created.agent);
  }
  std::string explain() {
    const auto one = agent();
    return one ? api::explain_sentences(api::explain_json(one->view())) : "";
  }

  FakeNode node_{4, FakeNode::Kernel::v2};
  runtime::Log log_{STDERR_FILENO, runtime::LogFormat::text, runtime::LogLevel::error, nullptr};
  runtime::SteppedClock clock_{};
  FixedWallClock wall_{1.7e9};
};

TEST_F(Limitations, EachPolicySaysWhatItDoesWithoutAQuota) {
  const auto text = explain();
  for (const char* says :
       {"cpu-suppress: best effort is limited by CPU sets in place of a quota: a quota on best effort harms "
        "services on an EEVDF kernel without longer request sizes\n",
        "cpu-suppress: host application batch is not limited and counts as a service, for its cgroup has no "
        "CPU set: ",
        "brake: best effort's CPU is not cut: ", "interference: the CPU of an antagonist is not limited: "})
    EXPECT_NE(text.find(says), std::string::npos) << says << "is not in:\n" << text;
}

TEST_F(Limitations, AnApplicationWithACpuSetIsNotAmongThem) {
  node_.host.file("sys/fs/cgroup/batch.service/cpuset.cpus", "\n");
  const auto text = explain();
  EXPECT_EQ(text.find("host application"), std::string::npos) << text;
  EXPECT_NE(text.find("by CPU sets in place of a quota"), std::string::npos) << text;
}

TEST_F(Limitations, ALoadedBpfSchedulerIsOnEveryPage) {
  node_.host.file("sys/kernel/sched_ext/state", "enabled\n");
  const auto one = agent();
  ASSERT_TRUE(one);
  const std::string says = std::string("scheduler: ") + record::kBpfScheduler + "\n";
  EXPECT_NE(api::explain_sentences(api::explain_json(one->view())).find(says), std::string::npos);
  EXPECT_NE(api::Pages(one->view()).answer({.path = "/readyz"}).body.find(says), std::string::npos);
  EXPECT_NE(api::metrics_text(one->view()).find("\nevenkeel_bpf_scheduler_loaded 1\n"), std::string::npos);
}

TEST_F(Limitations, AnAmplificationThatIsLeftAloneIsOnBothPages) {
  const auto one = agent();
  ASSERT_TRUE(one);
  const auto pages = [&] {
    return api::explain_sentences(api::explain_json(one->view())) +
           api::Pages(one->view()).answer({.path = "/readyz"}).body;
  };
  EXPECT_EQ(pages().find("resource-amplification"), std::string::npos);
  one->parts().servers.amplification_left_alone = "it is another's";
  const std::string says = "resource-amplification: it is another's\n", both = pages();
  EXPECT_NE(both.find(says), both.rfind(says)) << both;
}

TEST_F(Limitations, WhereAQuotaDoesNoHarmThereAreNone) {
  kernel("6.1.0");
  const auto text = explain();
  EXPECT_EQ(text.find("harms services"), std::string::npos) << text;
  EXPECT_EQ(text.find("scheduler: "), std::string::npos) << text;
}

}  // namespace
}  // namespace evenkeel::test
