#include "agent/runtime/heap.h"

#include <malloc.h>
#include <unistd.h>

#include <cstdlib>
#include <new>
#include <string_view>

namespace evenkeel::runtime {
namespace {

/// Blocks of this size and above have pages of their own, so that they leave no holes; the tables of a node
/// with hundreds of containers do. As long as it is set, the library does not raise it by itself.
constexpr int kOwnPages = 64 * 1024;
/// So much may be free at the end of the heap.
constexpr int kFreeAtTheEnd = 128 * 1024;

}  // namespace

void keep_heap_small() {
  ::mallopt(M_MMAP_THRESHOLD, kOwnPages);
  ::mallopt(M_TRIM_THRESHOLD, kFreeAtTheEnd);
  ::mallopt(M_ARENA_MAX, 1);
}

void trim_heap() { ::malloc_trim(0); }

void abort_without_memory() {
  std::set_new_handler([] {
    constexpr std::string_view kReason = "evenkeel: out of memory\n";
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kReason.data(), kReason.size());
    std::abort();
  });
}

}  // namespace evenkeel::runtime
