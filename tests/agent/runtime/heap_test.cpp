// Memory that was used for a moment goes back to the kernel.
#include "agent/runtime/heap.h"

#include <gtest/gtest.h>

#include <csignal>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "tests/support/resident.h"
#include "tests/support/rounds.h"

namespace evenkeel::runtime {
namespace {

void need_plain_heap() {
#ifdef EVENKEEL_WATCHED
  GTEST_SKIP() << "sanitizers have a heap of their own";
#endif
}

TEST(Memory, ALargeBlockGoesBackAtOnceHoweverLargeTheOnesBefore) {
  need_plain_heap();
  if (testing::Test::IsSkipped()) return;
  keep_heap_small();
  std::make_unique<std::string>(std::size_t{16} << 20, 'x').reset();  // a page of 16 MiB, for a moment
  const long before = test::resident_kib();
  // So much that what the other tests have left free in the heap does not count.
  constexpr std::size_t kBlock = std::size_t{1} << 20;
  constexpr long kBlocks = 128, kMostKib = kBlocks / 2 * 1024;
  std::vector<std::unique_ptr<char[]>> blocks;
  for (std::size_t i = 0; i < kBlocks; ++i) {
    blocks.push_back(std::make_unique<char[]>(kBlock));
    if (i % 2 == 1) blocks[i - 1].reset();
  }
  const long most = test::resident_kib();
  blocks.clear();
  EXPECT_GT(most - before, kMostKib / 2);
  EXPECT_LT(test::resident_kib() - before, kMostKib / 4);
}

TEST(Memory, FreePagesBetweenUsedOnesGoBackWithATrim) {
  need_plain_heap();
  if (testing::Test::IsSkipped()) return;
  keep_heap_small();
  constexpr long kUsedKib = 32 * 1024;
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

// That operator new asks it is tested by tests/faults: the tests have an operator new of their own.
TEST(Memory, WithoutAnyTheProcessSaysSoAndAborts) {
  EXPECT_EQ(std::get_new_handler(), nullptr);
  EXPECT_EXIT(
      {
        abort_without_memory();
        std::get_new_handler()();
      },
      testing::KilledBySignal(SIGABRT), "evenkeel: out of memory");
}

}  // namespace
}  // namespace evenkeel::runtime
