// The real program, told by its clock, against an API server that answers as a script says: what can be lent
// goes to the Node or to a file, and figures of another program are left alone.
#include "agent/reporting/reporting.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

#include "agent/agent.h"
#include "tests/support/agents/http_asker.h"
#include "tests/support/fakes/api_server.h"
#include "tests/support/fakes/fake_host.h"
#include "tests/support/fakes/http_script.h"
#include "tests/support/live/live_agent.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {

using std::chrono::seconds;

TEST(ReportTarget, IsOneOfThree) {
  using Kind = reporting::ReportTarget::Kind;
  EXPECT_EQ(reporting::parse_report_target("none").target.kind, Kind::none);
  EXPECT_EQ(reporting::parse_report_target("node-status").target.kind, Kind::node_status);
  EXPECT_EQ(reporting::parse_report_target("file:/a b").target.path, "/a b");
  for (const auto* text : {"", "file:", "file", "Node-Status", "node-status "})
    EXPECT_NE(reporting::parse_report_target(text).error.find("legal: none, node-status, file:PATH"),
              std::string::npos)
        << text;
}

TEST(ReportFile, IsReplacedAsAWholeOrTheReasonIsGiven) {
  const StateDir dir;
  const std::string path = dir.path + "/report.json";
  EXPECT_EQ(reporting::write_report_file(path, {1500, std::nullopt, 0, 7}), "");
  std::string text;
  std::getline(std::ifstream(path), text);
  EXPECT_EQ(text, R"({"batch-cpu":1500,"mid-cpu":0,"mid-memory":7})");
  EXPECT_FALSE(std::filesystem::exists(path + ".new"));
  EXPECT_NE(reporting::write_report_file(dir.path + "/no/such/dir", {}), "");
}

/// An agent that decides nothing, and a reporter without a server: what counts is what the Node is told to
/// say.
struct Rivals : testing::Test {
  Rivals() {
    host.machine({.cpus = 4}).v1().kubepods();
    AgentOptions options{.host_root = host.root(), .stepped = true};
    options.inputs.nodeslo_optional = options.inputs.by_text = true;
    options.inputs.nodeslo = dir.path + "/none.yaml";
    agent = Agent::create(options, log, clock, nullptr).agent;
    reporting.emplace(reporting::ReportTarget{reporting::ReportTarget::Kind::node_status, {}},
                      agent->parts().lender, log);
    reporting->set_reporter(std::move(
        kube::ExtendedResources::open(asker.loop(), api, system_clock, [] { return 0.5; }, {.node = "n1"}, {})
            .value()));
  }
  static MonoTime minute(int count) { return MonoTime(std::chrono::minutes(count)); }
  FakeHost host{};
  StateDir dir{};
  ScriptedServer server{};
  Asker asker{};
  runtime::SteppedClock clock{};
  runtime::SystemClock system_clock{};
  runtime::Log log{STDERR_FILENO, runtime::LogFormat::text, runtime::LogLevel::error, nullptr};
  kube::KubeClient api = std::move(
      kube::KubeClient::open(asker.loop(), asker.client(), {.server = server.url()}, "api").value());
  std::unique_ptr<Agent> agent{};
  std::optional<reporting::Reporting> reporting{};
};

TEST_F(Rivals, FiguresThatStandThereAtTheStartAreNoConflict) {
  reporting->observed({1000, 7, {}, {}}, minute(1));
  EXPECT_FALSE(reporting->paused_for_rival(minute(1)));
  EXPECT_EQ(agent->view().lending.standing()[0], 1000);
  reporting->observed({1000, 7, {}, {}}, minute(2));
  EXPECT_FALSE(reporting->paused_for_rival(minute(2)));
}

TEST_F(Rivals, FiguresOfAnotherProgramAreLeftAloneForAWhileAndThenForGood) {
  reporting->observed({1000, 7, {}, {}}, minute(0));
  reporting->observed({2000, 7, {}, {}}, minute(1));
  EXPECT_TRUE(reporting->paused_for_rival(minute(10)));
  EXPECT_FALSE(reporting->paused_for_rival(minute(11)));
  reporting->observed({2000, 7, {}, {}}, minute(11));
  reporting->observed({3000, 7, {}, {}}, minute(12));
  EXPECT_FALSE(reporting->paused_for_rival(minute(22)));
  reporting->observed({3000, 7, {}, {}}, minute(22));
  reporting->observed({}, minute(23));  // taken away is written, too
  EXPECT_TRUE(reporting->paused_for_rival(minute(1'000'000)));
}

TEST_F(Rivals, WhatAnotherProgramWritesDuringAPauseDoesNotCount) {
  reporting->observed({1000, 7, {}, {}}, minute(0));
  reporting->observed({2000, 7, {}, {}}, minute(1));
  reporting->observed({3000, 7, {}, {}}, minute(6));
  reporting->observed({4000, 7, {}, {}}, minute(11) - seconds(1));
  EXPECT_EQ(agent->view().lending.standing()[0], 4000);
  EXPECT_FALSE(reporting->paused_for_rival(minute(11)));
  reporting->observed({5000, 7, {}, {}}, minute(11));
  EXPECT_FALSE(reporting->paused_for_rival(minute(11))) << "written in the pause, and found at its end";
  reporting->observed({6000, 7, {}, {}}, minute(12));
  EXPECT_TRUE(reporting->paused_for_rival(minute(21)));
  EXPECT_FALSE(reporting->paused_for_rival(minute(25))) << "the second time";
}

