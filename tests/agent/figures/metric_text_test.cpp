// Figures out of texts that services write, and what is refused.
#include "agent/figures/metric_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace evenkeel::figures {
namespace {

TEST(FigureText, IsOneDecimalNumber) {
  EXPECT_EQ(parse_figure("0.005\n").value, 0.005);
  EXPECT_EQ(parse_figure(" 12 ").value, 12);
  EXPECT_EQ(parse_figure("1.5e-3").value, 0.0015);
  for (const char* text : {"", "\n", "fast", "1 2", "0x10", "1,5", "5ms", "++1", "-"})
    EXPECT_FALSE(parse_figure(text).value) << text;
  EXPECT_EQ(parse_figure(std::string(129, '1')).problem, "the text is longer than 128 bytes");
  EXPECT_EQ(parse_figure(std::string_view("1\0", 2)).problem, "the text is not one decimal number");
}

TEST(FigureText, AbsurdFiguresAreRefused) {
  EXPECT_TRUE(plausible(0, 1).value);
  EXPECT_TRUE(plausible(1e6, 1).value);
  EXPECT_EQ(plausible(-1, 1).problem, "the figure is negative");
  EXPECT_FALSE(plausible(2e6, 1).value) << "nanoseconds for seconds";
  for (const char* text : {"nan", "inf", "-inf", "1e999"}) {
    const auto parsed = parse_figure(text);
    ASSERT_TRUE(parsed.value) << text;
    EXPECT_FALSE(plausible(*parsed.value, 1).value) << text;
  }
}

PrometheusFigure gauge(const char* name, TextMap labels = {}) {
  return {.metric = name, .labels = std::move(labels)};
}
PrometheusFigure histogram(const char* name, TextMap labels = {}) {
  return {.metric = name, .labels = std::move(labels), .quantile_percent = 99};
}

TEST(MetricText, FindsAPlainFigureByNameAndLabels) {
  const char* body =
      "# HELP latency_seconds how long\n"
      "# TYPE latency_seconds summary\n"
      "latency_seconds{quantile=\"0.5\",path=\"/a\"} 0.001 1395066363000\n"
      "latency_seconds{quantile=\"0.99\",path=\"/a\"} 0.004\n"
      "latency_seconds{quantile=\"0.99\",path=\"/b\"} 0.007\r\n"
      "latency_seconds_sum 3\n"
      "latency_seconds_other{quantile=\"0.99\"} 99\n";
  EXPECT_EQ(parse_metric(body, gauge("latency_seconds", {{"quantile", "0.99"}, {"path", "/a"}})).value,
            0.004);
  EXPECT_EQ(parse_metric(body, gauge("latency_seconds", {{"quantile", "0.99"}})).value, 0.007)
      << "the highest of several";
  EXPECT_EQ(parse_metric(body, gauge("latency_seconds_sum")).value, 3);
  EXPECT_EQ(parse_metric(body, gauge("latency")).problem, "no series matches the metric and its labels");
  EXPECT_EQ(parse_metric(body, gauge("latency_seconds", {{"quantile", "0.9"}})).problem,
            "no series matches the metric and its labels");
}

TEST(MetricText, ReadsEscapedLabels) {
  EXPECT_EQ(parse_metric("a{b=\"x\\\"y\\\\z\\n\", } 1\n", gauge("a", {{"b", "x\"y\\z\n"}})).value, 1);
  EXPECT_EQ(parse_metric("a {b=\"}\"} 2\n", gauge("a", {{"b", "}"}})).value, 2);
}

TEST(MetricText, AddsTheBucketsOfAllSeriesThatMatch) {
  const char* body =
      "rpc_bucket{le=\"0.1\",code=\"200\"} 5\n"
      "rpc_bucket{le=\"+Inf\",code=\"200\"} 6\n"
      "rpc_bucket{code=\"500\",le=\"0.1\"} 1\n"
      "rpc_bucket{code=\"500\",le=\"+Inf\"} 1\n"
      "rpc_count{code=\"200\"} 6\n";
  const auto all = parse_metric(body, histogram("rpc"));
  ASSERT_EQ(all.buckets.size(), 2U) << all.problem;
  EXPECT_EQ(all.buckets[0], (Bucket{0.1, 6}));
  EXPECT_EQ(all.buckets[1].count, 7);
  EXPECT_EQ(parse_metric(body, histogram("rpc", {{"code", "200"}})).buckets[0].count, 5);
}

TEST(MetricText, BrokenLinesOfTheMetricAreRefusedOthersAreNot) {
  EXPECT_EQ(parse_metric("other{ garbage\na 1\n", gauge("a")).value, 1);
  for (const char* line : {"a{b=\"c 1", "a{b} 1", "a{b=\"c\"d=\"e\"} 1", "a{b=\"\\"})
    EXPECT_EQ(parse_metric(line, gauge("a")).problem, "a line of the metric has broken labels") << line;
  for (const char* line : {"a", "a ", "a x", "a{b=\"c\"}", "a 1x"})
    EXPECT_EQ(parse_metric(line, gauge("a")).problem, "a line of the metric has no number") << line;
  EXPECT_EQ(parse_metric("a NaN", gauge("a")).problem,
            "the figure is not a number (NaN): nothing was observed");
  EXPECT_EQ(parse_metric(std::string(9000, 'x') + "\na 1\n", gauge("a")).problem,
            "a line is longer than 8192 bytes");
  EXPECT_FALSE(parse_metric("", gauge("a")).problem.empty());
}

TEST(MetricText, OnePassFindsSeveralAndARefusedOneSpoilsNoOther) {
  const char* body = "a 1\nb{x=\"1\"} 2\nb{x=\"2\"} 3\nc broken\nc 4\nd NaN\nh_bucket{le=\"+Inf\"} 5\n";
  const std::vector<PrometheusFigure> wanted = {
      gauge("d"), gauge("c"), gauge("b", {{"x", "2"}}), gauge("e"), gauge("a"), histogram("h"), gauge("a")};
  const auto found = parse_metrics(body, wanted);
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto alone = parse_metric(body, wanted[i]);
    EXPECT_EQ(found[i].value, alone.value) << wanted[i].metric;
    EXPECT_EQ(found[i].buckets, alone.buckets) << wanted[i].metric;
    EXPECT_EQ(found[i].problem, alone.problem) << wanted[i].metric;
  }
  EXPECT_EQ(found[1].problem, "a line of the metric has no number") << "a good line after it does not count";
  EXPECT_EQ(found[2].value, 3);
  EXPECT_EQ(found[4].value, 1);
  EXPECT_EQ(found[6].value, 1) << "asked twice";
  EXPECT_TRUE(parse_metrics(body, {}).empty());
  for (const auto& each : parse_metrics("a 1\nc x\n" + std::string(9000, 'x'), wanted))
    EXPECT_FALSE(each.problem.empty());
  const auto broken = parse_metrics("c x\n" + std::string(9000, 'x'), wanted);
  EXPECT_EQ(broken[1].problem, "a line of the metric has no number") << "its first problem";
  EXPECT_EQ(broken[0].problem, "a line is longer than 8192 bytes");
}

