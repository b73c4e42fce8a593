// The kernel's scheduler, by its release.
#include <gtest/gtest.h>

#include "collectors/node/parsers.h"

namespace evenkeel::node {
namespace {

TEST(FairScheduler, EevdfReplacedCfsInLinux66) {
  EXPECT_EQ(fair_scheduler_of("6.1.0-44-amd64\n"), FairScheduler::cfs);
  EXPECT_EQ(fair_scheduler_of("6.5.13\n"), FairScheduler::cfs);
  EXPECT_EQ(fair_scheduler_of("6.6.0-rc1\n"), FairScheduler::eevdf);
  EXPECT_EQ(fair_scheduler_of("6.12.9-amd64\n"), FairScheduler::eevdf);
  EXPECT_EQ(fair_scheduler_of("7.0\n"), FairScheduler::eevdf);
  EXPECT_EQ(fair_scheduler_of("4.19.91-27.al7\n"), FairScheduler::cfs);
}

TEST(FairScheduler, AnUnreadableReleaseIsUnknown) {
  for (const char* text : {"", "linux", "6", "6.", "x.6"})
    EXPECT_EQ(fair_scheduler_of(text), FairScheduler::unknown) << text;
}

}  // namespace
}  // namespace evenkeel::node