struct ReportingLive : testing::Test {
  ReportingLive() {
    host.machine({.cpus = 4}).v1().kubepods();
    host.file("proc/meminfo", "MemTotal: 4194304 kB\nMemFree: 1 kB\nMemAvailable: 4194304 kB\n");
    write("nodeslo.yaml", "extensions: {colocation: {enable: true}}\n");
    write_access(server, dir.path);
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(dir.path + "/" + name) << text;
  }
  [[nodiscard]] std::vector<std::string> args(const std::string& report) const {
    return {"--host-root", host.root(), "--nodeslo",    dir.path + "/nodeslo.yaml",
            "--pods",      "cgroup",    "--state-dir",  dir.path,
            "--listen",    "none",      "--report",     report,
            "--interval",  "50ms",      "--kubeconfig", dir.path + "/kubeconfig",
            "--node-name", "n1"};
  }
  /// Those of what is lent; the Node's condition has patches of another kind.
  [[nodiscard]] std::vector<Asked> patches() const {
    auto asked = server.asked();
    std::erase_if(
        asked, [](const Asked& one) { return one.header("content-type") != "application/merge-patch+json"; });
    return asked;
  }
  static std::string node(const std::string& allocatable) {
    return http_answer(200, R"({"kind":"Node","status":{"allocatable":{)" + allocatable + "}}}");
  }
  template <class Condition>
  static bool within(std::chrono::seconds time, Condition condition) {
    const auto until = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < until) {
      if (condition()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(60));
    }
    return false;
  }
  FakeHost host{};
  StateDir dir{};
  ScriptedServer server{{.tls = true}};
};

TEST_F(ReportingLive, PutsOnTheNodeWhatCanBeLentAfterALook) {
  server.answers([](const Asked&, Exchange& exchange) { exchange.send(node("")); });
  LiveAgent agent(args("node-status"));
  ASSERT_TRUE(within(seconds(60), [&] { return patches().size() >= 3; }));
  const auto asked = patches();
  EXPECT_EQ(asked[0].body, "{}") << "what stands there is found out first";
  EXPECT_EQ(asked[0].header("authorization"), "Bearer abc");
  const auto put =
      std::find_if(asked.begin(), asked.end(), [](const Asked& one) { return one.body.size() > 2; });
  ASSERT_NE(put, asked.end());
  EXPECT_NE(put->body.find(R"("kubernetes.io/batch-cpu":"2400")"), std::string::npos) << put->body;
  EXPECT_EQ(put->target, "/api/v1/nodes/n1/status");
  agent.stop();
  EXPECT_EQ(agent.exit_status(), 0);
  EXPECT_EQ(patches().back().body.find("null"), std::string::npos) << "nothing is taken away at the end";
}

// An answer that is lost on its way does not make our own figures look foreign.
TEST_F(ReportingLive, KnowsItsOwnFiguresWithoutAnAnswer) {
  std::mutex mutex;
  std::string first, stands;  // members of status.allocatable
  server.answers([&](const Asked& asked, Exchange& exchange) {
    const std::lock_guard lock(mutex);
    const auto begin = asked.body.find("\"kubernetes.io/batch-cpu");
    if (begin != std::string::npos) stands = asked.body.substr(begin, asked.body.find('}') - begin);
    if (first.empty()) first = stands;
    const bool lost = begin != std::string::npos && stands == first;
    if (lost) return exchange.reset();
    exchange.send(node(stands));
  });
  LiveAgent agent(args("node-status"));
  ASSERT_TRUE(within(seconds(60), [&] {
    const std::lock_guard lock(mutex);
    return !first.empty();
  }));
  host.file("proc/meminfo", "MemTotal: 4194304 kB\nMemFree: 1 kB\nMemAvailable: 2097152 kB\n");
  EXPECT_TRUE(within(seconds(60), [&] {
    const std::lock_guard lock(mutex);
    return stands != first;
  }));
  EXPECT_TRUE(agent.logged("event=not-advertised", seconds(1))) << agent.log();
  EXPECT_FALSE(agent.logged("event=advertised-by-another", seconds(1))) << agent.log();
}

TEST_F(ReportingLive, WritesTheFile) {
  const std::string path = dir.path + "/report.json";
  LiveAgent agent(args("file:" + path));
  ASSERT_TRUE(within(seconds(60), [&] { return std::filesystem::exists(path); }));
  std::string text;
  std::getline(std::ifstream(path), text);
  EXPECT_NE(text.find("\"batch-cpu\":2400"), std::string::npos) << text;
}

TEST_F(ReportingLive, RemembersWhatItHasLearnedOverARestart) {
  const std::string path = dir.path + "/report.json";
  {
    LiveAgent agent(args("file:" + path));
    ASSERT_TRUE(within(seconds(60), [&] { return std::filesystem::exists(path); }));
    agent.stop();
  }
  EXPECT_TRUE(std::filesystem::exists(dir.path + "/prediction"));
  LiveAgent agent(args("file:" + path));
  EXPECT_TRUE(agent.logged("event=prediction-recalled models=7", seconds(60))) << agent.log();
}

}  // namespace
}  // namespace evenkeel::test
