// Tests how much of the agent's time clients may take who ask without end.
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "agent/cli/endpoint.h"
#include "tests/support/agents/kubelet_node.h"

namespace evenkeel::test {
namespace {

/// Each page takes 200 ms.
class SlowClock : public runtime::Clock {
 public:
  [[nodiscard]] MonoTime now() const override { return now_ += std::chrono::milliseconds(200); }

 private:
  mutable MonoTime now_{};
};

TEST(EndpointShare, PagesTakeHalfASecondOfATickAndProbesAreAnsweredAllTheSame) {
  KubeletNode node;
  node.lists({});
  node.start();
  ASSERT_TRUE(node.until([&] { return node.ticks() > 0; })) << node.log();
  const SlowClock clock;
  runtime::Log log(STDERR_FILENO, runtime::LogFormat::text, runtime::LogLevel::error, nullptr);
  cli::Endpoint endpoint({}, {}, {node.agent(), clock, log});
  const auto status = [&](const char* path, http::Caller caller = http::Caller::loopback) {
    return endpoint.answer({.path = path, .caller = caller}).status;
  };
  for (int i = 0; i < 3; ++i) EXPECT_EQ(status("/metrics"), 200) << i;
  EXPECT_EQ(status("/metrics"), 503);
  EXPECT_EQ(status("/v1/explain", http::Caller::socket), 503);
  EXPECT_EQ(status("/v1/explain", http::Caller::root), 200);
  for (int i = 0; i < 9; ++i) EXPECT_EQ(status("/healthz"), 200) << i;
  EXPECT_NE(endpoint.answer({.path = "/readyz"}).body.find("pods: "), std::string::npos);
  endpoint.renew();
  EXPECT_EQ(status("/metrics"), 200);
}

TEST(EndpointShare, AReadyPageThatIsAskedForWithoutEndIsMadeOnceInATick) {
  KubeletNode node;
  node.lists({});
  node.start();
  ASSERT_TRUE(node.until([&] { return node.ticks() > 0; })) << node.log();
  const SlowClock clock;
  runtime::Log log(STDERR_FILENO, runtime::LogFormat::text, runtime::LogLevel::error, nullptr);
  cli::Endpoint endpoint({}, {}, {node.agent(), clock, log});
  std::string page;
  const auto took = [&](http::Caller caller) {
    const MonoTime from = clock.now();
    page = endpoint.answer({.path = "/readyz", .caller = caller}).body;
    return clock.now() - from;
  };
  const Duration made = took(http::Caller::loopback);
  const std::string first = page;
  EXPECT_NE(first.find("pods: "), std::string::npos);
  EXPECT_LT(took(http::Caller::loopback), made);
  EXPECT_EQ(page, first);
  EXPECT_EQ(took(http::Caller::network), made) << "who may see another page";
  EXPECT_LT(took(http::Caller::network), made);
  endpoint.renew();
  EXPECT_EQ(took(http::Caller::loopback), made);
}

}  // namespace
}  // namespace evenkeel::test
