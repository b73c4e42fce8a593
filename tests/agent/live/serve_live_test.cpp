// Tests the running program on the real kernel: its endpoint, its log, its signals.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "agent/http/http_client.h"
#include "tests/support/agents/stepped_agent.h"
#include "tests/support/health_watch.h"
#include "tests/support/live/live_agent.h"
#include "tests/support/live/live_population.h"
#include "tests/support/process.h"
#include "tests/support/restless_writers.h"
#include "tests/support/scenes/nodeslo_texts.h"
#include "tests/support/soon.h"

namespace evenkeel::test {
namespace {

using std::chrono::milliseconds;

const std::string kPauses = "evenkeel_early_tick_pauses_total", kTicks = "evenkeel_ticks_total";

class LiveService : public testing::Test {
 protected:
  void SetUp() override {
    if (!cgroups_.why_not().empty()) GTEST_SKIP() << cgroups_.why_not();
    std::filesystem::create_directories(dir_);
    configure(kCpuFeatures);
    pods_ = populate(cgroups_, 3);
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }
  void configure(const std::string& text) const {
    std::ofstream(dir_ + "/new.yaml") << text << std::flush;
    std::filesystem::rename(dir_ + "/new.yaml", dir_ + "/nodeslo.yaml");
  }
  std::vector<std::string> args(const std::string& listen = "127.0.0.1:0") const {
    return {"--cgroup-root", cgroups_.top(), "--nodeslo",   dir_ + "/nodeslo.yaml",
            "--pods",        "cgroup",       "--state-dir", dir_,
            "--listen",      listen,         "--interval",  "200ms"};
  }
  static int port_of(const LiveAgent& agent) {
    if (!agent.logged("event=listening", milliseconds(5000))) return 0;
    const std::string log = agent.log();
    const auto at = log.find("port=");
    return at == std::string::npos ? 0 : std::stoi(log.substr(at + 5));
  }
  /// A counter of the endpoint; -1: it does not answer with it.
  static int count(int port, const std::string& name) {
    return static_cast<int>(metric_at("http://127.0.0.1:" + std::to_string(port), name));
  }
  /// Of a service's container with a quota of one CPU.
  std::string burst_file() const { return cgroups_.burst_file(pods_.services[0] + "/c0"); }
  std::string burst() const { return text_of_file(burst_file()); }
  bool becomes(const std::string& value) const {
    for (int i = 0; i < 400 && burst() != value; ++i) std::this_thread::sleep_for(milliseconds(10));
    return burst() == value;
  }

