// Benchmarks a tick with a realistic number of pods as real cgroups: as a ratio to plain preads of the same
// files on open descriptors, measured alternately in one run; and its growth with the number of pods.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <vector>

#include "agent/agent.h"
#include "tests/support/alloc_guard.h"
#include "tests/support/bench.h"
#include "tests/support/live/live_population.h"
#include "tests/support/scenes/nodeslo_texts.h"

namespace evenkeel::test {
namespace {

using Nanoseconds = std::chrono::nanoseconds;
constexpr int kWarmUp = 40, kRounds = 100;
constexpr std::array kSizes = {110, 220, 310, 500};

struct OpenRead {
  Fd fd{};
  int every = 1;
};

/// Empty if there are not enough descriptors for both the agent and the benchmark.
std::vector<OpenRead> open_all(const std::vector<collectors::SamplerRead>& reads) {
  std::vector<OpenRead> all;
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  if (2 * reads.size() > limit.rlim_max) return all;
  for (const auto& read : reads) {
    Fd fd(::open(("/" + read.path).c_str(), O_RDONLY | O_CLOEXEC));
    if (fd) all.push_back({std::move(fd), read.every});
  }
  return all;
}

template <class F>
Nanoseconds timed(F&& f) {
  const auto from = std::chrono::steady_clock::now();
  f();
  return std::chrono::steady_clock::now() - from;
}

/// Reads what a tick reads: each file when it is due, staggered as in the agent.
void bare_reads(const std::vector<OpenRead>& files, int round, std::vector<char>& buffer) {
  for (std::size_t i = 0; i < files.size(); ++i)
    if ((round + static_cast<int>(i)) % files[i].every == 0)
      if (::pread(files[i].fd.get(), buffer.data(), buffer.size(), 0) < 0) continue;
}

double median_us(std::vector<Nanoseconds> all) {
  std::nth_element(all.begin(), all.begin() + static_cast<long>(all.size() / 2), all.end());
  return std::chrono::duration<double, std::micro>(all[all.size() / 2]).count();
}

struct Measured {
  std::size_t files = 0, reopened = 0, allocations = 0;
  double tick_us = 0, bare_us = 0;
};

std::unique_ptr<Agent> make_agent(const LiveCgroups& cgroups, const std::string& slo, runtime::Log& log,
                                  const runtime::Clock& clock) {
  AgentOptions options;
  options.cgroup_root = cgroups.top();
  options.inputs.nodeslo = slo;
  auto created = Agent::create(options, log, clock, nullptr);
  if (!created.agent) std::fprintf(stderr, "%s\n", created.error.c_str());
  return std::move(created.agent);
}

Measured measure(int pods, const std::string& slo) {
  LiveCgroups cgroups;
  populate(cgroups, pods);
  runtime::Log log(STDERR_FILENO, runtime::LogFormat::text, runtime::LogLevel::error, nullptr);
  const runtime::SystemClock clock;
  const auto agent = make_agent(cgroups, slo, log, clock);
  Measured result;
  if (!agent) return result;
  MonoTime now{};
  const auto tick = [&] {
    now += std::chrono::seconds(1);
    agent->tick(now);
  };
  for (int i = 0; i < kWarmUp; ++i) tick();
  const auto files = open_all(agent->view().observer.sampler().reads());
  result.files = agent->view().observer.sampler().reads().size();
  result.reopened = agent->view().observer.sampler().health().files_reopened;
  std::vector<char> buffer(65536);
  std::vector<Nanoseconds> ticks, bare;
  ticks.reserve(kRounds);
  bare.reserve(kRounds);
  for (int i = 0; i < kRounds; ++i) {
    const AllocGuard guard;
    ticks.push_back(timed(tick));
    const std::size_t allocations = guard.allocations();
    if (agent->view().tick.result().report.writes.empty())
      result.allocations += allocations;  // a steady tick
    bare.push_back(timed([&] { bare_reads(files, i, buffer); }));
  }
  result.tick_us = median_us(ticks);
  result.bare_us = median_us(bare);
  agent->stop(now);
  return result;
}

void print(int pods, const Measured& m) {
  std::printf("| %d pods, %d containers | %zu | %zu | %.0f |", pods, pods * 3, m.files, m.reopened,
              m.tick_us);
  if (m.bare_us > 1000) {
    std::printf(" %.0f | %.2f |", m.bare_us, m.tick_us / m.bare_us);
  } else {
    std::printf(" (too few descriptors) | |");
  }
  std::printf(" %.2f |\n", static_cast<double>(m.allocations) / kRounds);
}

/// Linear while there are enough descriptors; a file that is opened for each read costs several times as
/// much.
void print_growth(std::size_t i, const std::vector<Measured>& all) {
  std::printf("%d -> %d pods: %.2f times the files, %.2f times the time\n", kSizes[0], kSizes[i],
              static_cast<double>(all[i].files) / static_cast<double>(all[0].files),
              all[i].tick_us / all[0].tick_us);
}

int run() {
  if (const LiveCgroups probe; !probe.why_not().empty()) {
    return cannot_run(probe.why_not());
  }
  const std::string slo = "/tmp/evenkeel-bench-" + std::to_string(::getpid()) + ".yaml";
  std::ofstream(slo) << kCpuFeatures;
  std::printf(
      "| one tick | files | of these reopened | tick, µs | bare preads, µs | ratio | allocations per steady "
      "tick "
      "|\n|---|---|---|---|---|---|---|\n");
  std::vector<Measured> all;
  for (const int pods : kSizes) all.push_back(measure(pods, slo));
  ::unlink(slo.c_str());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].files == 0) return 1;
    print(kSizes[i], all[i]);
  }
  std::printf("\n");
  for (std::size_t i = 1; i < all.size(); ++i) print_growth(i, all);
  return 0;
}

}  // namespace
}  // namespace evenkeel::test

int main() { return evenkeel::test::run(); }
