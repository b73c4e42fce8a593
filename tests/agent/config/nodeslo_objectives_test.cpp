// extensions.evenkeel.objectives: what is read, and every mistake with its key.
#include <gtest/gtest.h>

#include <string>

#include "agent/config/nodeslo_config.h"

namespace evenkeel {
namespace {

constexpr const char* kService = "name: web, namespace: shop, matchLabels: {app: web}";

std::string nodeslo(const std::string& objectives) {
  return "hostApplications: [{name: db, qos: LS}, {name: job, qos: BE}]\n"
         "extensions: {evenkeel: {objectives: [" +
         objectives + "]}}\n";
}

std::string one(const std::string& rest) { return nodeslo("{" + std::string(kService) + ", " + rest + "}"); }

TEST(NodeSloObjectives, AreRead) {
  const auto config = config::parse_nodeslo(
      nodeslo("{name: web, namespace: shop, matchLabels: {app: web, n: 1}, target: 0.05, marginPercent: 30, "
              "pausePercent: 200, pauseDuration: 1m, staleAfter: 20s, prometheus: {url: "
              "\"http://{podIP}:9113/metrics\", metric: rpc_seconds, labels: {code: \"200\"}, "
              "quantilePercent: 99.9, interval: 5s}}, "
              "{name: db, hostApplication: db, file: /run/db/latency, target: 3}, "
              "{name: db-2, hostApplication: db, socket: /run/evenkeel/db, target: 3, figureCovers: 5s}"),
      "f");
  ASSERT_TRUE(config.problems.empty()) << config.problems.front().text();
  const auto& all = config.slo.evenkeel.objectives;
  ASSERT_EQ(all.size(), 3U);
  const Objective& web = all[0];
  EXPECT_EQ(web.match_labels, (TextMap{{"app", "web"}, {"n", "1"}}));
  EXPECT_EQ(web.target, 0.05);
  EXPECT_EQ(web.margin_percent, Percent(30));
  EXPECT_EQ(web.pause_percent, Percent(200));
  EXPECT_EQ(web.pause, std::chrono::minutes(1));
  EXPECT_EQ(web.stale_after, std::chrono::seconds(20));
  EXPECT_EQ(web.prometheus.quantile_percent, 99.9);
  EXPECT_EQ(web.prometheus.labels, (TextMap{{"code", "200"}}));
  EXPECT_EQ(web.prometheus.interval, std::chrono::seconds(5));
  EXPECT_EQ(all[1].file, "/run/db/latency");
  EXPECT_EQ(all[2].socket, "/run/evenkeel/db");
  EXPECT_EQ(all[2].figure_covers, std::chrono::seconds(5));
  EXPECT_FALSE(all[1].figure_covers) << "not known";
}

struct Wrong {
  std::string text;
  const char* problem;  ///< a part of one problem
};

TEST(NodeSloObjectives, MistakesNameTheKeyAndWhatIsLegal) {
  const std::vector<Wrong> cases = {
      {one("target: 1, file: /f}, {name: web, hostApplication: db, target: 1, file: /f"),
       "objectives[1].name: found 'web' a second time"},
      {nodeslo("{name: We b, hostApplication: db, target: 1, file: /f}"),
       "objectives[0].name: found 'We b'; legal"},
      {one("file: /f"), "objectives[0]: target: missing; legal: above 0"},
      {one("target: 0, file: /f"), "objectives[0].target: found 0; legal: above 0"},
      {one("target: -1, file: /f"), "objectives[0].target: found '-1'; legal: 0 or more"},
      {one("target: .nan, file: /f"), "objectives[0].target: found '.nan'"},
      {one("target: nan, file: /f"), "objectives[0].target: found 'nan'"},
      {one("target: inf, file: /f"), "objectives[0].target: found 'inf'"},
      {one("target: 1"), "found 0 sources; legal: one of prometheus, file and socket"},
      {one("target: 1, file: /f, socket: /s"), "found 2 sources"},
      {one("target: 1, file: f"), "objectives[0].file: found 'f'; legal: a path"},
      {one("target: 1, socket: /" + std::string(107, 's')), "objectives[0].socket: found"},
      {one("target: 1, socket: /s}, {name: b, hostApplication: db, target: 1, socket: /s"),
       "objectives[1].socket: found '/s' a second time"},
      {nodeslo("{name: a, target: 1, file: /f}"), "objectives[0]: found no service"},
      {one("hostApplication: db, target: 1, file: /f"), "found pods and a host application"},
      {nodeslo("{name: a, namespace: shop, target: 1, file: /f}"),
       "found only one of namespace and matchLabels"},
      {nodeslo("{name: a, hostApplication: x, target: 1, file: /f}"),
       "objectives[0].hostApplication: found 'x'"},
      {nodeslo("{name: a, hostApplication: job, target: 1, file: /f}"),
       "legal: one of hostApplications that is no"},
      {one("target: 1, prometheus: {url: \"ftp://x\", metric: m}"),
       "prometheus.url: found 'ftp://x'; legal: http://"},
      {one("target: 1, prometheus: {url: \"https://x\", metric: m}"), "prometheus.url: found 'https://x'"},
      {one("target: 1, prometheus: {url: \"http://a b\", metric: m}"), "prometheus.url: found 'http://a b'"},
      {one("target: 1, prometheus: {url: \"http://x/\"}"), "prometheus.metric: found ''; legal"},
      {one("target: 1, prometheus: {url: \"http://x/\", metric: \"a{}\"}"), "prometheus.metric: found 'a{}'"},
      {one("target: 1, prometheus: {url: \"http://x/\", metric: m, quantilePercent: 100}"),
       "prometheus.quantilePercent: found a quantile at the edge"},
      {one("target: 1, staleAfter: 5s, prometheus: {url: \"http://x/\", metric: m, interval: 5s}"),
       "objectives[0].staleAfter: found 5s; legal: above prometheus.interval (5s)"},
      {nodeslo(
           "{name: a, hostApplication: db, target: 1, prometheus: {url: \"http://{podIP}/\", metric: m}}"),
       "legal: {podIP} only with pods"},
      {one("target: 1, file: /f, marginPercent: 100"),
       "objectives[0].marginPercent: found '100'; legal: 1 to 99"},
      {one("target: 1, file: /f, figureCovers: 0s"),
       "objectives[0].figureCovers: found '0s'; legal: 1s to 1h"},
      {one("target: 1, file: /f, matchLabel: x"), "did you mean 'matchLabels'?"},
      {nodeslo("{name: a, namespace: s, matchLabels: [x], target: 1, file: /f}"),
       "matchLabels: found a list; legal: a map from names to texts"},
  };
  for (const Wrong& wrong : cases) {
    const auto config = config::parse_nodeslo(wrong.text, "f");
    std::string all;
    for (const auto& problem : config.problems) all += problem.text() + '\n';
    EXPECT_NE(all.find(wrong.problem), std::string::npos) << wrong.text << "\n" << all;
  }
}

TEST(NodeSloObjectives, ATargetThatIsNoNumberIsOneMistake) {
  for (const char* target : {"abc", "-1", "0"}) {
    const auto config = config::parse_nodeslo(one(std::string("target: ") + target + ", file: /f"), "f");
    EXPECT_EQ(config.problems.size(), 1U) << target;
  }
}

TEST(NodeSloObjectives, WithoutSuppressionTheyHaveNoEffect) {
  const auto config = config::parse_nodeslo(one("target: 1, file: /f"), "f");
  ASSERT_EQ(config.notices.size(), 1U);
  EXPECT_NE(config.notices[0].find("resourceUsedThresholdWithBE.enable"), std::string::npos);
  EXPECT_TRUE(config::parse_nodeslo("", "f").notices.empty());
}

}  // namespace
}  // namespace evenkeel
