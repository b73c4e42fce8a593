#include "agent/document/units_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/malformed.h"

using namespace evenkeel;
using namespace std::chrono_literals;

namespace {

struct QuantityCase {
  const char* text;
  std::int64_t value;
};

TEST(UnitsText, ReadsEverySuffixOfAKubernetesQuantity) {
  const std::vector<QuantityCase> cases = {
      {"0", 0},
      {"7", 7},
      {"+7", 7},
      {"-7", -7},
      {"1k", 1'000},
      {"1M", 1'000'000},
      {"1G", 1'000'000'000},
      {"1T", 1'000'000'000'000},
      {"1P", 1'000'000'000'000'000},
      {"1E", 1'000'000'000'000'000'000},
      {"1Ki", 1LL << 10},
      {"1Mi", 1LL << 20},
      {"2Gi", 2LL << 30},
      {"1Ti", 1LL << 40},
      {"1Pi", 1LL << 50},
      {"7Ei", 7LL << 60},
      {"1.5Gi", 3LL << 29},
      {".5Ki", 512},
      {"2.Ki", 2048},
      {"1e3", 1'000},
      {"1E3", 1'000},
      {"1e+3", 1'000},
      {"12e-1", 2},  // 1.2, rounded up as Kubernetes does
      {"128974848", 128'974'848},
      {"9223372036854775807", INT64_MAX},
      {"0.0000000000000000000000000000000000000000", 0},
  };
  for (const auto& c : cases) EXPECT_EQ(document::parse_quantity(c.text), c.value) << c.text;
}

TEST(UnitsText, RoundsAFractionAwayFromZero) {
  EXPECT_EQ(document::parse_cpu("500m"), MilliCpu(500));
  EXPECT_EQ(document::parse_cpu("1.5"), MilliCpu(1500));
  EXPECT_EQ(document::parse_cpu("100u"), MilliCpu(1));
  EXPECT_EQ(document::parse_cpu("1n"), MilliCpu(1));
  EXPECT_EQ(document::parse_cpu("1000001n"), MilliCpu(2));
  EXPECT_EQ(document::parse_quantity("-1.1"), -2);
  EXPECT_EQ(document::parse_bytes("1500m"), Bytes(2));
}

TEST(UnitsText, IsAbsentForInvalidQuantities) {
  const std::vector<std::string> cases = {"Gi",
                                          "1gi",
                                          "1 Gi",
                                          " 1",
                                          "1 ",
                                          "1KiB",
                                          "1K",
                                          "1ee3",
                                          "1e",
                                          "1e3.5",
                                          "1.2.3",
                                          "--1",
                                          "0x10",
                                          "1_000",
                                          "1,5",
                                          ".",
                                          "-",
                                          "1mi",
                                          "1e+-3",
                                          "1e999",
                                          "8Ei",
                                          "1e400",
                                          "9223372036854775808"};
  for (const auto& text : cases) EXPECT_EQ(document::parse_quantity(text), std::nullopt) << text;
  EXPECT_EQ(document::parse_cpu("9223372036854775807"), std::nullopt)
      << "fits as a count, not in thousandths";
}

TEST(UnitsText, MalformedTextsAreAbsentOrTheirNumber) {
  for (const auto& text : test::malformed_texts()) {
    if (text != "1e9") {
      EXPECT_LT(document::parse_quantity(text).value_or(-1), 0) << text.substr(0, 40);
    }
    EXPECT_EQ(document::parse_duration(text), std::nullopt) << text;
  }
}

TEST(UnitsText, ReadsADecimalNumberOfTheWholeText) {
  EXPECT_EQ(document::parse_decimal("0.65"), 0.65);
  EXPECT_EQ(document::parse_decimal("-2e3"), -2000);
  for (const char* text : {"", " 1", "1 ", "1,5", "0.65x", "+1", "1e999"})
    EXPECT_EQ(document::parse_decimal(text), std::nullopt) << text;
}

TEST(UnitsText, ReadsDurationsAsGoWritesThem) {
  EXPECT_EQ(document::parse_duration("10s"), 10s);
  EXPECT_EQ(document::parse_duration("1m30s"), 90s);
  EXPECT_EQ(document::parse_duration("500ms"), 500ms);
  EXPECT_EQ(document::parse_duration("1.5h"), 90min);
  EXPECT_EQ(document::parse_duration("1h0m0s"), 1h);
  EXPECT_EQ(document::parse_duration("2d"), 48h);
  EXPECT_EQ(document::parse_duration("3us4ns"), 3004ns);
  EXPECT_EQ(document::parse_duration("3µs"), 3us);
  EXPECT_EQ(document::parse_duration("0"), 0s);
}

TEST(UnitsText, IsAbsentForInvalidDurations) {
  const std::vector<std::string> cases = {"",    "10",   "s",     "-1s",     "1s1m", "1s1s",
                                          "1 s", "1sec", "1m 3s", "999999d", "1e3s", "300000d300000h"};
  for (const auto& text : cases) EXPECT_EQ(document::parse_duration(text), std::nullopt) << text;
}

TEST(UnitsText, WritesADurationThatReadsBack) {
  EXPECT_EQ(document::duration_text(90s), "1m30s");
  EXPECT_EQ(document::duration_text(0s), "0s");
  EXPECT_EQ(document::duration_text(-90s), "-1m30s");
  const std::vector<Duration> durations = {1ns, 999us, 1500ms, 59s, 61min, 100h, Duration(INT64_MAX)};
  for (const Duration duration : durations) {
    EXPECT_EQ(document::parse_duration(document::duration_text(duration)), duration)
        << document::duration_text(duration);
  }
}

}  // namespace
