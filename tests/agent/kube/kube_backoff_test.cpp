#include <gtest/gtest.h>

#include <set>

#include "agent/kube/client/backoff.h"

namespace evenkeel::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

TEST(Backoff, WaitsTwiceAsLongEachTime) {
  kube::Backoff backoff({.first = seconds(1), .longest = seconds(10)}, nullptr);
  for (const int expected : {1, 2, 4, 8, 10, 10}) EXPECT_EQ(backoff.next(), seconds(expected));
  backoff.reset();
  EXPECT_EQ(backoff.next(), seconds(1));
}

TEST(Backoff, NeverOverflows) {
  kube::Backoff backoff({.first = minutes(1), .longest = minutes(5)}, nullptr);
  for (int i = 0; i < 1000; ++i) backoff.next();
  EXPECT_EQ(backoff.next(), minutes(5));
}

TEST(Backoff, HonoursRetryAfter) {
  kube::Backoff backoff({.first = seconds(1), .longest = seconds(10)}, nullptr);
  EXPECT_EQ(backoff.next(seconds(30)), seconds(30));
  EXPECT_EQ(backoff.next(seconds(1)), seconds(2)) << "a lower bound, not more";
  EXPECT_EQ(backoff.next(minutes(1000)), minutes(10)) << "within reason";
}

TEST(Backoff, JitterKeepsClientsOutOfStep) {
  double drawn = 0;
  const auto random = [&] { return drawn; };
  kube::Backoff backoff({.first = seconds(10), .longest = seconds(10), .jitter = 0.2}, random);
  EXPECT_EQ(backoff.next(), seconds(8));
  drawn = 0.5;
  EXPECT_EQ(backoff.next(), seconds(10));
  EXPECT_EQ(backoff.next(seconds(100)), seconds(110)) << "later than asked for, never earlier";
  EXPECT_EQ(kube::jittered(seconds(10), 0.1, random), seconds(10));
  drawn = 0;
  EXPECT_EQ(kube::jittered(seconds(10), 0.1, random), seconds(9));
  EXPECT_EQ(kube::jittered(seconds(10), 0.1, nullptr), seconds(10));
}

TEST(Backoff, TheSystemsRandomNumbersDiffer) {
  const auto one = kube::system_random(), other = kube::system_random();
  std::set<double> seen;
  for (int i = 0; i < 100; ++i)
    for (const auto* random : {&one, &other}) {
      const double number = (*random)();
      EXPECT_GE(number, 0);
      EXPECT_LT(number, 1);
      seen.insert(number);
    }
  EXPECT_GT(seen.size(), 190U);
}

}  // namespace
}  // namespace evenkeel::test