  LiveCgroups cgroups_{};
  Population pods_{};
  std::string dir_ = "/tmp/evenkeel-live-" + std::to_string(::getpid());
};

TEST_F(LiveService, ServesItsEndpointAndRestoresEverything) {
  LiveAgent agent(args());
  const int port = port_of(agent);
  ASSERT_GT(port, 0) << agent.log();
  const std::string at = "http://127.0.0.1:" + std::to_string(port);
  ASSERT_TRUE(becomes("100000\n")) << agent.log();
  EXPECT_EQ(http::http_get(at + "/healthz").status, 200);
  EXPECT_EQ(http::http_get(at + "/readyz").status, 200) << http::http_get(at + "/readyz").body;
  const std::string metrics = http::http_get(at + "/metrics").body;
  EXPECT_NE(metrics.find("evenkeel_node_cpu_capacity_cores"), std::string::npos);
  EXPECT_NE(metrics.find("pod=\"bbbbbbbb-0000-0000-0000-000000000002\""), std::string::npos) << metrics;
  EXPECT_NE(http::http_get(at + "/v1/explain").body.find("cpu-burst"), std::string::npos);
  EXPECT_NE(http::http_get(at + "/v1/audit").body.find("\"kind\":\"write\""), std::string::npos);
  EXPECT_NE(http::http_get(at + "/v1/snapshot").body.find(pods_.services[0]), std::string::npos);
  EXPECT_NE(http::http_get(at + "/v1/capabilities").body.find("cpu-idle"), std::string::npos);
  EXPECT_EQ(http::http_get(at + "/etc/passwd").status, 404);
  const Ran explained = run_evenkeel({"explain", "--listen", "127.0.0.1:" + std::to_string(port)});
  EXPECT_EQ(explained.exit_status, 0) << explained.err;
  EXPECT_NE(explained.out.find("is 100000, was 0, by cpu-burst"), std::string::npos) << explained.out;
  agent.stop();
  EXPECT_EQ(agent.exit_status(), 0) << agent.log();
  EXPECT_EQ(burst(), "0\n");
}

TEST_F(LiveService, EveryScrapeHasEveryLiveSeries) {
  LiveAgent agent(args());
  const int port = port_of(agent);
  ASSERT_GT(port, 0) << agent.log();
  ASSERT_TRUE(becomes("100000\n")) << agent.log();
  for (int i = 0; i < 200; ++i) {
    const std::string text = http::http_get("http://127.0.0.1:" + std::to_string(port) + "/metrics").body;
    ASSERT_NE(text.find("evenkeel_cgroup_memory_working_set_bytes{cgroup=\"" + cgroups_.top() + "/" +
                        pods_.services[0] + "\""),
              std::string::npos)
        << "scrape " << i;
  }
}

// Events are served at once, but only as long as that takes a tenth of the time: then they wait for the tick.
TEST_F(LiveService, CgroupsThatComeAndGoWithoutEndDoNotKeepItBusy) {
  LiveAgent agent(args());
  const int port = port_of(agent);
  ASSERT_GT(port, 0) << agent.log();
  ASSERT_TRUE(becomes("100000\n")) << agent.log();
  const auto pod = std::filesystem::path(burst_file()).parent_path().parent_path();
  const auto restless = pod.parent_path() / "pod99999999-0000-0000-0000-000000000009";
  EXPECT_EQ(count(port, kPauses), 0);
  const bool paused = soon([&] {
    for (int i = 0; i < 100; ++i) {
      std::filesystem::create_directory(restless);
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      std::filesystem::remove(restless);
    }
    return count(port, kPauses) > 0;
  });
  EXPECT_TRUE(paused) << "each event has been served at once";
  configure("{}\n");
  EXPECT_TRUE(becomes("0\n")) << "and it still follows its configuration: " << agent.log();
}

TEST_F(LiveService, SettingsThatAreWrittenWithoutEndDoNotKeepItBusy) {
  LiveAgent agent(args());
  const int port = port_of(agent);
  ASSERT_GT(port, 0) << agent.log();
  ASSERT_TRUE(becomes("100000\n")) << agent.log();
  const RestlessWriters restless(
      {cgroups_.burst_file(pods_.batches[0] + "/c0"), cgroups_.burst_file(pods_.batches[0] + "/c1")});
  EXPECT_TRUE(soon([&] { return count(port, kPauses) > 0; })) << "each write has been served at once";
  const int ticks = count(port, kTicks);
  const long writes = restless.writes();
  EXPECT_TRUE(soon([&] { return count(port, kTicks) >= ticks + 10; })) << "the ticks have stopped";
  EXPECT_GT(restless.writes(), writes + 1000) << "nothing is shown";
  configure("{}\n");
  EXPECT_TRUE(becomes("0\n")) << "and it still follows its configuration: " << agent.log();
}

TEST_F(LiveService, ReloadsAConfigurationThatIsRenamedIntoPlace) {
  LiveAgent agent(args("none"));
  ASSERT_TRUE(becomes("100000\n")) << agent.log();
  configure("cpuBurstStrategi: {}\n");
  ASSERT_TRUE(agent.logged("event=input-refused", milliseconds(5000))) << agent.log();
  EXPECT_EQ(burst(), "100000\n") << "a bad file changes nothing";
  configure("{}\n");
  EXPECT_TRUE(becomes("0\n")) << agent.log();
}

TEST_F(LiveService, NamesTheProcessBehindAForeignWrite) {
  LiveAgent agent(args("none"));
  ASSERT_TRUE(becomes("100000\n")) << agent.log();
  ASSERT_EQ(std::system(("echo 0 > " + burst_file()).c_str()), 0);
  EXPECT_TRUE(agent.logged("event=yielded", milliseconds(5000)) ||
              agent.logged("event=foreign-write", milliseconds(1)))
      << agent.log();
  std::this_thread::sleep_for(milliseconds(600));
  EXPECT_EQ(burst(), "0\n") << "not fought for";
}

// A container runtime creates the directory in every hierarchy and then sets the quota: at that moment the
// agent reads the directory for the first time, or starts watching it. No tick helps here.
TEST_F(LiveService, AQuotaSetRightAfterCreationIsDetected) {
  auto seldom = args("none");
  seldom.back() = "120s";
  LiveAgent agent(seldom);
  ASSERT_TRUE(becomes("100000\n")) << agent.log();
  for (int birth = 0; birth < 40; ++birth) {
    const std::string container = pods_.services[0] + "/born" + std::to_string(birth);
    cgroups_.make(container);
    std::this_thread::sleep_for(std::chrono::microseconds(100 * birth));
    std::ofstream(cgroups_.quota_file(container)) << "50000" << std::flush;
    const auto burst = cgroups_.burst_file(container);
    ASSERT_TRUE(soon([&] { return text_of_file(burst) == "50000\n"; })) << "birth " << birth << "\n"
                                                                        << agent.log();
    cgroups_.remove(container);
  }
}

TEST_F(LiveService, ASecondAgentOnTheSameStateDirectoryIsRejected) {
  LiveAgent agent(args("none"));
  ASSERT_TRUE(becomes("100000\n")) << agent.log();
  LiveAgent second(args("none"));
  EXPECT_TRUE(second.logged("another evenkeel holds the lock", milliseconds(5000))) << second.log();
  const Ran restored = run_evenkeel({"restore", "--state-dir", dir_});
  EXPECT_EQ(restored.exit_status, 1);
  EXPECT_NE(restored.err.find("is running"), std::string::npos) << restored.err;
}

TEST_F(LiveService, RestoresACrashedAgentsWritesAtStart) {
  {
    LiveAgent agent(args("none"));
    ASSERT_TRUE(becomes("100000\n")) << agent.log();
    agent.kill();
  }
  EXPECT_EQ(burst(), "100000\n");
  configure("{}\n");
  LiveAgent agent(args("none"));
  EXPECT_TRUE(becomes("0\n")) << agent.log();
}

}  // namespace
}  // namespace evenkeel::test
