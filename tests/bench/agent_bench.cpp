// Benchmarks the real program with a realistic number of pods as real cgroups: memory, CPU at one tick a
// second, the time from the creation of a pod's cgroup to its QoS being applied, and from SIGTERM to
// everything restored.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "cgroup/base/result.h"
#include "tests/support/bench.h"
#include "tests/support/live/live_agent.h"
#include "tests/support/live/live_population.h"
#include "tests/support/scenes/nodeslo_texts.h"

namespace evenkeel::test {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kPods = 110, kBirths = 200;
/// The agent may use a tenth of the time for births; with more of them the others wait for the next tick.
constexpr std::chrono::milliseconds kBetweenBirths{150};

double ms(Clock::duration time) { return std::chrono::duration<double, std::milli>(time).count(); }

char first_byte(const Fd& file) {
  char byte = 0;
  return ::pread(file.get(), &byte, 1, 0) == 1 ? byte : '?';
}

/// From the mkdir of a service's pod in the cpu hierarchy until its container may burst: shares, quota and
/// container are set in between, as the kubelet and the runtime do it. At most a second.
Clock::duration birth_to_qos(LiveCgroups& cgroups, int number) {
  const std::string path =
      "kubepods/burstable/podcccccccc-0000-0000-0000-" + std::to_string(100000000000 + number);
  const std::string container = path + "/c0", cpu = cgroups.layout().root(Controller::cpu);
  const bool v2 = cgroups.layout().v2(Controller::cpu);
  const auto born = Clock::now();
  for (const auto& dir : {path, container}) {
    cgroups.make_in(cpu, dir);
    std::ofstream(cgroups.file(Controller::cpu, dir, v2 ? "cpu.weight" : "cpu.shares"))
        << (v2 ? "20" : "512") << std::flush;
    std::ofstream(cgroups.quota_file(dir)) << "100000" << std::flush;
  }
  const Fd file(::open(cgroups.burst_file(container).c_str(), O_RDONLY | O_CLOEXEC));
  while (first_byte(file) == '0' && Clock::now() - born < std::chrono::seconds(1)) std::this_thread::yield();
  const auto took = Clock::now() - born;
  cgroups.remove(container);
  cgroups.remove(path);
  std::this_thread::sleep_for(kBetweenBirths);
  return took;
}

std::vector<std::string> arguments(const LiveCgroups& cgroups, const std::string& dir) {
  return {"--cgroup-root", cgroups.top(), "--nodeslo",   dir + "/nodeslo.yaml",
          "--pods",        "cgroup",      "--state-dir", dir,
          "--listen",      "none",        "--log-level", "warning"};
}

void measure(LiveCgroups& cgroups, const std::string& dir) {
  LiveAgent agent(arguments(cgroups, dir));
  std::this_thread::sleep_for(std::chrono::seconds(3));
  const auto cpu_before = agent.cpu_time();
  const auto from = Clock::now();
  std::this_thread::sleep_for(std::chrono::seconds(15));
  const double cpu_percent = 100 * ms(agent.cpu_time() - cpu_before) / ms(Clock::now() - from);
  const long resident = agent.resident_kib();
  std::vector<Clock::duration> births;
  for (int i = 0; i < kBirths; ++i) births.push_back(birth_to_qos(cgroups, i));
  std::sort(births.begin(), births.end());
  const auto stop = agent.stop();
  std::printf("| %d pods, %d containers, 1 s ticks | measured | goal |\n|---|---|---|\n", kPods, kPods * 3);
  std::printf("| resident memory | %.1f MiB | 15 MiB |\n", static_cast<double>(resident) / 1024);
  std::printf("| CPU | %.2f %% of a core | 1 %% |\n", cpu_percent);
  std::printf("| birth of a pod's cgroup to its QoS in force, p50 | %.2f ms | |\n",
              ms(births[births.size() / 2]));
  std::printf("| … p99 of %d | %.2f ms | 5 ms |\n", kBirths, ms(births[births.size() * 99 / 100]));
  std::printf("| SIGTERM to everything restored | %.1f ms | |\n", ms(stop));
  std::printf("| exit status | %d | 0 |\n", agent.exit_status());
}

int run() {
  LiveCgroups cgroups;
  if (!cgroups.why_not().empty()) {
    return cannot_run(cgroups.why_not());
  }
  populate(cgroups, kPods);
  const std::string dir = "/tmp/evenkeel-bench-" + std::to_string(::getpid());
  std::filesystem::create_directories(dir);
  std::ofstream(dir + "/nodeslo.yaml") << kCpuFeatures;
  measure(cgroups, dir);
  std::filesystem::remove_all(dir);
  return 0;
}

}  // namespace
}  // namespace evenkeel::test

int main() { return evenkeel::test::run(); }
