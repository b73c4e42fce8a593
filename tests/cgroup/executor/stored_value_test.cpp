// The compact form in which the executor keeps values, and how much the rows of its tables take.
#include <gtest/gtest.h>

#include <vector>

#include "cgroup/executor/held_values.h"

namespace evenkeel::executor {
namespace {

const std::vector<KnobValue>& different_values() {
  static const std::vector<KnobValue> all = {std::int64_t{0},       std::int64_t{-1}, std::int64_t{150000},
                                             Unlimited{},           CpuSet{},         CpuSet::range(0, 3),
                                             CpuSet::range(2, 1023)};
  return all;
}

TEST(StoredValue, IsTheValueThatItWasMadeOf) {
  for (const KnobValue& value : different_values()) {
    const StoredValue stored = value;
    const StoredValue copy = stored;
    EXPECT_EQ(copy.value(), value) << text(value);
    for (const KnobValue& other : different_values())
      EXPECT_EQ(stored == other, value == other) << text(value) << ", " << text(other);
  }
}

TEST(StoredValue, BeginsAsZeroLikeAnyValue) { EXPECT_TRUE(StoredValue{} == KnobValue{}); }

TEST(StoredValue, GivesANumberOnlyWhereItIsOne) {
  EXPECT_EQ(StoredValue(KnobValue{std::int64_t{7}}).number(), 7);
  EXPECT_EQ(StoredValue(KnobValue{Unlimited{}}).number(), std::nullopt);
  EXPECT_EQ(StoredValue(KnobValue{CpuSet::range(0, 1)}).number(), std::nullopt);
}

TEST(StoredValue, TakesLittleMemory) {
  EXPECT_LE(sizeof(StoredValue), 32U);
  // With all features a node of 330 containers has some 1100 of them.
  EXPECT_LE(sizeof(HeldValue), 440U);
}

}  // namespace
}  // namespace evenkeel::executor
