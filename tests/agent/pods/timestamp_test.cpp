#include <gtest/gtest.h>

#include "agent/pods/kube_text.h"
#include "tests/support/malformed.h"

namespace evenkeel {
namespace {

TEST(Timestamp, SecondsSince1970) {
  EXPECT_EQ(pods::parse_timestamp("1970-01-01T00:00:00Z"), 0);
  EXPECT_EQ(pods::parse_timestamp("2026-11-21T03:17:26Z"), 1795231046);
  EXPECT_EQ(pods::parse_timestamp("2024-02-29t12:00:00z"), 1709208000);
  EXPECT_EQ(pods::parse_timestamp("1969-12-31T23:59:59Z"), -1);
  EXPECT_EQ(pods::parse_timestamp("0001-01-01T00:00:00Z"), -62135596800) << "Go's zero time";
  EXPECT_EQ(pods::parse_timestamp("2016-12-31T23:59:60Z"), 1483228800) << "a leap second";
}

TEST(Timestamp, FractionsAreTruncatedAndOffsetsSubtracted) {
  EXPECT_EQ(pods::parse_timestamp("2026-11-21T03:17:26.949552553Z"), 1795231046);
  EXPECT_EQ(pods::parse_timestamp("2026-11-21T08:47:26.5+05:30"), 1795231046);
  EXPECT_EQ(pods::parse_timestamp("2026-11-20T19:17:26-08:00"), 1795231046);
}

TEST(Timestamp, IsWrittenAsItIsRead) {
  EXPECT_EQ(pods::timestamp(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(pods::timestamp(1795231046), "2026-11-21T03:17:26Z");
  EXPECT_EQ(pods::timestamp(1709208000), "2024-02-29T12:00:00Z");
  EXPECT_EQ(pods::timestamp(-1), "1969-12-31T23:59:59Z");
  EXPECT_EQ(pods::timestamp(253402300799), "9999-12-31T23:59:59Z");
  for (const std::int64_t at : {std::int64_t{-1}, std::int64_t{1709208000}, std::int64_t{4102444800}})
    EXPECT_EQ(pods::parse_timestamp(pods::timestamp(at)), at);
}

TEST(Timestamp, AnythingElseIsAbsent) {
  for (const auto* text : {"2026-11-21",
                           "2026-11-21T03:17Z",
                           "2026-11-21 03:17:26Z",
                           "2026-11-21T03:17:26",
                           "2026-13-01T00:00:00Z",
                           "2026-02-29T00:00:00Z",
                           "2026-00-10T00:00:00Z",
                           "2026-01-00T00:00:00Z",
                           "2026-01-32T00:00:00Z",
                           "2026-11-21T24:00:00Z",
                           "2026-11-21T03:60:26Z",
                           "2026-11-21T03:17:61Z",
                           "2026-11-21T03:17:26.Z",
                           "2026-11-21T03:17:26+0530",
                           "2026-11-21T03:17:26+24:00",
                           "2026-11-21T03:17:26ZZ",
                           " 2026-11-21T03:17:26Z",
                           "2026-11-21T03:17:26Z ",
                           "-026-11-21T03:17:26Z",
                           "+2026-11-21T03:17:26Z",
                           "2026-1-21T03:17:26Z"})
    EXPECT_EQ(pods::parse_timestamp(text), std::nullopt) << text;
  for (const auto& text : test::malformed_texts()) EXPECT_EQ(pods::parse_timestamp(text), std::nullopt);
  for (const auto text : test::truncations("2026-11-21T08:47:26.5+05:30"))
    EXPECT_EQ(pods::parse_timestamp(text), std::nullopt) << text;
}

}  // namespace
}  // namespace evenkeel
