#include "agent/demo/load.h"

#include <sched.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <ctime>

#include "cgroup/base/text.h"

namespace evenkeel::demo {

namespace {

Duration clock_of(clockid_t id) {
  timespec now{};
  ::clock_gettime(id, &now);
  return std::chrono::seconds(now.tv_sec) + Duration(now.tv_nsec);
}

}  // namespace

Duration monotonic() { return clock_of(CLOCK_MONOTONIC); }

std::uint64_t churn(std::uint64_t iterations, std::uint64_t seed) {
  std::uint64_t x = seed | 1;
  for (std::uint64_t i = 0; i < iterations; ++i) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
  }
  return x;
}

std::uint64_t calibrated_iterations(Duration cost) {
  constexpr std::uint64_t kSample = 200'000;
  constexpr int kAttempts = 30;
  Duration best = Duration::max();
  std::uint64_t seed = 1;
  for (int i = 0; i < kAttempts; ++i) {
    const Duration before = clock_of(CLOCK_THREAD_CPUTIME_ID);
    seed = churn(kSample, seed);
    best = std::min(best, clock_of(CLOCK_THREAD_CPUTIME_ID) - before);
  }
  const auto iterations =
      scaled(static_cast<std::int64_t>(kSample), cost.count(), std::max<std::int64_t>(best.count(), 1));
  return static_cast<std::uint64_t>(iterations) + (seed == 0 ? 1 : 0);
}

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

std::vector<int> usable_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) cpus.push_back(cpu);
  return cpus;
}

// user, nice, system, then idle and iowait (unused time), then irq, softirq and steal. Guest time is
// contained in user and nice.
std::optional<MachineTimes> machine_times(const Host& host) {
  const auto text = host.slurp("proc/stat");
  if (!text) return std::nullopt;
  Scanner scan(*text);
  if (!scan.eat("cpu ")) return std::nullopt;
  constexpr int kIdle = 3, kIowait = 4, kSteal = 7, kFields = 8;
  std::int64_t used = 0, stolen = 0;
  for (int field = 0; field < kFields; ++field) {
    const auto value = scan.number();
    if (!value) return std::nullopt;
    if (field == kSteal) stolen = *value;
    if (field != kIdle && field != kIowait && field != kSteal) used += *value;
  }
  const auto time_of = [](std::int64_t ticks) {
    return CpuTime(scaled(ticks, 1'000'000'000, ::sysconf(_SC_CLK_TCK)));
  };
  return MachineTimes{time_of(used), time_of(stolen)};
}

std::optional<CpuReading> read_cpu(const Host& host, const Stage& stage) {
  const auto machine = machine_times(host);
  const auto service = stage.service_cpu_time();
  const auto batch = stage.batch_cpu_time();
  if (!machine || !service || !batch) return std::nullopt;
  return CpuReading{monotonic(), *machine, *service, *batch};
}

CpuShares cpu_between(const CpuReading& from, const CpuReading& to, std::size_t cpus) {
  const auto wall = static_cast<double>((to.at - from.at).count());
  if (wall <= 0) return {};
  const auto used = [wall](CpuTime before, CpuTime after) {
    return static_cast<double>((after - before).count()) / wall;
  };
  CpuShares shares;
  shares.service = used(from.service, to.service);
  shares.batch = used(from.batch, to.batch);
  shares.stolen = used(from.machine.stolen, to.machine.stolen);
  const double machine = used(from.machine.used, to.machine.used);
  // The machine's counter advances in ticks, the cgroups' in nanoseconds: differences may be slightly
  // negative.
  shares.others = std::max(0.0, machine - shares.service - shares.batch);
  shares.idle = std::max(
      0.0, static_cast<double>(cpus) - shares.service - shares.batch - shares.others - shares.stolen);
  return shares;
}

}  // namespace evenkeel::demo
