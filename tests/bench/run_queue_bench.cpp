// What the run-queue program costs: nanoseconds per context switch, with it and without it in turns in one
// run, by the kernel's own count of the CPU time that two tasks use who wake each other; and a reading of its
// tables.
#include <array>
#include <chrono>
#include <cstdio>
#include <vector>

#include "cgroup/tree.h"
#include "collectors/run_queue_reader.h"
#include "collectors/topology.h"
#include "tests/support/ping_pong.h"

namespace evenkeel::test {
namespace {

using namespace std::chrono_literals;

constexpr int kRounds = 15;
constexpr std::array kSizes = {10, 110, 330, 1000};

class Bench {
 public:
  int run() {
    if (!cgroups_.why_not().empty()) return skip(cgroups_.why_not());
    topology_ = read_topology(cgroups_.host(), CpuSet::range(0, 0));
    if (const auto tried = start(1); !tried) return skip(errno_name(tried.error().code));
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    std::printf("%8s %12s %12s %12s %22s %12s %12s\n", "cgroups", "off ns", "on ns", "on - off ns",
                "% of a CPU at 20000/s", "reading us", "tables KiB");
    for (const int size : kSizes) measure(size);
    return 0;
  }

 private:
  static int skip(const std::string& why) {
    std::printf("skipped: %s\n", why.c_str());
    return 0;
  }

  Result<RunQueueReader> start(std::size_t cgroups) {
    return RunQueueReader::start(
        {.unified = cgroups_.layout().v2(Controller::cpu), .cgroups = cgroups, .topology = &topology_});
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

  void measure(int size) {
    populate(size);
    const PingPong game(cgroups_, container(0), container(1));
    std::vector<double> off, on, reading;
    std::size_t bytes = 0;
    for (int round = 0; round < kRounds; ++round) {
      off.push_back(game.ns_per_switch(150ms));
      auto reader = start(watched_.size());
      if (!reader) return;
      reader->watch(watched_, MonoTime{});
      on.push_back(game.ns_per_switch(150ms));
      bytes = reader->bytes();
      for (int i = 0; i < 5; ++i) reading.push_back(read_us(*reader));
    }
    const double cost = median(on) - median(off);
    std::printf("%8zu %12.0f %12.0f %12.0f %22.2f %12.0f %12zu\n", watched_.size(), median(off), median(on),
                cost, cost * 20000 / 1e7, median(reading), bytes / 1024);
  }

  double read_us(RunQueueReader& reader) {
    const auto from = std::chrono::steady_clock::now();
    reader.read(run_queue_, stalls_);
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - from).count();
  }

  LiveCgroups cgroups_{};
  CgroupTree tree_{cgroups_.host(), cgroups_.layout()};
  CpuTopology topology_{};
  std::vector<WatchedCgroup> watched_{};
  RunQueue run_queue_{};
  std::vector<TaskStalls> stalls_{};
  int made_ = 0;
};

}  // namespace
}  // namespace evenkeel::test

int main() { return evenkeel::test::Bench().run(); }
