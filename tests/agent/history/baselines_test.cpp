// Two runs of the agent, one after the other, on one state directory: what the first has learned of a
// workload and of levers, the second knows at once.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "agent/agent.h"
#include "agent/config/nodeslo_config.h"
#include "agent/history/verdict_checkpoint.h"
#include "tests/support/fakes/fake_node.h"
#include "tests/support/fakes/fixed_wall.h"
#include "tests/support/process.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {

using std::chrono::seconds;

constexpr const char* kUid = "11111111-1111-1111-1111-111111111111";
constexpr double kToday = 1'767'225'600;
/// In every second some task of the service waits so long for a CPU.
constexpr int kWaitMilliseconds = 50;

std::string pods_with(const std::string& image) {
  return R"({"kind":"PodList","items":[{"metadata":{"namespace":"shop","name":"web-5d7f-x","uid":")" +
         std::string(kUid) +
         R"(","labels":{"pod-template-hash":"5d7f"},"ownerReferences":[{"kind":"ReplicaSet","name":"web-5d7f",)"
         R"("uid":"r","controller":true}]},"spec":{"containers":[{"name":"server","image":")" +
         image +
         R"(","resources":{"limits":{"cpu":"1"}}}]},"status":{"phase":"Running","qosClass":"Burstable","containerStatuses":[{"name":"server",)"
         R"("containerID":"containerd://aaa","state":{"running":{}}}]}}]})";
}

class LearnedOverRestarts : public testing::Test {
 protected:
  LearnedOverRestarts() {
    pod_ = node_.host.pod(KubeQos::burstable, kUid, {"aaa"});
    configure("");
    image("web:1");
    cpu("Some CPU");
  }

  void configure(const std::string& models) const {
    std::ofstream(state_.path + "/nodeslo.yaml")
        << "extensions: {evenkeel: {interference: {enable: true, stallWindow: 1s" << models << "}}}\n";
  }
  void image(const std::string& name) const { std::ofstream(state_.path + "/pods.json") << pods_with(name); }
  void cpu(const std::string& model) {
    node_.host.file("proc/cpuinfo", "processor\t: 0\nmodel name\t: " + model + "\n");
  }

  /// Another run, the one before having ended; a monotonic clock that begins anew.
  void start() {
    end();
    clock_ = runtime::SteppedClock();
    AgentOptions options{.host_root = node_.host.root(), .state_dir = state_.path, .stepped = true};
    options.inputs.nodeslo = state_.path + "/nodeslo.yaml";
    options.inputs.pods = {inputs::PodsSource::Kind::file, state_.path + "/pods.json"};
    options.inputs.by_text = true;
    auto created = Agent::create(options, log_, clock_, &wall_);
    ASSERT_TRUE(created.agent) << created.error;
    agent_ = std::move(created.agent);
  }
  void run(int count) {
    for (int second = 0; second < count; ++second) {
      waited_ms_ += kWaitMilliseconds + (second % 2 == 0 ? 5 : -5);
      node_.host.write(
          Controller::cpuacct, pod_ + "/aaa", "cpu.pressure",
          "some avg10=5.00 avg60=5.00 avg300=5.00 total=" + std::to_string(waited_ms_ * 1000) + "\n");
      node_.run(seconds(1));
      clock_.advance(seconds(1));
      wall_.at += 1;
      agent_->tick(clock_.now());
    }
  }
  void end() {
    if (agent_) agent_->stop(clock_.now());
    agent_.reset();
  }
  [[nodiscard]] const detector::NormalModel& model(Signal signal = Signal::run_queue_wait) const {
    return agent_->view().policies.of<interference::InterferenceState>().victims.at(0).of(signal).model();
  }
  [[nodiscard]] std::string said() const { return text_of_file(log_path_); }

  StateDir state_{};
  FakeNode node_{4, FakeNode::Kernel::v2};
  std::string pod_{};
  FixedWallClock wall_{kToday};
  std::string log_path_ = temporary_file();
  int log_fd_ = ::open(log_path_.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  runtime::Log log_{log_fd_, runtime::LogFormat::text, runtime::LogLevel::info, nullptr};
  runtime::SteppedClock clock_{};
  std::unique_ptr<Agent> agent_{};
  std::int64_t waited_ms_ = 0;

 public:
  ~LearnedOverRestarts() override {
    end();
    ::close(log_fd_);
    ::unlink(log_path_.c_str());
  }
};

TEST_F(LearnedOverRestarts, TheSecondRunKnowsAtOnce) {
  start();
  run(60);
  ASSERT_EQ(agent_->view().policies.of<interference::InterferenceState>().workloads.at(0).key,
            "shop/web/server");
  ASSERT_TRUE(model().trusted({}));
  EXPECT_NEAR(model().usual(), 0.050, 0.006);
  start();
  run(1);
  EXPECT_TRUE(model().trusted({})) << said();
  EXPECT_NEAR(model().usual(), 0.050, 0.006);
  EXPECT_NE(said().find("event=interference-recalled models=3 forgotten=0 corrupt=0"), std::string::npos)
      << said();
}

TEST_F(LearnedOverRestarts, WhatWasFoundAboutALever) {
  const std::string container = pod_ + "/aaa";
  const auto trials = [&] {
    std::int64_t sum = 0;
    for (const auto& one : agent_->view().policies.of<proof::ProofState>().evidence) sum += one.trials;
    return sum;
  };
  const auto prove = [&](const std::string& policy) {
    std::ofstream(state_.path + "/nodeslo.yaml")
        << "cpuBurstStrategy: {policy: " << policy
        << "}\nextensions: {evenkeel: {proof: {enable: true, budgetPercent: 20}}}\n";
  };
  node_.set_quota(container, "100000");
  node_.uses(container, MilliCpu(800));
  node_.throttled(container, true);
  prove("cpuBurstOnly");
  start();
  run(240);  // proof learns for a minute what is usual
  const auto found = trials();
  ASSERT_GT(found, 2);
  start();
  run(1);
  EXPECT_EQ(trials(), found) << said();
  prove("auto");
  start();
  run(1);
  EXPECT_EQ(trials(), 0) << "under another configuration the lever has other values";
}

TEST_F(LearnedOverRestarts, ALeverThatHarmsStaysWithdrawnUntilTheConfigurationChanges) {
  const auto nodeslo = [](int percent) {
    return "resourceUsedThresholdWithBE: {enable: true, cpuSuppressPolicy: cfsQuota, "
           "cpuSuppressThresholdPercent: " +
           std::to_string(percent) + "}\nextensions: {evenkeel: {proof: {enable: true}}}\n";
  };
  proof::ProofState found;
  proof::Evidence& quota = found.evidence[proof::kBesteffortQuota];
  quota.verdict = proof::Verdict::harms;
  quota.trials = 7;
  const auto fingerprint = config::parse_nodeslo(nodeslo(65), "f").slo.fingerprint;
  std::ofstream(state_.path + "/proof") << history::verdicts_text(found, {"unknown", fingerprint});
  std::ofstream(state_.path + "/nodeslo.yaml") << nodeslo(65);
  start();
  run(5);
  EXPECT_EQ(node_.besteffort_quota(), "max") << said();
  EXPECT_NE(api::explain_json(agent_->view()).find(R"("withdrawn":[{"lever":"besteffort-quota")"),
            std::string::npos);
  EXPECT_EQ(said().find("event=lever-harms"), std::string::npos) << "it is not found again";
  std::ofstream(state_.path + "/nodeslo.yaml") << nodeslo(60);
  run(5);
  EXPECT_NE(node_.besteffort_quota(), "max") << said();
  EXPECT_NE(api::explain_json(agent_->view()).find(R"("withdrawn":[])"), std::string::npos);
}

TEST_F(LearnedOverRestarts, WhatIsOldIsNotTrusted) {
  start();
  run(60);
  end();
  wall_.at += 86400 * 2;
  start();
  run(1);
  EXPECT_TRUE(model().normal().has_value());
  EXPECT_FALSE(model().trusted({})) << "of sixty samples a quarter is left";
}

TEST_F(LearnedOverRestarts, AnotherImageIsLearnedAnew) {
  start();
  run(60);
  image("web:2");
  run(2);
  EXPECT_FALSE(model().normal().has_value());
  start();
  run(1);
  EXPECT_FALSE(model().normal().has_value());
  image("web:1");
  run(1);
  EXPECT_TRUE(model().trusted({})) << "back to what is known";
}

TEST_F(LearnedOverRestarts, ABadFileIsToldAndNothingElseIsLost) {
  start();
  run(60);
  end();
  const std::string path = state_.path + "/interference";
  std::string text = text_of_file(path);
  ASSERT_GT(text.size(), 20U);
  text[15] ^= 1;
  std::ofstream(path) << text;
  start();
  run(1);
  EXPECT_FALSE(model().normal().has_value());
  EXPECT_NE(said().find("level=warning event=interference-recalled models=2 forgotten=0 corrupt=1"),
            std::string::npos)
      << said();
  EXPECT_TRUE(model(Signal::reclaim_stall).trusted({}));
  run(60);
  EXPECT_TRUE(model().trusted({}));
}

TEST_F(LearnedOverRestarts, SwitchedOffAndOnAgainItIsKnown) {
  start();
  run(60);
  std::ofstream(state_.path + "/nodeslo.yaml") << "{}\n";
  run(2);
  EXPECT_TRUE(agent_->view().policies.of<interference::InterferenceState>().victims.empty());
  configure("");
  run(1);
  EXPECT_TRUE(model().trusted({})) << said();
}

// As it is where the configuration comes from the API server: the first tick knows nothing of it.
TEST_F(LearnedOverRestarts, SwitchedOnBetweenTwoTicksItIsKnown) {
  start();
  run(60);
  end();
  std::ofstream(state_.path + "/nodeslo.yaml") << "{}\n";
  start();
  run(2);
  configure("");
  agent_->react(clock_.now());
  run(1);
  EXPECT_TRUE(model().trusted({})) << said();
}

TEST_F(LearnedOverRestarts, OfWindowsOfAnotherLengthNothingIsTaken) {
  start();
  run(60);
  end();
  std::ofstream(state_.path + "/nodeslo.yaml")
      << "extensions: {evenkeel: {interference: {enable: true, stallWindow: 2s}}}\n";
  start();
  run(1);
  EXPECT_FALSE(model().normal().has_value());
  EXPECT_NE(said().find("measured-otherwise=3"), std::string::npos) << said();
}

TEST_F(LearnedOverRestarts, WhatTheFileGivesIsBelievedUntilThereIsEnoughOfOnesOwn) {
  const std::string models =
      ", models: [{workload: shop/web/server, signal: run-queue-wait, usual: 0.2, deviation: 0.05},"
      "{workload: shop/web/server, signal: cpi, cpuModel: Some CPU, usual: 1.5, deviation: 0.2},"
      "{workload: shop/web/server, signal: reference-cpi, cpuModel: Other CPU, usual: 1.5, deviation: 0.2},"
      "{workload: shop/other/server, signal: block-io-stall, usual: 1, deviation: 0.2}]";
  configure(models);
  start();
  run(1);
  EXPECT_NEAR(model().usual(), 0.2, 1e-9);
  EXPECT_TRUE(model().trusted({}));
  EXPECT_NEAR(model(Signal::cpi).usual(), 1.5, 1e-9);
  EXPECT_FALSE(model(Signal::reference_cpi).normal()) << "of other CPUs";
  EXPECT_FALSE(model(Signal::block_io_stall).normal()) << "of another workload";
  run(300);
  EXPECT_LT(model().usual(), 0.2) << "its own samples move it";
}

TEST_F(LearnedOverRestarts, OnesOwnSamplesCountMoreThanTheFile) {
  start();
  run(60);
  configure(", models: [{workload: shop/web/server, signal: run-queue-wait, usual: 0.2, deviation: 0.05}]");
  run(2);
  EXPECT_NEAR(model().usual(), 0.050, 0.006);
}

}  // namespace
}  // namespace evenkeel::test
