// Benchmarks both ways of counting: nanoseconds per context switch between two containers, with and without
// counting alternately in one run, from the kernel's count of CPU time of two tasks that wake each other; a
// tick; and descriptors. Without hardware counters it reads the same number of substitutes.
#include <array>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include "collectors/counters/cpu_counting.h"
#include "tests/support/bench.h"
#include "tests/support/live/counting_node.h"
#include "tests/support/live/ping_pong.h"

namespace evenkeel::test {
namespace {

using namespace literals;
using namespace std::chrono_literals;

constexpr int kRounds = 9, kTicks = 40;
constexpr std::array kSizes = {10, 330};

/// The container that is counted while the two tasks run: all the time, or in its turn of the rotation.
struct Case {
  const char* name;
  CounterBackend way;
  bool players, others;
};
constexpr std::array kCases = {
    Case{"rotating, their turn", CounterBackend::rotating, true, true},
    Case{"rotating, others' turn", CounterBackend::rotating, false, true},
    Case{"by CPU", CounterBackend::per_cpu, true, true},
};

class Bench {
 public:
  explicit Bench(counters::CounterEvents events) : events_(std::move(events)) {}

  int run() {
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    for (const int size : kSizes) {
      std::vector<std::string> pods;
      for (int i = 0; i < size; ++i) pods.push_back(pod(i));
      CountingNode node(pods);
      if (!node.why_not().empty()) return cannot_run(node.why_not());
      if (const auto why = node.begin(CounterBackend::per_cpu, events_); !why.empty()) return cannot_run(why);
      measure(node, size);
    }
    return failed_ ? 1 : 0;
  }

 private:
  /// Something that worked before now fails.
  void fails(const std::string& why) {
    std::printf("%s\n", why.c_str());
    failed_ = true;
  }
  static std::string pod(int i) { return std::to_string(1000 + i); }

  /// A sixth of the containers has its window, or all by CPU; the window does not end.
  void begin(CountingNode& node, const Case& one, int size) {
    node.settings.counter_window = 1h;
    node.settings.counter_period = 1ms;
    node.settings.most_counter_descriptors = 1'000'000;
    for (int i = 0; i < size; ++i) {
      const bool counted = i < 2 ? one.players : one.others && i < std::max(size / 6, 4);
      node.uses(pod(i), one.way == CounterBackend::per_cpu || counted ? 1_mcpu : 0_mcpu);
    }
    if (const auto why = node.begin(one.way, events_); !why.empty()) fails(why);
    node.tick();
    std::this_thread::sleep_for(2ms);
    node.tick();
  }

  void measure(CountingNode& node, int size) {
    const PingPong game(node.cgroups(), CountingNode::container(pod(0)), CountingNode::container(pod(1)));
    std::vector<double> off;
    std::array<std::vector<double>, kCases.size()> on;
    std::array<std::size_t, kCases.size()> descriptors{};
    for (int round = 0; round < kRounds; ++round) {
      node.stop();
      off.push_back(game.ns_per_switch(150ms));
      for (std::size_t i = 0; i < kCases.size(); ++i) {
        begin(node, kCases[i], size);
        descriptors[i] = node.node().counters.descriptors;
        on[i].push_back(game.ns_per_switch(150ms));
      }
    }
    std::printf("%zu events, %zu CPUs\n%-24s %10s %8s %8s %12s %22s %12s\n", events_.size(),
                node.node().topology.cpus.size(), "", "containers", "off ns", "on ns", "on - off ns",
                "% of a CPU at 20000/s", "descriptors");
    for (std::size_t i = 0; i < kCases.size(); ++i) {
      const double cost = median(on[i]) - median(off);
      std::printf("%-24s %10d %8.0f %8.0f %12.0f %22.2f %12zu\n", kCases[i].name, size, median(off),
                  median(on[i]), cost, cost * 20000 / 1e7, descriptors[i]);
    }
    for (const auto way : {CounterBackend::rotating, CounterBackend::per_cpu}) tick_of(node, way, size);
  }

  /// Windows of a sixth of the period, ten ticks in each.
  void tick_of(CountingNode& node, CounterBackend way, int size) {
    node.settings = {};
    node.settings.counter_window = 200ms;
    node.settings.counter_period = 1200ms;
    for (int i = 0; i < size; ++i) node.uses(pod(i), 1_mcpu);
    if (const auto why = node.begin(way, events_); !why.empty()) return fails(why);
    std::vector<double> us;
    for (int i = 0; i < kTicks; ++i) {
      std::this_thread::sleep_for(20ms);
      const auto from = std::chrono::steady_clock::now();
      node.tick();
      us.push_back(
          std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - from).count());
    }
    std::printf("%s: a tick of %.0f containers' windows takes %.0f us\n",
                way == CounterBackend::rotating ? "rotating" : "by CPU", size * 20.0 / 1200, median(us));
  }

  counters::CounterEvents events_;
  bool failed_ = false;
};

void print_reach(std::size_t events) {
  std::printf("%8s %24s %32s %24s\n", "CPUs", "each container takes", "rotation reaches in a period",
              "by CPU: descriptors");
  for (const std::size_t cpus : {2U, 8U, 32U, 64U, 128U, 256U}) {
    const counters::RotationBudget room{.events = events, .cpus = cpus};
    std::printf("%8zu %24zu %32zu %24zu\n", cpus, room.descriptors_per_cgroup(), room.per_period({}),
                room.descriptors_per_cgroup());
  }
}

int run() {
  const auto wanted = counters::encode_counter_events();
  auto events =
      wanted ? counters::probe_counters(*wanted, *Host::open("/")).events : counters::CounterEvents{};
  std::printf("%s\n",
              events.empty() ? "stand-ins: this machine has no hardware counters" : "hardware counters");
  if (events.empty()) events = stand_in();
  if (events.empty()) {
    return cannot_run("no msr events on this machine either");
  }
  print_reach(counters::kCountedKinds);
  return Bench(std::move(events)).run();
}

}  // namespace
}  // namespace evenkeel::test

int main() { return evenkeel::test::run(); }
