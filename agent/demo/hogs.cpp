#include "agent/demo/hogs.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>

#include "agent/demo/work.h"

namespace evenkeel::demo {
namespace {

constexpr std::uint64_t kRound = 100'000;  ///< iterations, about 0.2 ms
// Larger than the caches, small enough that the kernel reuses the same pages. Ever-growing memory would
// measure the hypervisor: a virtual machine's first touch of a page is work of its host, which no guest can
// schedule.
constexpr std::size_t kStormBytes = 64 << 20;
constexpr std::size_t kStormBytesOfAll = 1 << 30;

[[noreturn]] void spin(std::uint64_t& work) {
  std::uint64_t state = 1;
  const std::atomic_ref<std::uint64_t> counter(work);
  for (;;) {
    state = churn(kRound, state);
    counter.fetch_add(state == 0 ? 2 : 1, std::memory_order_relaxed);
  }
}

int storm(std::uint64_t& work, std::size_t bytes) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::atomic_ref<std::uint64_t> counter(work);
  for (;;) {
    void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) return 1;
    (void)::madvise(at, bytes, MADV_NOHUGEPAGE);
    auto* const memory = static_cast<volatile char*>(at);
    for (std::size_t i = 0; i < bytes; i += page) memory[i] = 1;
    ::munmap(at, bytes);
    counter.fetch_add(bytes / page, std::memory_order_relaxed);
  }
}

}  // namespace

Hogs::Hogs(const Stage& stage, Scenario scenario, int count) : counters_(static_cast<std::size_t>(count)) {
  const std::size_t bytes = std::min(kStormBytes, kStormBytesOfAll / static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < counters_.all().size(); ++i) {
    const auto hog = [&] {
      ::prctl(PR_SET_NAME, "demo-batch");
      if (!stage.enter(stage.batch()[i % stage.batch().size()])) return 1;
      std::uint64_t& counter = counters_.all()[i].work;
      if (scenario == Scenario::spinners) spin(counter);
      return storm(counter, bytes);
    };
    children_.push_back(Child::start(hog, SIGKILL));
  }
}

bool Hogs::running() {
  return !children_.empty() &&
         std::all_of(children_.begin(), children_.end(), [](Child& child) { return child.running(); });
}

std::uint64_t Hogs::work() const {
  std::uint64_t sum = 0;
  for (Counter& counter : counters_.all())
    sum += std::atomic_ref<std::uint64_t>(counter.work).load(std::memory_order_relaxed);
  return sum;
}

}  // namespace evenkeel::demo
