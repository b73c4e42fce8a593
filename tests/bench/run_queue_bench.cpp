// Benchmarks the run-queue program: nanoseconds per context switch, with and without it alternately in one
// run, from the kernel's count of CPU time of two tasks that wake each other; and a reading of its tables.
// One task is a service and the other best effort, so that each switch concerns the brake.
#include <array>
#include <chrono>
#include <cstdio>
#include <vector>

#include "cgroup/tree/tree.h"
#include "collectors/node/parsers.h"
#include "collectors/run_queue/alarms.h"
#include "collectors/run_queue/reader.h"
#include "tests/support/bench.h"
#include "tests/support/live/ping_pong.h"

namespace evenkeel::test {
namespace {

using namespace std::chrono_literals;

constexpr int kRounds = 9;
constexpr std::array kSizes = {10, 330, 1000};
constexpr std::array kUses = {run_queue::RunQueueFeatures{.measure = true, .brake = false},
                              run_queue::RunQueueFeatures{.measure = false, .brake = true},
                              run_queue::RunQueueFeatures{.measure = true, .brake = true}};

class Bench {
 public:
  int run() {
    if (!cgroups_.why_not().empty()) return cannot_run(cgroups_.why_not());
    topology_ = node::read_topology(cgroups_.host(), CpuSet::range(0, 0));
    if (const auto tried = start(1, {}); !tried)
      return cannot_run(std::string("no programs in the kernel: ") + errno_name(tried.error().code));
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    std::printf("%8s %8s | %22s | %22s | %22s | %10s %10s\n", "", "without", "measuring",
                "for the brake alone", "both", "", "");
    std::printf("%8s %8s | %10s %11s | %10s %11s | %10s %11s | %10s %10s\n", "cgroups", "ns", "ns more",
                "% at 20k/s", "ns more", "% at 20k/s", "ns more", "% at 20k/s", "reading us", "tables KiB");
    for (const int size : kSizes)
      if (!measure(size)) return 1;
    return 0;
  }

 private:
  Result<run_queue::RunQueueReader> start(std::size_t cgroups, run_queue::RunQueueFeatures use) {
    return run_queue::RunQueueReader::start({.unified = cgroups_.layout().v2(Controller::cpu),
                                             .cgroups = cgroups,
                                             .topology = &topology_,
                                             .use = use});
  }

  /// The first container is a service, the second best effort; the threshold is never reached.
  void take_sides(const run_queue::RunQueueReader& reader) {
    auto& terms = *reinterpret_cast<BrakeThresholds*>(reader.program().mapped("brake_terms").data());
    terms = {.window_ns = 25'000'000, .threshold_ns = ~0ULL};
    auto* sides = reinterpret_cast<BrakeSide*>(reader.program().mapped("brake_sides").data());
    const auto slot = [&](int i) {
      return *reader.slots().find(tree_.find_path(cgroups_.top() + '/' + container(i))->id);
    };
    sides[slot(0)].side = slot(0);
    sides[slot(1)].side = kBesteffortSide;
  }

  /// Pods of three containers; only the first two have tasks.
  void populate(int size) {
    for (; made_ < size; ++made_) cgroups_.make_in(cgroups_.layout().root(Controller::cpu), container(made_));
    for (const auto& hierarchy : cgroups_.layout().hierarchies())
      for (int i = 0; i < 2; ++i) cgroups_.make_in(hierarchy, container(i));
    tree_.scan();
    watched_.clear();
    for (const auto* cgroup : tree_.all()) watched_.push_back({cgroup->id, cgroup->inode});
  }
  static std::string container(int i) {
    return "kubepods/burstable/pod" + std::to_string(i / 3) + "/" + std::string(60, 'c') +
           std::to_string(1000 + i);
  }

  /// False: the program no longer loads.
  bool measure(int size) {
    populate(size);
    const PingPong game(cgroups_, container(0), container(1));
    std::vector<double> off, reading;
    std::array<std::vector<double>, kUses.size()> on;
    std::size_t bytes = 0;
    for (int round = 0; round < kRounds; ++round) {
      off.push_back(game.ns_per_switch(150ms));
      for (std::size_t use = 0; use < kUses.size(); ++use) {
        auto reader = start(watched_.size(), kUses[use]);
        if (!reader) return false;
        reader->watch(watched_, MonoTime{});
        if (kUses[use].brake) take_sides(*reader);
        on[use].push_back(game.ns_per_switch(150ms));
        bytes = reader->bytes();
        for (int i = 0; kUses[use].measure && i < 5; ++i) reading.push_back(read_us(*reader));
      }
    }
    std::printf("%8zu %8.0f", watched_.size(), median(off));
    for (const auto& one : on) {
      const double cost = median(one) - median(off);
      std::printf(" | %10.0f %11.2f", cost, cost * 20000 / 1e7);
    }
    std::printf(" | %10.0f %10zu\n", median(reading), bytes / 1024);
    return true;
  }

  double read_us(run_queue::RunQueueReader& reader) {
    const auto from = std::chrono::steady_clock::now();
    reader.read(run_queue_, stalls_);
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - from).count();
  }

  LiveCgroups cgroups_{};
  tree::CgroupTree tree_{cgroups_.host(), cgroups_.layout()};
  CpuTopology topology_{};
  std::vector<bpf::WatchedCgroup> watched_{};
  RunQueue run_queue_{};
  std::vector<TaskStalls> stalls_{};
  int made_ = 0;
};

}  // namespace
}  // namespace evenkeel::test

int main() { return evenkeel::test::Bench().run(); }
