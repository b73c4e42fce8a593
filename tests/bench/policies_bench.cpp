// Benchmarks what each policy, and each control loop outside the policies, adds to a tick without changes,
// with a realistic number of pods as real cgroups: one agent whose configuration alternates between nothing
// and that one loop, so that both are measured in one run with the same open files.
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "agent/agent.h"
#include "tests/support/alloc_guard.h"
#include "tests/support/bench.h"
#include "tests/support/live/live_population.h"
#include "tests/support/scenes/loop_settings.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {

constexpr int kSettle = 40, kRounds = 40;
constexpr int kSizes[] = {110};  // 500 take a minute: run by hand

/// CPU time of this thread, unaffected by other load on the machine.
double cpu_us() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
}

struct Phase {
  /// Lower quartile: the upper ones include the cache misses that a busy neighbour causes.
  double tick_us = 0;
  std::size_t writes = 0, steady = 0, allocations = 0, held = 0;
};

/// The agent with its pods.
class Node {
 public:
  explicit Node(int pods) {
    const Population population = populate(cgroups_, pods);
    give_cpus(cgroups_);
    std::ofstream(dir_.path + "/pods.json") << pod_list_of(population);
    configure(nodeslo_of({}));
    AgentOptions options;
    options.cgroup_root = cgroups_.top();
    options.inputs.nodeslo = dir_.path + "/nodeslo.yaml";
    options.inputs.pods = {inputs::PodsSource::Kind::file, dir_.path + "/pods.json"};
    auto created = Agent::create(options, log_, clock_, nullptr);
    if (!created.agent) std::fprintf(stderr, "%s\n", created.error.c_str());
    agent_ = std::move(created.agent);
  }
  ~Node() {
    if (agent_) agent_->stop(now_);
  }
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  [[nodiscard]] bool works() const { return agent_ != nullptr; }
  [[nodiscard]] std::size_t files() const { return agent_->view().observer.sampler().reads().size(); }
  Phase with(const std::vector<std::string_view>& settings) {
    configure(nodeslo_of(settings));
    for (int i = 0; i < kSettle; ++i) tick();
    std::vector<double> times;
    Phase phase;
    for (int i = 0; i < kRounds; ++i) {
      const AllocGuard guard;
      const double took = tick();
      const auto allocations = guard.allocations();
      times.push_back(took);
      const executor::Report& report = agent_->view().tick.result().report;
      phase.writes += report.writes.size();
      if (!report.writes.empty() || !report.refusals.empty()) continue;  // something was written
      ++phase.steady;
      phase.allocations += allocations;
    }
    std::nth_element(times.begin(), times.begin() + kRounds / 4, times.end());
    phase.tick_us = times[kRounds / 4];
    phase.held = agent_->view().execution.managed().size();
    return phase;
  }

 private:
  void configure(const std::string& text) {
    const auto file = dir_.path + "/nodeslo.yaml";
    std::ofstream(file + ".new") << text << std::flush;
    std::filesystem::rename(file + ".new", file);
  }
  double tick() {
    now_ += std::chrono::seconds(1);
    const double from = cpu_us();
    agent_->tick(now_);
    return cpu_us() - from;
  }
  LiveCgroups cgroups_{};
  StateDir dir_{};
  runtime::Log log_{STDERR_FILENO, runtime::LogFormat::text, runtime::LogLevel::error, nullptr};
  runtime::SystemClock clock_{};
  MonoTime now_{};
  std::unique_ptr<Agent> agent_{};
};

/// Whether no steady tick allocated.
bool print(std::string_view name, const Phase& on, double off_us) {
  const auto steady = static_cast<double>(std::max<std::size_t>(on.steady, 1));
  std::printf("| `%.*s` | %zu | %.0f | %.2f | %.2f | %.2f |\n", static_cast<int>(name.size()), name.data(),
              on.held, on.tick_us - off_us, on.tick_us / off_us, static_cast<double>(on.allocations) / steady,
              static_cast<double>(on.writes) / kRounds);
  std::fflush(stdout);
  return on.allocations == 0;
}

bool measure(int pods) {
  Node node(pods);
  if (!node.works()) return false;
  const Phase first = node.with({});
  std::printf("\n%d pods, %d containers, %zu files; a tick with nothing on takes %.0f µs of CPU\n\n", pods,
              pods * 3, node.files(), first.tick_us);
  std::printf(
      "| alone | values held | µs more | ratio to nothing on | allocations per steady tick | writes per "
      "tick |\n|---|---|---|---|---|---|\n");
  bool good = print("nothing", first, first.tick_us);
  double before = first.tick_us;
  auto loops = loop_settings();
  loops.push_back({"all together", settings_of_all()});
  for (const auto& loop : loops) {
    const Phase on = node.with(loop.settings);
    const Phase after = node.with({});
    good = print(loop.name, on, (before + after.tick_us) / 2) && good;
    if (after.held > 0) std::printf("(%zu values were still held afterwards)\n", after.held);
    before = after.tick_us;
  }
  return good;
}

/// Runs for these numbers of pods.
int run(std::vector<int> sizes) {
  if (const LiveCgroups probe; !probe.why_not().empty()) {
    return cannot_run(probe.why_not());
  }
  bool good = true;
  if (sizes.empty()) sizes.assign(std::begin(kSizes), std::end(kSizes));
  for (const int pods : sizes) good = measure(pods) && good;
  return good ? 0 : 1;
}

}  // namespace
}  // namespace evenkeel::test

int main(int count, char** words) {
  // Sharing the network changes it, which must not be the machine's own network.
  if (::unshare(CLONE_NEWNET) != 0) std::printf("in the machine's own network: %s\n", std::strerror(errno));
  std::vector<int> sizes;
  for (int i = 1; i < count; ++i) sizes.push_back(std::atoi(words[i]));
  return evenkeel::test::run(std::move(sizes));
}
