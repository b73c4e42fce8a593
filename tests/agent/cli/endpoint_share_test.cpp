// Tests how much of the agent's time clients may take who ask without end.
#include <gtest/gtest.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <vector>

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

/// The endpoint of an agent that has had a tick.
class EndpointShare : public testing::Test {
 protected:
  void SetUp() override {
    node_.lists({});
    node_.start();
    ASSERT_TRUE(node_.until([this] { return node_.ticks() > 0; })) << node_.log();
    endpoint_.emplace(cli::EndpointAddresses{}, std::vector<std::string>{},
                      cli::Endpoint::Parts{node_.agent(), clock_, log_});
  }

  http::HttpAnswer answer(const char* path, http::Caller caller = http::Caller::loopback) {
    return endpoint_->answer({.path = path, .caller = caller});
  }

  KubeletNode node_;
  SlowClock clock_;
  runtime::Log log_{STDERR_FILENO, runtime::LogFormat::text, runtime::LogLevel::error, nullptr};
  std::optional<cli::Endpoint> endpoint_;
};

TEST_F(EndpointShare, PagesTakeHalfASecondOfATickAndProbesAreAnsweredAllTheSame) {
  const auto status = [&](const char* path, http::Caller caller = http::Caller::loopback) {
    return answer(path, caller).status;
  };
  for (int i = 0; i < 3; ++i) EXPECT_EQ(status("/metrics"), 200) << i;
  EXPECT_EQ(status("/metrics"), 503);
  EXPECT_EQ(status("/v1/explain", http::Caller::socket), 503);
  EXPECT_EQ(status("/v1/explain", http::Caller::root), 200);
  for (int i = 0; i < 9; ++i) EXPECT_EQ(status("/healthz"), 200) << i;
  EXPECT_NE(answer("/readyz").body.find("pods: "), std::string::npos);
  endpoint_->renew();
  EXPECT_EQ(status("/metrics"), 200);
}

TEST_F(EndpointShare, AReadyPageThatIsAskedForWithoutEndIsMadeOnceInATick) {
  std::string page;
  const auto took = [&](http::Caller caller) {
    const MonoTime from = clock_.now();
    page = answer("/readyz", caller).body;
    return clock_.now() - from;
  };
  const Duration made = took(http::Caller::loopback);
  const std::string first = page;
  EXPECT_NE(first.find("pods: "), std::string::npos);
  EXPECT_LT(took(http::Caller::loopback), made);
  EXPECT_EQ(page, first);
  EXPECT_EQ(took(http::Caller::network), made) << "who may see another page";
  EXPECT_LT(took(http::Caller::network), made);
  endpoint_->renew();
  EXPECT_EQ(took(http::Caller::loopback), made);
}

}  // namespace
}  // namespace evenkeel::test
