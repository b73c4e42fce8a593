// Tests repeated usage reports to an API server that has NodeMetrics, or has not.
#include "agent/kube/node/node_metric_reporter.h"

#include <gtest/gtest.h>

#include "tests/support/agents/http_asker.h"
#include "tests/support/fakes/api_server.h"
#include "tests/support/fakes/http_script.h"

namespace evenkeel::test {
namespace {

using std::chrono::milliseconds;

constexpr const char* kObject = R"({"kind":"NodeMetric","metadata":{"name":"n1"},"spec":{}})";

struct NodeMetricReporterTest : testing::Test {
  ScriptedServer server{};
  Asker asker{};
  runtime::SystemClock clock{};
  kube::KubeClient api = std::move(
      kube::KubeClient::open(asker.loop(), asker.client(), {.server = server.url()}, "api").value());
  Duration interval{milliseconds(40)};
  std::string status = R"({"status":{}})";
  int made = 0;
  std::vector<std::string> objects{};
  std::vector<record::ReportState> events{};
  std::function<bool()> enough = [this] { return !events.empty(); };
  std::optional<kube::NodeMetricReporter> reporter{};

  void begin() {
    reporter.emplace(
        std::move(kube::NodeMetricReporter::open(
                      asker.loop(), api, clock, [] { return 0.5; },
                      {.node = "n1", .min_interval = milliseconds(10), .longest_wait = milliseconds(50)},
                      {.status =
                           [this] {
                             ++made;
                             return status;
                           },
                       .interval = [this] { return interval; },
                       .stands =
                           [this](const std::string& object) {
                             objects.push_back(object);
                             return object == kObject;
                           },
                       .on_change =
                           [this](const record::ReportState& state) {
                             events.push_back(state);
                             if (enough()) asker.stop();
                           }})
                      .value()));
  }
  void answers(std::string answer) {
    server.answers([answer = std::move(answer)](const Asked&, Exchange& exchange) { exchange.send(answer); });
  }
  std::string trouble_with(std::string answer) {
    answers(std::move(answer));
    begin();
    asker.run();
    return events.front().last_error;
  }
};

TEST_F(NodeMetricReporterTest, ReadsTheObjectFirstAndThenReportsAtIntervals) {
  answers(http_answer(200, kObject));
  enough = [this] { return events.back().accepted >= 3; };
  begin();
  asker.run();
  const auto asked = server.asked();
  ASSERT_GE(asked.size(), 4U);
  EXPECT_EQ(asked[0].body, "{}") << "how does the object want to be told?";
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(asked[i].method, "PATCH");
    EXPECT_EQ(asked[i].target, "/apis/slo.koordinator.sh/v1alpha1/nodemetrics/n1/status");
    EXPECT_EQ(asked[i].header("content-type"), "application/merge-patch+json");
    EXPECT_EQ(asked[i].body, i == 0 ? "{}" : status);
  }
  EXPECT_EQ(events.front().accepted, 0U) << "a look is no report";
  EXPECT_EQ(reporter->state().failures, 0U);
  EXPECT_TRUE(reporter->state().last_accepted);
  EXPECT_EQ(objects.front(), kObject);
}

TEST_F(NodeMetricReporterTest, AShorterIntervalTakesEffectAtOnce) {
  answers(http_answer(200, kObject));
  interval = std::chrono::hours(1);
  enough = [this] {
    interval = milliseconds(20);  // as if set by the first answer
    return events.back().accepted >= 2;
  };
  begin();
  asker.run();  // must not wait the hour
  EXPECT_GE(reporter->state().accepted, 2U);
}

TEST_F(NodeMetricReporterTest, NothingIsSentWhileUsageIsUnknown) {
  answers(http_answer(200, kObject));
  status.clear();
  enough = [this] {
    if (events.back().failures >= 2) status = R"({"status":{}})";
    return events.back().accepted > 0;
  };
  begin();
  asker.run();
  const auto asked = server.asked();
  ASSERT_EQ(asked.size(), 2U) << "the look, and what is known at last";
  EXPECT_GE(made, 3);
  EXPECT_EQ(events[1].last_error, "the node's usage is not known yet");
  EXPECT_EQ(events.back().last_error, "");
}

TEST_F(NodeMetricReporterTest, ReportsOnceTheObjectIsCreated) {
  server.answers([this](const Asked&, Exchange& exchange) {
    const bool early = server.asked().size() <= 3;
    exchange.send(early ? refusal(404, "NotFound", "nodemetrics n1 not found") : http_answer(200, kObject));
  });
  enough = [this] { return events.back().accepted > 0; };
  begin();
  asker.run();
  EXPECT_EQ(events.front().last_error, "404 this node has no NodeMetric; Koordinator's manager creates it");
  for (int i = 0; i < 4; ++i) EXPECT_EQ(server.asked()[static_cast<std::size_t>(i)].body, "{}");
  EXPECT_EQ(reporter->state().failures, 3U);
}

TEST_F(NodeMetricReporterTest, AFailedReportIsRebuiltForTheRetry) {
  server.answers([this](const Asked& asked, Exchange& exchange) {
    const bool busy = asked.body != "{}" && server.asked().size() < 4;
    exchange.send(busy ? refusal(409, "Conflict", "try again") : http_answer(200, kObject));
  });
  interval = milliseconds(400);
  enough = [this] { return events.back().accepted > 0; };
  begin();
  asker.run();
  EXPECT_EQ(events[1].last_error, "409 try again");
  EXPECT_GE(made, 3) << "with the newest figures each time";
}

TEST_F(NodeMetricReporterTest, ReportsThatTheClusterHasNoNodeMetrics) {
  EXPECT_EQ(trouble_with(http_answer(404, "404 page not found\n", {}, "text/plain")),
            "404 the cluster has no NodeMetric resource (slo.koordinator.sh/v1alpha1)");
}

TEST_F(NodeMetricReporterTest, ReportsWhichRightIsMissing) {
  EXPECT_EQ(trouble_with(refusal(403, "Forbidden", "cannot patch resource nodemetrics/status")),
            "403 cannot patch resource nodemetrics/status");
}

TEST_F(NodeMetricReporterTest, ReportsWhatTheServerRejects) {
  EXPECT_EQ(trouble_with(refusal(422, "Invalid", "status.updateTime: Invalid value")),
            "422 status.updateTime: Invalid value");
}

TEST_F(NodeMetricReporterTest, AnAnswerThatIsNotANodeMetricIsAFailure) {
  EXPECT_EQ(trouble_with(http_answer(200, "<html>a proxy's page</html>")), "the answer is not a NodeMetric");
}

}  // namespace
}  // namespace evenkeel::test
