// Tests advertising lendable resources on a Node, with the answers of a Kubernetes 1.20 API server.
#include "agent/kube/node/extended_resources.h"

#include <gtest/gtest.h>

#include "tests/support/agents/http_asker.h"
#include "tests/support/fakes/http_script.h"

namespace evenkeel::test {
namespace {

using std::chrono::milliseconds;

std::string node_with(const std::string& batch_cpu) {
  return R"({"kind":"Node","apiVersion":"v1","status":{"capacity":{"cpu":"2"},"allocatable":{"cpu":"2",)"
         R"("kubernetes.io/batch-cpu":)" +
         batch_cpu + R"(,"kubernetes.io/batch-memory":"1536Mi"}}})";
}

TEST(LentBy, ReadsEveryQuantityFormatOfTheServer) {
  for (const auto& [text, amount] : std::initializer_list<std::pair<const char*, std::int64_t>>{
           {R"("1500")", 1500}, {R"("1k")", 1000}, {R"("1e3")", 1000}, {"1500", 1500}, {R"("0")", 0}}) {
    const auto lent = kube::lent_amounts_in(node_with(text));
    ASSERT_TRUE(lent) << text;
    EXPECT_EQ((*lent)[0], amount) << text;
    EXPECT_EQ((*lent)[1], std::int64_t{1536} << 20);
    EXPECT_FALSE((*lent)[2]);
  }
}

TEST(LentBy, IsAbsentForOtherObjectsOrBadAmounts) {
  for (const auto& text : {std::string(), std::string("{}"), std::string("[]"), std::string("null"),
                           node_with(R"("-5")"), node_with(R"("12x")"), node_with("{}"), node_with("[]"),
                           std::string(R"({"kind":"Status","code":404})"), node_with(R"("1")").substr(0, 80)})
    EXPECT_FALSE(kube::lent_amounts_in(text)) << text;
}

TEST(LendingPatch, ChangesNothingElse) {
  EXPECT_EQ(
      kube::lending_patch({1500, 1 << 20, std::nullopt, 0}, {}),
      R"({"status":{"capacity":{"kubernetes.io/batch-cpu":"1500","kubernetes.io/batch-memory":"1048576",)"
      R"("kubernetes.io/mid-memory":"0"},"allocatable":{"kubernetes.io/batch-cpu":"1500",)"
      R"("kubernetes.io/batch-memory":"1048576","kubernetes.io/mid-memory":"0"}}})");
  EXPECT_EQ(
      kube::lending_patch({1, std::nullopt, std::nullopt, std::nullopt}, {7, 8, std::nullopt, std::nullopt}),
      R"({"status":{"capacity":{"kubernetes.io/batch-cpu":"1","kubernetes.io/batch-memory":null},)"
      R"("allocatable":{"kubernetes.io/batch-cpu":"1","kubernetes.io/batch-memory":null}}})");
  EXPECT_EQ(kube::lending_patch({}, {}), "") << "never an empty map";
}

struct ExtendedResourcesTest : testing::Test {
  ScriptedServer server{};
  Asker asker{};
  runtime::SystemClock clock{};
  kube::KubeClient api = std::move(
      kube::KubeClient::open(asker.loop(), asker.client(), {.server = server.url()}, "api").value());
  std::vector<lending::LentAmounts> stands{};
  std::vector<std::string> failures{};
  std::size_t enough = 1;  ///< answers to wait for, good or bad
  kube::ExtendedResources reporter = spread_over(milliseconds(200));
  kube::ExtendedResources spread_over(Duration spread) {
    return std::move(kube::ExtendedResources::open(asker.loop(), api, clock, [] { return 0.5; },
                                                   {.node = "n1",
                                                    .spread = spread,
                                                    .min_interval = milliseconds(100),
                                                    .longest_wait = milliseconds(200)},
                                                   {.stands =
                                                        [this](const lending::LentAmounts& amounts) {
                                                          stands.push_back(amounts);
                                                          events();
                                                        },
                                                    .failed =
                                                        [this](const std::string& why) {
                                                          failures.push_back(why);
                                                          events();
                                                        }})
                         .value());
  }
  void events() {
    if (stands.size() + failures.size() >= enough) asker.stop();
  }
  void answers(std::string answer) {
    server.answers([answer = std::move(answer)](const Asked&, Exchange& exchange) { exchange.send(answer); });
  }
};

TEST_F(ExtendedResourcesTest, PatchesTheStatusAndReportsTheResult) {
  answers(http_answer(200, node_with(R"("1k")")));
  reporter.publish({1000, 1536 << 20, {}, {}}, {}, true);
  asker.run();
  ASSERT_EQ(server.asked().size(), 1U);
  EXPECT_EQ(server.asked()[0].method, "PATCH");
  EXPECT_EQ(server.asked()[0].target, "/api/v1/nodes/n1/status");
  EXPECT_EQ(server.asked()[0].header("content-type"), "application/merge-patch+json");
  ASSERT_EQ(stands.size(), 1U);
  EXPECT_EQ(stands[0][0], 1000);
}

TEST_F(ExtendedResourcesTest, ResyncReadsWithoutAChange) {
  answers(http_answer(200, node_with(R"("7")")));
  reporter.resync();
  asker.run();
  ASSERT_EQ(server.asked().size(), 1U);
  EXPECT_EQ(server.asked()[0].method, "PATCH");
  EXPECT_EQ(server.asked()[0].body, "{}");
  ASSERT_EQ(stands.size(), 1U);
  EXPECT_EQ(stands[0][0], 7);
}

TEST_F(ExtendedResourcesTest, OnlyTheNewestOfManyChangesIsSent) {
  answers(http_answer(200, node_with(R"("9")")));
  for (int amount = 1; amount <= 9; ++amount) reporter.publish({amount, {}, {}, {}}, {}, false);
  asker.run();
  ASSERT_EQ(server.asked().size(), 1U);
  EXPECT_NE(server.asked()[0].body.find("\"9\""), std::string::npos) << server.asked()[0].body;
}

TEST_F(ExtendedResourcesTest, AnUrgentPatchReplacesAWaitingOne) {
  answers(http_answer(200, node_with(R"("1")")));
  reporter = spread_over(std::chrono::hours(1));
  reporter.publish({9, {}, {}, {}}, {}, false);
  reporter.publish({1, {}, {}, {}}, {}, true);
  asker.run();  // must not wait the hour
  ASSERT_EQ(server.asked().size(), 1U);
  EXPECT_NE(server.asked()[0].body.find("\"1\""), std::string::npos);
}

TEST_F(ExtendedResourcesTest, AFailedPatchIsRetriedUntilANewerOneComes) {
  enough = 2;
  server.answers([this](const Asked&, Exchange& exchange) {
    const bool first = server.asked().size() == 1;
    exchange.send(first ? http_answer(503, "busy") : http_answer(200, node_with(R"("5")")));
  });
  reporter.publish({5, {}, {}, {}}, {}, true);
  asker.run();
  EXPECT_EQ(failures, std::vector<std::string>{"503 busy"});
  ASSERT_EQ(stands.size(), 1U);
  EXPECT_EQ(server.asked().size(), 2U);
  EXPECT_EQ(server.asked()[0].body, server.asked()[1].body);
}

TEST_F(ExtendedResourcesTest, AnAnswerThatIsNotANodeIsAFailure) {
  answers(http_answer(200, "<html>a proxy's page</html>"));
  reporter.publish({5, {}, {}, {}}, {}, true);
  asker.run();
  EXPECT_EQ(failures, std::vector<std::string>{"the answer is not a Node"});
}

TEST_F(ExtendedResourcesTest, PausedItSendsNothing) {
  reporter.publish({5, {}, {}, {}}, {}, false);
  reporter.pause();
  const auto later = asker.loop().timer([this] { asker.stop(); });
  later->arm(milliseconds(300));
  asker.run();
  EXPECT_TRUE(server.asked().empty());
}

}  // namespace
}  // namespace evenkeel::test
