#include <gtest/gtest.h>

#include "collectors/per_cgroup/files.h"

namespace evenkeel {
namespace {

TEST(DescriptorBudget, ImportantFilesComeFirstAndEqualsInOrder) {
  const per_cgroup::DescriptorNeed rows[] = {{10, per_cgroup::Importance::low},
                                             {10, per_cgroup::Importance::high},
                                             {10, per_cgroup::Importance::normal},
                                             {10, per_cgroup::Importance::high}};
  EXPECT_EQ(per_cgroup::share_descriptors(rows, 100), (std::vector<std::size_t>{10, 10, 10, 10}));
  EXPECT_EQ(per_cgroup::share_descriptors(rows, 33), (std::vector<std::size_t>{3, 10, 10, 10}));
  EXPECT_EQ(per_cgroup::share_descriptors(rows, 15), (std::vector<std::size_t>{0, 10, 0, 5}));
  EXPECT_EQ(per_cgroup::share_descriptors(rows, 0), (std::vector<std::size_t>{0, 0, 0, 0}));
}

}  // namespace
}  // namespace evenkeel
