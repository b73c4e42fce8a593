// How much of the last minute something was on.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "qos/brake/brake.h"

namespace evenkeel {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

MonoTime at(Duration since) { return MonoTime{} + since; }

TEST(DutyCycle, SumsUpAndForgetsAfterAMinute) {
  brake::DutyCycle duty;
  EXPECT_EQ(duty.spent(at(seconds(10))), Duration{});
  duty.add(at(milliseconds(9500)), at(milliseconds(11250)));
  EXPECT_EQ(duty.spent(at(seconds(12))), milliseconds(1750));
  EXPECT_EQ(duty.spent(at(seconds(69))), milliseconds(1750));
  EXPECT_EQ(duty.spent(at(milliseconds(70500))), milliseconds(1250))
      << "the ninth second is over a minute ago";
  EXPECT_EQ(duty.spent(at(seconds(72))), Duration{});
}

TEST(DutyCycle, OfLongerThanAMinuteIsTheWholeMinute) {
  brake::DutyCycle duty;
  duty.add(at(seconds(1)), at(seconds(1000)));
  EXPECT_GE(duty.spent(at(seconds(1000))), seconds(60));
  EXPECT_LE(duty.spent(at(seconds(1000))), seconds(61));
}

TEST(DutyCycle, IsNeverLessThanWhatWasAndAtMostASecondMore) {
  std::mt19937 random(7);
  std::uniform_int_distribution<int> length_ms(1, 4000);
  struct Span {
    MonoTime from, to;
  };
  std::vector<Span> all;
  brake::DutyCycle duty;
  MonoTime now = at(seconds(5));
  for (int i = 0; i < 3000; ++i) {
    const MonoTime from = now + milliseconds(length_ms(random));
    now = from + milliseconds(length_ms(random));
    duty.add(from, now);
    all.push_back({from, now});
    Duration exact{}, wider{};
    for (const auto& span : all) {
      exact += std::max(Duration{}, span.to - std::max(span.from, now - brake::DutyCycle::kSpan));
      wider +=
          std::max(Duration{}, span.to - std::max(span.from, now - brake::DutyCycle::kSpan - seconds(1)));
    }
    ASSERT_GE(duty.spent(now), exact) << i;
    ASSERT_LE(duty.spent(now), wider) << i;
  }
}

}  // namespace
}  // namespace evenkeel
