// Every metric that the dashboard and the alerts name is in what a real agent shows.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "agent/agent.h"
#include "agent/api/metrics.h"
#include "agent/config/nodeslo_config.h"
#include "agent/history/verdict_checkpoint.h"
#include "tests/support/agents/stepped_agent.h"
#include "tests/support/fakes/fake_host.h"
#include "tests/support/fakes/fixed_wall.h"

namespace evenkeel::test {
namespace {

std::set<std::string> names_in(const std::string& text, const std::string& pattern) {
  std::set<std::string> names;
  const std::regex name(pattern);
  for (std::sregex_iterator it(text.begin(), text.end(), name), end; it != end; ++it) names.insert((*it)[1]);
  return names;
}

std::string text_of(const std::string& path) {
  std::ifstream in(std::string(EVENKEEL_SOURCE_DIR) + "/deploy/" + path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// Suppression and burst, as in a cluster; who hurts whom, levers under test, and an objective of a service
/// that is no pod and writes its latency into the file. Not deploy/kustomize/base: that may have any of these
/// itself.
std::string configuration(const std::string& latency_file) {
  return "resourceUsedThresholdWithBE: {enable: true, cpuSuppressPolicy: auto}\n"
         "cpuBurstStrategy: {policy: auto}\n"
         "hostApplications: [{name: database, qos: LS, cgroupPath: {base: CgroupRoot, relativePath: "
         "database.service}}]\n"
         "extensions: {evenkeel: {interference: {enable: true}, proof: {enable: true}, objectives: "
         "[{name: database, hostApplication: database, file: " +
         latency_file + ", target: 1}]}}\n";
}

/// Of a node on which everything can be measured, two ticks old.
std::string exposition() {
  FakeHost host;
  host.machine().hybrid().kubepods();
  host.cgroup("database.service");
  std::ofstream(host.root() + "/nodeslo.yaml") << configuration(host.root() + "/latency");
  const auto pod = host.pod(KubeQos::burstable, "11-22", {"c1"});
  host.write(Controller::cpu, pod, "cpu.cfs_quota_us", "50000\n");
  const auto throttled = [&](const char* text) { host.write(Controller::cpu, pod, "cpu.stat", text); };
  throttled("nr_periods 10\nnr_throttled 1\nthrottled_time 5000\n");
  SteppedAgent agent({"--host-root", host.root(), "--nodeslo", host.root() + "/nodeslo.yaml", "--pods",
                      "cgroup", "--state-dir", host.root() + "/state"});
  agent.advance();
  throttled("nr_periods 20\nnr_throttled 2\nthrottled_time 9000\n");
  host.file("proc/stat", "cpu  1000 0 0 9000 0 0 0 0 0 0\n");
  agent.advance();
  auto text = agent.metrics();
  agent.quit();
  return text;
}

/// What tests of levers had found on this node before the agent was started again.
std::string verdicts(const std::string& configuration, const std::string& kernel) {
  constexpr std::int64_t kTrials = 7;
  const double log_of_ratio = std::log(3.0);
  proof::ProofState state;
  proof::Evidence& quota = state.evidence[proof::kBesteffortQuota];
  quota.verdict = proof::Verdict::harms;
  quota.trials = quota.trials_of_run = quota.logs = kTrials;
  quota.log_sum = kTrials * log_of_ratio;
  quota.log_squares = kTrials * log_of_ratio * log_of_ratio;
  return history::verdicts_text(state, {kernel, config::parse_nodeslo(configuration, "f").slo.fingerprint});
}

/// Of an agent that the stepped one cannot be: it reports to an API server, and has a clock on the wall,
/// without which nothing is recalled. The service has reported its latency once.
std::string exposition_after_restart() {
  FakeHost host;
  host.machine().v2().kubepods();
  host.cgroup("database.service").file("proc/sys/kernel/osrelease", "6.18.1\n").file("latency", "0.1\n");
  const auto text = configuration(host.root() + "/latency");
  host.file("nodeslo.yaml", text).file("state/proof", verdicts(text, "6.18.1"));
  AgentOptions options{.host_root = host.root(), .state_dir = host.root() + "/state", .stepped = true};
  options.inputs.nodeslo = host.root() + "/nodeslo.yaml";
  runtime::Log log(STDERR_FILENO, runtime::LogFormat::text, runtime::LogLevel::error, nullptr);
  runtime::SteppedClock clock;
  const FixedWallClock wall(1.7e9);
  const auto agent = Agent::create(options, log, clock, &wall).agent;
  if (!agent) return {};
  const record::ReportState state{.last_accepted = MonoTime{}};
  const auto parts = agent->parts();
  parts.servers.usage_reports = parts.servers.topology_reports = &state;
  agent->tick(MonoTime{} + std::chrono::seconds(1));
  // What was there before the agent may be of yesterday, so the figure is another file.
  host.file("latency.new", "0.5\n");
  std::filesystem::rename(host.root() + "/latency.new", host.root() + "/latency");
  agent->tick(MonoTime{} + std::chrono::seconds(2));
  return api::metrics_text(agent->view());
}

TEST(MetricNames, OfDashboardAndAlertsExist) {
  const auto shown = names_in(exposition() + exposition_after_restart(), "# TYPE ([a-z_]+) ");
  int named = 0;
  for (const char* name : {"grafana/evenkeel.json", "prometheus/alerts.yaml"}) {
    for (const auto& metric : names_in(text_of(name), "\\b(evenkeel_[a-z_]+)\\b")) {
      ++named;
      EXPECT_TRUE(shown.contains(metric)) << name << " names " << metric;
    }
  }
  EXPECT_GT(named, 20);
}

TEST(MetricNames, ALoadedBpfSchedulerHasWhatTheAlertLooksFor) {
  EXPECT_NE(exposition().find("\nevenkeel_bpf_scheduler_loaded 0\n"), std::string::npos);
}

/// A name alone says little where a series has other labels, or another value, from one state to the next.
TEST(MetricNames, OfProofAndObjectivesHaveWhatTheAlertsLookFor) {
  const auto text = exposition_after_restart();
  for (const char* series :
       {"evenkeel_proof_verdict{lever=\"besteffort-quota\",verdict=\"harms\"} 1\n",
        "evenkeel_proof_withdrawn{lever=\"besteffort-quota\"} 1\n",
        "evenkeel_proof_withdrawn{lever=\"cpu-burst\"} 0\n",
        "evenkeel_proof_effect_ratio{lever=\"besteffort-quota\"} ",
        "evenkeel_objective_stale{objective=\"database\"} 0\n",
        "evenkeel_objective_value{objective=\"database\"} 0.5\n",
        "evenkeel_objective_slack_ratio{objective=\"database\"} 0.5\n",
        "evenkeel_objective_besteffort_cpu_ratio ", "evenkeel_objective_besteffort_disks_ratio 1\n"})
    EXPECT_NE(text.find(series), std::string::npos) << series << "is not in:\n" << text;
  EXPECT_NE(exposition().find("evenkeel_objective_stale{objective=\"database\"} 1\n"), std::string::npos)
      << "it has reported nothing";
}

// Or the alert on refused inputs would fire wherever no Node object is given.
TEST(MetricNames, AnInputThatIsNotConfiguredIsNotABadOne) {
  const auto text = exposition();
  EXPECT_EQ(text.find("evenkeel_input_good{input=\"node\"}"), std::string::npos);
  EXPECT_NE(text.find("evenkeel_input_good{input=\"nodeslo\"}"), std::string::npos);
}

}  // namespace
}  // namespace evenkeel::test
