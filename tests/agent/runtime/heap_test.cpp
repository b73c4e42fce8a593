// Memory that was used for a moment goes back to the kernel.
#include "agent/runtime/heap.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/support/resident.h"
#include "tests/support/rounds.h"

namespace evenkeel::runtime {
namespace {

constexpr long kUsedKib = 32 * 1024;

void need_plain_heap() {
#ifdef EVENKEEL_WATCHED
  GTEST_SKIP() << "sanitizers have a heap of their own";
#endif
}

TEST(Memory, ALargeBlockGoesBackAtOnceHoweverLargeTheOnesBefore) {
  need_plain_heap();
  if (testing::Test::IsSkipped()) return;
  keep_heap_small();
  std::string page(std::size_t{kUsedKib} * 512, 'x');  // of 16 MiB, for a moment
  page = std::string();
  const long before = test::resident_kib();
  std::vector<std::unique_ptr<char[]>> blocks;
  for (int i = 0; i < 128; ++i) {
    blocks.push_back(std::make_unique<char[]>(kUsedKib * 1024 / 128));
    if (i % 2 == 1) blocks[static_cast<std::size_t>(i) - 1].reset();
  }
  const long most = test::resident_kib();
  blocks.clear();
  EXPECT_GT(most - before, kUsedKib / 4);
  EXPECT_LT(test::resident_kib() - before, kUsedKib / 8);
}

TEST(Memory, FreePagesBetweenUsedOnesGoBackWithATrim) {
  need_plain_heap();
  if (testing::Test::IsSkipped()) return;
  keep_heap_small();
  std::vector<std::unique_ptr<char[]>> blocks;
  const long before = test::resident_kib();
  constexpr std::size_t kBlock = 1024;
  for (std::size_t i = 0; i < std::size_t{kUsedKib} * 1024 / kBlock; ++i)
    blocks.push_back(std::make_unique<char[]>(kBlock));
  for (std::size_t i = 0; i < blocks.size(); ++i)
    if (i % 64 != 0) blocks[i].reset();
  EXPECT_GT(test::resident_kib() - before, kUsedKib / 2) << "the rest keeps them from going by themselves";
  trim_heap();
  EXPECT_LT(test::resident_kib() - before, kUsedKib / 4);
}

}  // namespace
}  // namespace evenkeel::runtime
