#include "qos/model/reason.h"

#include <gtest/gtest.h>

#include <limits>

namespace evenkeel {
namespace {

using namespace literals;
using std::chrono::milliseconds;
using std::chrono::seconds;

std::string spelled(Reason::Number number) {
  Reason reason{"{}", {number}};
  return reason.text();
}

TEST(Reason, SpellsEveryKindOfNumberWithItsUnit) {
  EXPECT_EQ(spelled(6250_mcpu), "6.25 CPUs");
  EXPECT_EQ(spelled(16000_mcpu), "16 CPUs");
  EXPECT_EQ(spelled(1000_mcpu), "1 CPU");
  EXPECT_EQ(spelled(MilliCpu(-2600)), "-2.6 CPUs");
  EXPECT_EQ(spelled(MilliCpu(0)), "0 CPUs");
  EXPECT_EQ(spelled(65_pct), "65 %");
  EXPECT_EQ(spelled(Bytes(1536LL << 20)), "1.5 GiB");
  EXPECT_EQ(spelled(512_B), "512 B");
  EXPECT_EQ(spelled(3_MiB), "3 MiB");
  EXPECT_EQ(spelled(150000_us_cpu), "150000 µs");
  EXPECT_EQ(spelled(Duration(seconds(10))), "10 s");
  EXPECT_EQ(spelled(Duration(milliseconds(250))), "250 ms");
  EXPECT_EQ(spelled(Duration(milliseconds(1500))), "1.5 s");
  EXPECT_EQ(spelled(Duration{}), "0 s");
  EXPECT_EQ(spelled(std::int64_t{42}), "42");
}

TEST(Reason, SurvivesTheLargestNumbers) {
  EXPECT_EQ(spelled(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(spelled(Bytes(std::numeric_limits<std::int64_t>::max())), "8192 PiB");
  EXPECT_FALSE(spelled(MilliCpu(std::numeric_limits<std::int64_t>::min())).empty());
  EXPECT_FALSE(spelled(Duration::min()).empty());
}

TEST(Reason, FillsTheHolesInOrder) {
  EXPECT_EQ(because("{} of {} for {}", 1500_mcpu, 2000_mcpu, Duration(seconds(3))).text(),
            "1.5 CPUs of 2 CPUs for 3 s");
  EXPECT_EQ(because("nothing to fill").text(), "nothing to fill");
  EXPECT_EQ(because("{} and {}", std::int64_t{1}).text(), "1 and ?");
  EXPECT_EQ(Reason{}.text(), "");
}

}  // namespace
}  // namespace evenkeel
