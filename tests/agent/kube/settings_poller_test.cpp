// Tests asking the kubelet for its configuration, which it may refuse.
#include "agent/kube/settings_poller.h"

#include <gtest/gtest.h>

#include "tests/support/agents/http_asker.h"
#include "tests/support/fakes/http_script.h"

namespace evenkeel::test {
namespace {

struct SettingsPollerTest : testing::Test {
  ScriptedServer server{};
  Asker asker{};
  runtime::SystemClock clock{};
  kube::KubeClient kubelet = std::move(
      kube::KubeClient::open(asker.loop(), asker.client(), {.server = server.url()}, "kubelet").value());
  std::vector<std::string> failures{};
  std::optional<kube::SettingsPoller> poller{};

  void run(const std::string& answer) {
    server.answers([answer](const Asked&, Exchange& exchange) { exchange.send(answer); });
    poller.emplace(std::move(kube::SettingsPoller::open(
                                 asker.loop(), kubelet, clock, [] { return 0.5; },
                                 [this](const std::string& why) { failures.push_back(why); })
                                 .value()));
    EXPECT_FALSE(poller->answered());
    const auto done = asker.loop().timer([this] { asker.stop(); });
    do {
      done->arm(std::chrono::milliseconds(20));
      asker.run();
    } while (!poller->answered());
  }
};

TEST_F(SettingsPollerTest, KnowsWhatTheKubeletSays) {
  run(http_answer(200, R"({"kubeletconfig":{"kubeReserved":{"cpu":"1"}}})"));
  ASSERT_NE(poller->settings(), nullptr);
  EXPECT_EQ(poller->settings()->reserved_cpu, MilliCpu(1000));
  EXPECT_EQ(server.asked().front().target, "/configz");
  EXPECT_TRUE(failures.empty());
}

TEST_F(SettingsPollerTest, AnAnswerThatSaysNothingIsOneToo) {
  run(http_answer(403, R"({"kind":"Status","message":"may not get nodes/configz"})"));
  EXPECT_EQ(poller->settings(), nullptr);
  EXPECT_EQ(failures, std::vector<std::string>{"403 may not get nodes/configz"});
}

}  // namespace
}  // namespace evenkeel::test