TEST(MetricText, ATextThatArrivesInPiecesSaysTheSame) {
  const std::string body = "# HELP a\na 1\nb{x=\"1\"} 2\r\n\nc broken\nb{x=\"2\"} 3\n# EOF\na 7\n";
  const std::vector<PrometheusFigure> wanted = {gauge("a"), gauge("b"), gauge("c"), gauge("d")};
  const auto whole = parse_metrics(body, wanted);
  EXPECT_EQ(whole[0].value, 1) << "nothing counts behind the end";
  for (std::size_t piece = 1; piece <= body.size(); ++piece) {
    MetricReader reader(wanted);
    for (std::size_t at = 0; at < body.size(); at += piece)
      reader.add(std::string_view(body).substr(at, piece));
    const auto found = reader.end();
    ASSERT_EQ(found.size(), wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      EXPECT_EQ(found[i].value, whole[i].value) << piece;
      EXPECT_EQ(found[i].problem, whole[i].problem) << piece;
    }
  }
}

TEST(MetricText, BrokenHistogramsAreRefused) {
  EXPECT_EQ(parse_metric("h_bucket{le=\"1\"} 2\n", histogram("h")).problem,
            "the histogram has no bucket le=\"+Inf\"");
  EXPECT_EQ(parse_metric("h_bucket{le=\"1\"} 3\nh_bucket{le=\"+Inf\"} 2\n", histogram("h")).problem,
            "the histogram's buckets do not grow with their bounds");
  EXPECT_EQ(parse_metric("h_bucket{} 3\n", histogram("h")).problem, "a bucket has no bound (label le)");
  for (const char* count : {"-1", "NaN", "+Inf"})
    EXPECT_EQ(parse_metric("h_bucket{le=\"1\"} " + std::string(count), histogram("h")).problem,
              "a bucket's count is negative or not a number");
  std::string many;
  for (int i = 0; i < 1002; ++i) many += "h_bucket{le=\"" + std::to_string(i) + "\"} 1\n";
  EXPECT_EQ(parse_metric(many, histogram("h")).problem, "the histogram has too many buckets");
}

}  // namespace
}  // namespace evenkeel::figures
