// Tests the program's unix socket, and who sees which pages.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "agent/api/pages.h"
#include "agent/cli/endpoint.h"
#include "agent/http/http_client.h"
#include "tests/support/agents/endpoint_program.h"
#include "tests/support/agents/stepped_agent.h"
#include "tests/support/soon.h"

namespace evenkeel::test {
namespace {

using std::chrono::seconds;

constexpr const char* kDetails[] = {"/v1/snapshot",     "/v1/explain",    "/v1/audit",
                                    "/v1/interference", "/v1/objectives", "/v1/proof"};
constexpr const char* kOpen[] = {"/", "/metrics", "/healthz", "/readyz", "/v1/capabilities"};

/// Both kinds of addresses, and what is asked of them.
struct Both {
  EndpointProgram program{};
  std::string socket = program.at("evenkeel.sock");

  [[nodiscard]] std::vector<std::string> args(const std::string& details) const {
    auto all = program.args("127.0.0.1:0,unix:" + socket);
    all.insert(all.end(), {"--listen-details", details});
    return all;
  }
  /// False: it does not serve both.
  static bool serves(const LiveAgent& agent) {
    return agent.logged("address=unix:", seconds(10)) && agent.logged("address=127.0.0.1", seconds(10)) &&
           agent.logged("event=started", seconds(10));
  }
  static std::string url(const LiveAgent& agent) {
    return "http://127.0.0.1:" + std::to_string(EndpointProgram::port_of(agent));
  }
  [[nodiscard]] int by_socket(const std::string& page) const {
    return http::http_get("http://localhost" + page, socket).status;
  }
};

TEST(EndpointSocket, ServesAllWhileThePortIsForMetricsAndHealth) {
  const Both both;
  LiveAgent agent(both.args("auto"));
  ASSERT_TRUE(Both::serves(agent)) << agent.log();
  ASSERT_TRUE(soon([&] { return both.by_socket("/readyz") == 200; }));
  struct stat socket {};
  ASSERT_EQ(::stat(both.socket.c_str(), &socket), 0);
  EXPECT_EQ(socket.st_mode, static_cast<mode_t>(S_IFSOCK | 0660));
  const auto url = Both::url(agent);
  for (const char* page : kOpen) {
    EXPECT_EQ(http::http_get(url + page).status, 200) << page;
    EXPECT_EQ(both.by_socket(page), 200) << page;
  }
  for (const char* page : kDetails) {
    const auto refused = http::http_get(url + page);
    EXPECT_EQ(refused.status, 403) << page;
    EXPECT_NE(refused.body.find("--unix-socket"), std::string::npos) << refused.body;
    EXPECT_EQ(both.by_socket(page), 200) << page;
  }
  agent.stop();
  EXPECT_EQ(agent.exit_status(), 0) << agent.log();
  EXPECT_FALSE(std::filesystem::exists(both.socket));
}

TEST(EndpointSocket, TheSnapshotHasTheWholeCpuLimit) {
  const Both both;
  LiveAgent agent(both.args("auto"));
  ASSERT_TRUE(Both::serves(agent)) << agent.log();
  EXPECT_TRUE(soon([&] {
    return http::http_get("http://localhost/v1/snapshot", both.socket)
               .body.find(R"("cpu_quota_us":"unlimited","cpu_period_us":100000,)") != std::string::npos;
  }));
}

TEST(EndpointSocket, ALoopbackPortShowsDetailsWhereItIsAllowed) {
  const Both both;
  LiveAgent agent(both.args("loopback"));
  ASSERT_TRUE(Both::serves(agent)) << agent.log();
  for (const char* page : kDetails) EXPECT_EQ(http::http_get(Both::url(agent) + page).status, 200) << page;
}

TEST(EndpointSocket, WithoutListenTheDefaultSocketHasTheDetailsAndCommandsFindIt) {
  const std::string directory = "/run/evenkeel", socket = directory + "/evenkeel.sock";
  if (::geteuid() != 0) GTEST_SKIP() << "only root may make " << directory;
  if (std::filesystem::exists(directory)) GTEST_SKIP() << directory << " is there, of an agent that runs";
  const EndpointProgram program;
  auto args = program.args({});
  const auto listen = std::ranges::find(args, "--listen");
  args.erase(listen, listen + 2);
  LiveAgent agent(args);
  ASSERT_TRUE(soon([&] { return http::http_get("http://localhost/readyz", socket).status == 200; }))
      << agent.log();
  const Ran asked = run_evenkeel({"explain"});
  EXPECT_EQ(asked.exit_status, 0) << asked.err;
  EXPECT_NE(asked.out.find("nodeslo: "), std::string::npos) << asked.out;
  if (agent.logged("address=127.0.0.1", seconds(0))) {
    EXPECT_EQ(http::http_get("http://127.0.0.1:9319/metrics").status, 200) << agent.log();
    EXPECT_EQ(http::http_get("http://127.0.0.1:9319/v1/explain").status, 403) << agent.log();
  }
  agent.stop();
  EXPECT_EQ(agent.exit_status(), 0) << agent.log();
  EXPECT_FALSE(std::filesystem::exists(directory)) << "it made that";
}

TEST(EndpointSocket, APortAloneShowsThemUnlessTheyAreForTheSocket) {
  const EndpointProgram program;
  {
    LiveAgent agent(program.args("127.0.0.1:0"));
    const auto url = Both::url(agent);
    EXPECT_EQ(http::http_get(url + "/v1/explain").status, 200) << agent.log();
    agent.stop();
  }
  auto strict = program.args("127.0.0.1:0");
  strict.insert(strict.end(), {"--listen-details", "socket"});
  LiveAgent agent(strict);
  EXPECT_EQ(http::http_get(Both::url(agent) + "/v1/explain").status, 403) << agent.log();
}

TEST(EndpointSocket, ExplainTakesTheFirstAddressThatAnswers) {
  const Both both;
  LiveAgent agent(both.args("auto"));
  ASSERT_TRUE(Both::serves(agent)) << agent.log();
  const std::string port = "127.0.0.1:" + std::to_string(EndpointProgram::port_of(agent));
  for (const auto& listen : {"unix:" + both.socket, port + ",unix:" + both.socket}) {
    const Ran ran = run_evenkeel({"explain", "--listen", listen});
    EXPECT_EQ(ran.exit_status, 0) << ran.err;
    EXPECT_NE(ran.out.find("nodeslo: "), std::string::npos) << ran.out;
  }
  const Ran odd = run_evenkeel({"explain", "a b&c/d%", "--listen", "unix:" + both.socket});
  EXPECT_EQ(odd.exit_status, 1) << odd.err;
  EXPECT_TRUE(odd.out.ends_with("cannot say whether this node has the pod a b&c/d%\n")) << odd.out;
  const Ran proof = run_evenkeel({"proof", "--listen", "unix:" + both.socket});
  EXPECT_EQ(proof.exit_status, 0) << proof.err;
  const Ran refused = run_evenkeel({"explain", "--listen", "unix:/nowhere," + port});
  EXPECT_EQ(refused.exit_status, 1);
  EXPECT_NE(refused.err.find("unix:/nowhere: "), std::string::npos) << refused.err;
  EXPECT_NE(refused.err.find(port + ": this page shows details of pods"), std::string::npos) << refused.err;
}

TEST(EndpointSocket, OfAKilledAgentIsReplacedAndOfALivingOneKept) {
  const Both both;
  {
    LiveAgent agent(both.args("auto"));
    ASSERT_TRUE(Both::serves(agent)) << agent.log();
    agent.kill();
  }
  ASSERT_TRUE(std::filesystem::exists(both.socket));
  LiveAgent agent(both.args("auto"));
  ASSERT_TRUE(Both::serves(agent)) << agent.log();
  const EndpointProgram elsewhere;
  LiveAgent second(elsewhere.args("unix:" + both.socket));
  ASSERT_TRUE(second.logged("event=cannot-listen", seconds(10))) << second.log();
  EXPECT_NE(second.log().find("another process serves it"), std::string::npos) << second.log();
  second.stop();
  EXPECT_EQ(both.by_socket("/healthz"), 200) << "the second one did not remove it";
}

/// Probing tries levers of the kernel: a stranger gets what was found at the start, also the first one who
/// asks.
TEST(EndpointSocket, OnlyRootHasTheKernelProbedAgain) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root is root";
  Both both;
  LiveAgent agent(both.args("auto"));
  ASSERT_TRUE(Both::serves(agent)) << agent.log();
  const auto port = Both::url(agent) + "/v1/capabilities";
  const auto finds = [&](const http::HttpGetResult& got) {
    EXPECT_EQ(got.status, 200) << got.error;
    return got.body.find("BPF scheduler newcomer") != std::string::npos;
  };
  ASSERT_TRUE(soon([&] { return http::http_get(Both::url(agent) + "/healthz").status == 200; }));
  both.program.host.file("sys/kernel/sched_ext/state", "enabled\n");
  both.program.host.file("sys/kernel/sched_ext/root/ops", "newcomer\n");
  EXPECT_FALSE(finds(http::http_get(port))) << "it was probed for a stranger";
  EXPECT_TRUE(finds(http::http_get("http://localhost/v1/capabilities", both.socket)));
  EXPECT_TRUE(finds(http::http_get(port)));
}

TEST(EndpointSocket, AFileThatIsNoSocketIsKept) {
  const Both both;
  std::ofstream(both.socket) << "precious";
  LiveAgent agent(both.args("auto"));
  ASSERT_TRUE(agent.logged("event=cannot-listen", seconds(10))) << agent.log();
  EXPECT_TRUE(std::filesystem::is_regular_file(both.socket));
  EXPECT_NE(agent.log().find("a file that is not a socket is there"), std::string::npos) << agent.log();
  const auto ready = http::http_get(Both::url(agent) + "/readyz").body;
  EXPECT_NE(ready.find("endpoint: unix:" + both.socket + ": cannot listen"), std::string::npos) << ready;
}

TEST(ListenFlag, NamesAddressesAndWhoSeesDetails) {
  cli::Flags flags;
  const auto least = [&](const char* listen, const char* details) {
    flags.listen = listen;
    flags.listen_details = details;
    const auto parsed = cli::endpoint_addresses(flags);
    EXPECT_EQ(parsed.error, "") << listen;
    return parsed.details.least;
  };
  using http::Caller;
  EXPECT_EQ(least("127.0.0.1:1", "auto"), Caller::socket) << "not given: the default socket is beside it";
  flags.listen_given = true;
  EXPECT_EQ(least("127.0.0.1:1", "auto"), Caller::loopback);
  EXPECT_EQ(least("127.0.0.1:1,unix:/a", "auto"), Caller::socket);
  EXPECT_EQ(least("127.0.0.1:1,unix:/a", "loopback"), Caller::loopback);
  EXPECT_EQ(least("127.0.0.1:1", "socket"), Caller::socket);
  EXPECT_EQ(least("127.0.0.1:1", "all"), Caller::network);
  flags.insecure_listen = true;
  EXPECT_EQ(least("10.0.0.1:1", "auto"), Caller::loopback) << "the network sees no details";
  for (const char* bad : {"unix:", "unix:relative", "unix:/a,", ",unix:/a"}) {
    flags.listen = bad;
    EXPECT_NE(cli::endpoint_addresses(flags).error, "") << bad;
  }
  flags.listen = "unix:/" + std::string(120, 'x');
  EXPECT_NE(cli::endpoint_addresses(flags).error, "") << "longer than the kernel takes";
}

}  // namespace
}  // namespace evenkeel::test
