// Tests the reporters' common patching: when a patch is sent, with which body, and how a failed one is
// retried.
#include "agent/kube/node/patcher.h"

#include <gtest/gtest.h>

#include "tests/support/agents/http_asker.h"
#include "tests/support/fakes/http_script.h"

namespace evenkeel::test {
namespace {

using std::chrono::milliseconds;

struct PatcherTest : testing::Test {
  ScriptedServer server{};
  Asker asker{};
  runtime::SystemClock clock{};
  kube::KubeClient api = std::move(
      kube::KubeClient::open(asker.loop(), asker.client(), {.server = server.url()}, "api").value());
  std::vector<int> statuses{};
  std::size_t enough = 1;  ///< answers to wait for
  kube::Patcher patcher = std::move(kube::Patcher::open(
                                        asker.loop(), api, clock, [] { return 0.5; },
                                        {.path = "/o",
                                         .spread = milliseconds(20),
                                         .min_interval = milliseconds(20),
                                         .longest_wait = milliseconds(50)},
                                        [this](const http::HttpReply& reply) {
                                          statuses.push_back(reply.status);
                                          if (statuses.size() >= enough) asker.stop();
                                          return reply.ok();
                                        })
                                        .value());
  int made = 0;
  kube::Patcher::Body numbered() {
    return [this] { return "{\"n\":" + std::to_string(++made) + "}"; };
  }
  void answers(std::vector<int> codes) {
    server.answers([this, codes = std::move(codes)](const Asked&, Exchange& exchange) {
      exchange.send(http_answer(codes.at(std::min(server.asked().size(), codes.size()) - 1), "{}"));
    });
  }
};

TEST_F(PatcherTest, ABodyIsRebuiltForEveryTry) {
  answers({503, 409, 200});
  enough = 3;
  patcher.publish(numbered(), true);
  asker.run();
  ASSERT_EQ(server.asked().size(), 3U);
  EXPECT_EQ(server.asked()[0].body, "{\"n\":1}");
  EXPECT_EQ(server.asked()[2].body, "{\"n\":3}") << "what is known by then";
  EXPECT_EQ(statuses, (std::vector<int>{503, 409, 200}));
}

TEST_F(PatcherTest, AnEmptyBodyIsNotSentAndBlocksNothing) {
  patcher.publish([] { return std::string(); }, true);
  const auto later = asker.loop().timer([this] { patcher.publish(numbered(), true); });
  later->arm(milliseconds(100));
  asker.run();
  ASSERT_EQ(server.asked().size(), 1U);
  EXPECT_EQ(server.asked()[0].body, "{\"n\":1}");
}

TEST_F(PatcherTest, AFailedReadIsRetriedBeforeAnyWrite) {
  answers({404, 200, 200});
  enough = 3;
  patcher.resync();
  patcher.publish(numbered(), true);
  asker.run();
  ASSERT_EQ(server.asked().size(), 3U);
  EXPECT_EQ(server.asked()[0].body, "{}");
  EXPECT_EQ(server.asked()[1].body, "{}");
  EXPECT_EQ(server.asked()[2].body, "{\"n\":1}");
}

}  // namespace
}  // namespace evenkeel::test
