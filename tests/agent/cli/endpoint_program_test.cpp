// Tests the program's endpoint where something is in its way: a taken port, clients that misbehave, a
// standard error that takes nothing.
#include "tests/support/agents/endpoint_program.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <array>
#include <list>

#include "agent/http/http_client.h"
#include "tests/support/agents/health_prober.h"
#include "tests/support/agents/stepped_agent.h"
#include "tests/support/fakes/raw_client.h"
#include "tests/support/fakes/served.h"
#include "tests/support/process.h"
#include "tests/support/soon.h"

namespace evenkeel::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(EndpointProgram, RunsWithoutItsPortUntilThatIsFree) {
  const EndpointProgram program;
  auto other = std::make_unique<Served>();
  const std::string port = std::to_string(other->port());
  LiveAgent agent(program.args("127.0.0.1:" + port));
  ASSERT_TRUE(agent.logged("event=cannot-listen", seconds(10))) << agent.log();
  EXPECT_NE(agent.log().find("cannot listen on 127.0.0.1:" + port + ": Address already in use"),
            std::string::npos)
      << agent.log();
  std::this_thread::sleep_for(milliseconds(2500));
  EXPECT_TRUE(agent.alive()) << agent.log();
  const auto first = agent.log().find("event=cannot-listen");
  EXPECT_EQ(agent.log().find("event=cannot-listen", first + 1), std::string::npos) << "it is said once";
  other.reset();
  ASSERT_TRUE(agent.logged("event=listening", seconds(20))) << agent.log();
  const std::string url = "http://127.0.0.1:" + port;
  EXPECT_TRUE(soon([&] { return http::http_get(url + "/healthz").status == 200; }));
  EXPECT_NE(http::http_get(url + "/readyz").body.find("endpoint: 127.0.0.1:" + port + ": ok\n"),
            std::string::npos);
  EXPECT_NE(http::http_get(url + "/metrics")
                .body.find("evenkeel_endpoint_listening{address=\"127.0.0.1:" + port + "\"} 1\n"),
            std::string::npos);
  agent.stop();
  EXPECT_EQ(agent.exit_status(), 0) << agent.log();
}

TEST(EndpointProgram, RejectsAnAddressThatStrangersReach) {
  const EndpointProgram program;
  for (const char* listen : {"0.0.0.0:0", "127.0.0.1:0,10.0.0.1:0", "127.0.0.1:0,", "nowhere"}) {
    auto args = program.args(listen);
    args.insert(args.begin(), "run");
    const Ran ran = run_evenkeel(args);
    EXPECT_EQ(ran.exit_status, 2) << listen;
    EXPECT_NE(ran.err.find("evenkeel: --listen: found "), std::string::npos) << ran.err;
  }
}

/// The program with a pipe as its standard error that is full and that nobody reads.
class Muted {
 public:
  explicit Muted(std::vector<std::string> args) {
    EXPECT_EQ(::pipe2(pipe_.data(), O_CLOEXEC), 0);
    ::fcntl(pipe_[1], F_SETFL, O_NONBLOCK);
    while (::write(pipe_[1], "x", 1) == 1) continue;
    ::fcntl(pipe_[1], F_SETFL, 0);
    const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
    args.insert(args.begin(), "run");
    pid_ = start_evenkeel(args, null.get(), null.get(), pipe_[1]);
  }
  ~Muted() { stop(); }
  Muted(const Muted&) = delete;
  Muted& operator=(const Muted&) = delete;
  int stop() {
    if (pid_ <= 0) return -1;
    ::kill(pid_, SIGTERM);
    for (const int end : pipe_) ::close(end);
    const int status = wait_for_exit(pid_);
    pid_ = -1;
    return status;
  }

 private:
  std::array<int, 2> pipe_{};
  pid_t pid_ = -1;
};

struct NodeSize {
  const char* name;
  int more_pods;
  const char* interval;
};
class LiveEndpoint : public testing::TestWithParam<NodeSize> {};
INSTANTIATE_TEST_SUITE_P(Live, LiveEndpoint,
                         testing::Values(NodeSize{"hasty", 0, "50ms"}, NodeSize{"full", 109, "1s"}),
                         [](const auto& node) { return node.param.name; });

/// No test of the kernel, but of time: it runs alone.
TEST_P(LiveEndpoint, AnswersHealthInTimeWhateverOtherClientsDo) {
  EndpointProgram program;
  program.populate(GetParam().more_pods);
  auto scout = std::make_unique<Served>();
  const int port = scout->port();
  scout.reset();
  Muted agent(program.args("127.0.0.1:" + std::to_string(port), GetParam().interval));
  ASSERT_TRUE(soon([&] { return RawClient(port).connected(); }));
  const std::string healthz = "http://127.0.0.1:" + std::to_string(port) + "/healthz";
  ASSERT_TRUE(soon([&] { return http::http_get(healthz).status == 200; }));
  HealthProber prober(port);
  // A server without other clients, beside it: how long a probe takes on this machine in any case.
  const Served idle;
  HealthProber control(idle.port());
  std::list<RawClient> drips;
  int aborted = 0;
  const auto end = std::chrono::steady_clock::now() + seconds(6);
  while (std::chrono::steady_clock::now() < end || aborted < 1500) {
    while (drips.size() < 80) (void)drips.emplace_back(port).send("GET / HTTP/1.1\r\nX: ");
    std::erase_if(drips, [](const RawClient& one) { return !one.send("x"); });
    for (int i = 0; i < 20; ++i, ++aborted) {
      RawClient one(port);
      (void)one.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n");
      one.abort();
    }
    prober.probe();
    control.probe();
    std::this_thread::sleep_for(milliseconds(10));
  }
  std::printf("%d pods, 80 dripping clients, %d aborted ones: the slowest of %d probes took %.1f ms, ",
              1 + GetParam().more_pods, aborted, prober.probes(), prober.slowest_ms());
  std::printf("of an idle server %.1f ms\n", control.slowest_ms());
  EXPECT_EQ(prober.failed(), 0);
  EXPECT_EQ(agent.stop(), 0);
  if (prober.slowest_ms() >= 100 && control.slowest_ms() >= 50)
    GTEST_SKIP() << "this machine is too busy to measure";
  EXPECT_LT(prober.slowest_ms(), 100);
}

}  // namespace
}  // namespace evenkeel::test
