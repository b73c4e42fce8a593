// From percentages to masks and units: Koordinator's worked examples, and where we do better.
#include <gtest/gtest.h>

#include <bit>

#include "qos/cache/cache.h"

namespace evenkeel {
namespace {

using namespace evenkeel::literals;

ResctrlResource cache(std::uint64_t mask, std::int64_t least = 1, bool sparse = false) {
  return {.name = "L3",
          .unit = ResctrlUnit::ways,
          .full = mask,
          .least = least,
          .sparse = sparse,
          .domains = {0, 1}};
}
ResctrlResource intel() {
  return {
      .name = "MB", .unit = ResctrlUnit::percent, .full = 100, .least = 10, .step = 10, .domains = {0, 1}};
}
ResctrlResource amd() {
  return {.name = "MB", .unit = ResctrlUnit::eighths, .full = 2048, .least = 1, .step = 1, .domains = {0, 1}};
}

struct Ways {
  std::uint64_t mask;
  std::int64_t start, end;
  std::uint64_t expected;  ///< 0: none
};
constexpr Ways kWays[] = {
    {0xff, 0, 100, 0xff},
    {0x3ff, 10, 80, 0xfe},
    {0x7ff, 10, 50, 0x3c},
    {0x3ff, 10, 85, 0x1fe},
    {0x3ff, 0, 30, 0x7},
    {0x7ff, 0, 30, 0xf},
    {0xfff, 0, 30, 0xf},
    {0x7fff, 0, 30, 0x1f},
    {0xffff, 0, 30, 0x1f},
    {0xfffff, 0, 30, 0x3f},
    {0xfff, 50, 100, 0xfc0},
    {0x7ff, 95, 100, 0x400},  // the reference asks for none at all, and is refused every second (W16)
    {0x101, 0, 100, 0},
    {0xff, 30, 30, 0},
    {0xff, 50, 30, 0},
    {0xff, -1, 30, 0},
    {0xff, 0, 101, 0},
    {0, 0, 100, 0},
    {~std::uint64_t{0}, 0, 100, ~std::uint64_t{0}},
    {0x7ff, 0, 1, 0x1},
    {0x7f0, 0, 50, 0xf0},
};
TEST(ResctrlTerms, WaysBetweenTwoPercentages) {
  for (const auto& e : kWays)
    EXPECT_EQ(cache::ways_between(cache(e.mask), Percent(e.start), Percent(e.end)).value_or(0), e.expected)
        << std::hex << e.mask << ' ' << std::dec << e.start << '-' << e.end;
}

TEST(ResctrlTerms, NeverFewerWaysThanTheHardwareTakes) {
  EXPECT_EQ(cache::ways_between(cache(0xfffff, 2), 0_pct, 5_pct), 0x3U);
  EXPECT_EQ(cache::ways_between(cache(0xfffff, 2), 95_pct, 100_pct), 0xc0000U) << "the lower end goes down";
  EXPECT_EQ(cache::ways_between(cache(0x3, 4), 0_pct, 100_pct), std::nullopt);
  for (int least = 1; least <= 4; ++least)
    for (const std::uint64_t mask : {0xfU, 0xffU, 0x7ffU, 0xfffffU})
      for (int start = 0; start < 100; ++start)
        for (int end = start + 1; end <= 100; ++end) {
          const auto ways = cache::ways_between(cache(mask, least), Percent(start), Percent(end)).value_or(0);
          const auto shifted = ways >> static_cast<unsigned>(std::countr_zero(ways));
          ASSERT_GE(std::popcount(ways), least) << std::hex << mask << ' ' << std::dec << start << '-' << end;
          ASSERT_EQ(ways & ~mask, 0U);
          ASSERT_EQ(shifted & (shifted + 1), 0U) << "in one piece";
        }
}

TEST(ResctrlTerms, HolesOnlyWhereTheyAreLegal) {
  EXPECT_EQ(cache::ways_between(cache(0x101, 1, true), 0_pct, 100_pct), 0x101U);
  EXPECT_EQ(cache::ways_between(cache(0xf0f, 1, true), 25_pct, 75_pct), 0x30cU);
}

struct Bandwidth {
  std::int64_t percent;
  std::uint64_t intel, amd;  ///< 0: none
};
constexpr Bandwidth kBandwidths[] = {
    {1, 10, 1},       {5, 10, 8},    {10, 10, 16},  {15, 20, 24},   {30, 30, 48},
    {50, 50, 80},     {80, 80, 128}, {85, 90, 136}, {91, 100, 145}, {99, 100, 158},
    {100, 100, 2048}, {0, 0, 0},     {101, 0, 0},   {-5, 0, 0},
};
TEST(ResctrlTerms, BandwidthAsTheHardwareCountsIt) {
  for (const auto& e : kBandwidths) {
    EXPECT_EQ(cache::bandwidth_of(intel(), Percent(e.percent)).value_or(0), e.intel) << e.percent;
    EXPECT_EQ(cache::bandwidth_of(amd(), Percent(e.percent)).value_or(0), e.amd) << e.percent;
  }
  auto arm = intel();
  arm.least = 5;
  arm.step = 1;
  EXPECT_EQ(cache::bandwidth_of(arm, 3_pct), 5U);
  EXPECT_EQ(cache::bandwidth_of(arm, 37_pct), 37U);
}

std::string text(const ResctrlSystem& system, std::vector<ResctrlPart> parts) {
  std::string out = "what was there before";
  cache::schemata_of(system, parts, out);
  return out;
}

TEST(ResctrlTerms, SchemataNameEveryDomain) {
  const ResctrlSystem system{{intel(), cache(0xfff)}, 8, 0};
  EXPECT_EQ(text(system, {{{}, 0_pct, 30_pct, 90_pct}}), "MB:0=90;1=90\nL3:0=f;1=f\n");
  EXPECT_EQ(text(system, {}), "MB:0=100;1=100\nL3:0=fff;1=fff\n");
  EXPECT_EQ(text(system, {{{}, 0_pct, 30_pct, {}}}), "MB:0=100;1=100\nL3:0=f;1=f\n");
}

TEST(ResctrlTerms, OneCacheMayHaveItsOwn) {
  const ResctrlSystem system{{intel(), cache(0xfff)}, 8, 0};
  const ResctrlPart all{{}, 0_pct, 30_pct, 50_pct}, one{1, 50_pct, 100_pct, {}}, other{0, {}, {}, 20_pct};
  EXPECT_EQ(text(system, {all, one, other}), "MB:0=20;1=50\nL3:0=f;1=fc0\n");
  EXPECT_EQ(text(system, {one, all}), "MB:0=50;1=50\nL3:0=f;1=fc0\n") << "in any order";
  EXPECT_EQ(text(system, {{7, 0_pct, 30_pct, {}}}), "MB:0=100;1=100\nL3:0=fff;1=fff\n")
      << "there is no cache 7";
}

TEST(ResctrlTerms, OnlyWhatTheMachineHas) {
  const ResctrlPart part{{}, 0_pct, 30_pct, 50_pct};
  EXPECT_EQ(text({{cache(0xfff)}, 16, 0}, {part}), "L3:0=f;1=f\n") << "no bandwidth";
  auto amd_gaps = amd();
  amd_gaps.domains = {0, 1, 9};
  EXPECT_EQ(text({{amd_gaps}, 16, 0}, {part}), "MB:0=80;1=80;9=80\n") << "no cache";
  auto code = cache(0xfff), data = cache(0xff);
  code.name = "L3CODE";
  data.name = "L3DATA";
  EXPECT_EQ(text({{data, code}, 4, 0}, {part}), "L3DATA:0=7;1=7\nL3CODE:0=f;1=f\n");
  auto l2 = cache(0xff);
  l2.name = "L2";
  auto megabytes = intel();
  megabytes.unit = ResctrlUnit::other;
  EXPECT_EQ(text({{l2, megabytes}, 4, 0}, {part}), "") << "left alone";
}

}  // namespace
}  // namespace evenkeel
