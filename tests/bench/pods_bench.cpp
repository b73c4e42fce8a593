// Benchmarks parsing a kubelet's pod list: 500 pods, 5 MB, most of which the agent ignores.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "agent/pods/pod_list.h"
#include "tests/support/alloc_guard.h"
#include "tests/support/fakes/kubelet_texts.h"

namespace evenkeel::test {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kRounds = 41;

struct Times {
  double least = 0, median = 0;
};
template <class F>
Times milliseconds_of(F&& work) {
  std::vector<double> times;
  for (int i = 0; i < kRounds; ++i) {
    const auto from = Clock::now();
    work();
    times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - from).count());
  }
  std::sort(times.begin(), times.end());
  return {times.front(), times[times.size() / 2]};
}

int run() {
  const std::string text = many_pods(500, 10'400);
  std::size_t pods = 0;
  const auto list = milliseconds_of(
      [&] { pods = pods::parse_pod_list(text, "kubelet", pods::Source::server).pods.size(); });
  const auto whole = milliseconds_of([&] { document::parse_json(text, "kubelet"); });
  const AllocGuard guard;
  pods::parse_pod_list(text, "kubelet", pods::Source::server);
  const auto allocations = guard.allocations();
  std::printf("| a list of %zu pods, %.1f MB | least | median | goal |\n|---|---|---|---|\n", pods,
              static_cast<double>(text.size()) / 1e6);
  std::printf("| read as pods | %.1f ms | %.1f ms | 10 ms |\n", list.least, list.median);
  std::printf("| to the goal | %.2f | %.2f | 1 |\n", list.least / 10, list.median / 10);
  std::printf("| every member built as a value | %.1f ms | %.1f ms | |\n", whole.least, whole.median);
  std::printf("| allocations | %zu | | |\n", allocations);
  return pods == 500 ? 0 : 1;
}

}  // namespace
}  // namespace evenkeel::test

int main() { return evenkeel::test::run(); }
