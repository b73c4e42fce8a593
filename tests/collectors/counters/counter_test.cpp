#include <gtest/gtest.h>

#include "collectors/base/reading.h"

namespace evenkeel {
namespace {

TEST(Counter, TheFirstReadingHasNoIncrease) {
  collectors::Counter counter;
  EXPECT_EQ(counter.increase_to(500), std::nullopt);
  EXPECT_EQ(counter.increase_to(700), 200);
  EXPECT_EQ(counter.increase_to(700), 0);
}

TEST(Counter, ADecreaseIsAbsentAndRestarts) {
  collectors::Counter counter;
  (void)counter.increase_to(1650);
  EXPECT_EQ(counter.increase_to(1400), std::nullopt);
  EXPECT_EQ(counter.increase_to(1410), 10);
}

TEST(Counter, AfterAGapNoIncreaseSpansTwoTicks) {
  collectors::Counter counter;
  (void)counter.increase_to(100);
  EXPECT_EQ(counter.increase_to(std::nullopt), std::nullopt);
  EXPECT_EQ(counter.increase_to(300), std::nullopt);
  EXPECT_EQ(counter.increase_to(310), 10);
}

TEST(Counter, NegativeIsNotAReading) {
  collectors::Counter counter;
  (void)counter.increase_to(100);
  EXPECT_EQ(counter.increase_to(-1), std::nullopt);
  EXPECT_EQ(counter.increase_to(200), std::nullopt);
}

TEST(Counter, TheWholeRangeFits) {
  collectors::Counter counter;
  (void)counter.increase_to(0);
  EXPECT_EQ(counter.increase_to(INT64_MAX), INT64_MAX);
}

}  // namespace
}  // namespace evenkeel
