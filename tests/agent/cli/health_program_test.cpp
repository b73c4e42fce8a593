// Tests `evenkeel health` against the real program, and how a command asks the running agent.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <chrono>

#include "agent/cli/ask.h"
#include "tests/support/agents/endpoint_program.h"
#include "tests/support/agents/stepped_agent.h"
#include "tests/support/fakes/served.h"

namespace evenkeel::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(HealthProgram, AsksAnAgentWithoutAPort) {
  SocketProgram on;
  ASSERT_TRUE(on.is_ready()) << on.agent.log();
  const Ran healthy = run_evenkeel({"health", "--listen", on.listen});
  EXPECT_EQ(healthy.exit_status, 0) << healthy.err;
  EXPECT_TRUE(healthy.out.starts_with("ok: ")) << healthy.out;
  const Ran ready = run_evenkeel({"health", "--ready", "--listen", on.listen});
  EXPECT_EQ(ready.exit_status, 0) << ready.err;
  EXPECT_TRUE(ready.out.starts_with("ready\n")) << ready.out;
  on.agent.kill();
  const Ran dead = run_evenkeel({"health", "--listen", on.listen});
  EXPECT_EQ(dead.exit_status, 1);
  EXPECT_EQ(dead.out, "");
  EXPECT_TRUE(dead.err.starts_with("evenkeel: no running agent gives the page: " + on.listen)) << dead.err;
  EXPECT_EQ(run_evenkeel({"health", "--listen", "nowhere"}).exit_status, 2);
}

TEST(HealthProgram, GivesTheReasonOnceAndPrintable) {
  const auto sick = [](const http::HttpRequest& request) {
    return http::HttpAnswer{503, "text/plain", "not " + request.path + "\npods: \x1b[2Junknown\n"};
  };
  const Served first({}, sick), second;
  const auto listen = first.address() + "," + second.address();
  const Ran healthy = run_evenkeel({"health", "--listen", listen});
  EXPECT_EQ(healthy.exit_status, 1) << "an answer is the answer: no other address is asked";
  EXPECT_EQ(healthy.err, "not /healthz\npods: \\u001b[2Junknown\n");
  EXPECT_EQ(run_evenkeel({"health", "--ready", "--listen", listen}).err,
            "not /readyz\npods: \\u001b[2Junknown\n");
}

/// Accepts connections, and no more.
struct Hanging {
  Hanging() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(fd.get(), 8), 0);
    EXPECT_EQ(::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
    port = ntohs(address.sin_port);
  }
  Fd fd{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  int port = 0;
};

TEST(Ask, HasOneDeadlineForAllAddresses) {
  const Hanging hanging;
  const std::vector<http::ListenAddress> twice(
      2, http::ListenAddress{.host = "127.0.0.1", .port = hanging.port});
  const auto from = std::chrono::steady_clock::now();
  const auto answer = cli::ask(twice, "/healthz", milliseconds(300));
  EXPECT_LT(std::chrono::steady_clock::now() - from, seconds(3));
  EXPECT_EQ(answer.status, 0);
  EXPECT_NE(answer.failures.find("not asked, the time is up"), std::string::npos) << answer.failures;
}

}  // namespace
}  // namespace evenkeel::test
