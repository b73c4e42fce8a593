// Every metric that the dashboard and the alerts name is in what a real agent shows.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "agent/agent.h"
#include "agent/api/metrics.h"
#include "tests/support/agents/stepped_agent.h"
#include "tests/support/fakes/fake_host.h"

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

/// The cluster's configuration, and who hurts whom, levers under test and an objective, of a service too that
/// is no pod.
std::string configuration() {
  return text_of("kustomize/base/nodeslo.yaml") +
         "hostApplications:\n- {name: database, qos: LS, cgroupPath: {base: CgroupRoot, relativePath: "
         "database.service}}\nextensions: {evenkeel: {interference: {enable: true}, proof: {enable: true}, "
         "objectives: "
         "[{name: database, hostApplication: database, file: /var/lib/database/latency, target: 1}]}}\n";
}

/// Of a node on which everything can be measured, two ticks old.
std::string exposition() {
  FakeHost host;
  host.machine().hybrid().kubepods();
  host.cgroup("database.service");
  std::ofstream(host.root() + "/nodeslo.yaml") << configuration();
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

/// Of an agent that reports to an API server, which the stepped one cannot.
std::string exposition_of_reports() {
  FakeHost host;
  host.machine().v2().kubepods();
  std::ofstream(host.root() + "/nodeslo.yaml") << configuration();
  AgentOptions options{.host_root = host.root(), .state_dir = host.root() + "/state", .stepped = true};
  options.inputs.nodeslo = host.root() + "/nodeslo.yaml";
  runtime::Log log(STDERR_FILENO, runtime::LogFormat::text, runtime::LogLevel::error, nullptr);
  runtime::SteppedClock clock;
  const auto agent = Agent::create(options, log, clock, nullptr).agent;
  if (!agent) return {};
  const record::ReportState state{.last_accepted = MonoTime{}};
  const auto parts = agent->parts();
  parts.servers.usage_reports = parts.servers.topology_reports = &state;
  agent->tick(MonoTime{} + std::chrono::seconds(1));
  return api::metrics_text(agent->view());
}

TEST(MetricNames, OfDashboardAndAlertsExist) {
  const auto shown = names_in(exposition() + exposition_of_reports(), "# TYPE ([a-z_]+) ");
  int named = 0;
  for (const char* name : {"grafana/evenkeel.json", "prometheus/alerts.yaml"}) {
    for (const auto& metric : names_in(text_of(name), "\\b(evenkeel_[a-z_]+)\\b")) {
      ++named;
      EXPECT_TRUE(shown.contains(metric)) << name << " names " << metric;
    }
  }
  EXPECT_GT(named, 20);
}

// Or the alert on refused inputs would fire wherever no Node object is given.
TEST(MetricNames, AnInputThatIsNotConfiguredIsNotABadOne) {
  const auto text = exposition();
  EXPECT_EQ(text.find("evenkeel_input_good{input=\"node\"}"), std::string::npos);
  EXPECT_NE(text.find("evenkeel_input_good{input=\"nodeslo\"}"), std::string::npos);
}

}  // namespace
}  // namespace evenkeel::test
