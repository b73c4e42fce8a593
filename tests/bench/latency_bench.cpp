// Benchmarks how the agent affects a service: the latency of its requests with the agent and all its
// measurements, and without it, alternately in one run on a node with 330 containers. The service answers a
// request every millisecond with 200 us of work; the client sees each answer as it arrives.
//
//   LATENCY_ROUNDS (3), LATENCY_SECONDS of each turn (3)
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "cgroup/base/result.h"
#include "tests/support/bench.h"
#include "tests/support/environment.h"
#include "tests/support/live/live_agent.h"
#include "tests/support/live/live_population.h"
#include "tests/support/live/ping_pong.h"
#include "tests/support/live/pinned_task.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;
constexpr int kPods = 110;

struct Turn {
  std::vector<double> us{};  ///< latency of each request
  void add(const Turn& other) { us.insert(us.end(), other.us.begin(), other.us.end()); }
  [[nodiscard]] double at(double part) {
    std::sort(us.begin(), us.end());
    return us[std::min(us.size() - 1, static_cast<std::size_t>(part * static_cast<double>(us.size())))];
  }
};

[[noreturn]] void serve(int socket) {
  char request = 0;
  while (::read(socket, &request, 1) == 1) {
    const auto end = Clock::now() + 200us;
    while (Clock::now() < end) continue;
    if (::write(socket, &request, 1) != 1) break;
  }
  ::_exit(0);
}

Turn ask(int socket, std::chrono::seconds time) {
  Turn out;
  auto next = Clock::now();
  for (const auto end = next + time; next < end;) {
    next = std::max(next + 1ms, Clock::now());
    std::this_thread::sleep_until(next);
    const auto asked = Clock::now();
    char answer = 0;
    if (::write(socket, "?", 1) != 1 || ::read(socket, &answer, 1) != 1) break;
    out.us.push_back(std::chrono::duration<double, std::micro>(Clock::now() - asked).count());
  }
  return out;
}

std::ptrdiff_t descriptors_of(pid_t pid) {
  const std::filesystem::directory_iterator all("/proc/" + std::to_string(pid) + "/fd");
  return std::distance(begin(all), end(all));
}

struct Cost {
  std::vector<double> cpu_percent{};
  std::ptrdiff_t descriptors = 0;
  double mebibytes = 0;
  bool agent_ended = false;  ///< it exited too early
};

Turn watched(const LiveCgroups& cgroups, int socket, std::chrono::seconds time, Cost& cost) {
  StateDir dir;
  std::ofstream(dir.path + "/nodeslo.yaml") << "extensions: {evenkeel: {interference: {enable: true}}}\n"
                                            << std::flush;
  LiveAgent agent({"--cgroup-root", cgroups.top(), "--nodeslo", dir.path + "/nodeslo.yaml", "--pods",
                   "cgroup", "--state-dir", dir.path + "/state", "--listen", "none", "--log-level",
                   "warning"});
  std::this_thread::sleep_for(3s);
  const auto before = agent.cpu_time();
  Turn out = ask(socket, time);
  cost.cpu_percent.push_back(100 * std::chrono::duration<double>(agent.cpu_time() - before) / time);
  cost.descriptors = descriptors_of(agent.pid());
  cost.mebibytes = static_cast<double>(agent.resident_kib()) / 1024;
  cost.agent_ended = cost.agent_ended || !agent.alive();
  return out;
}

int run() {
  LiveCgroups cgroups;
  if (!cgroups.why_not().empty()) {
    return cannot_run(cgroups.why_not());
  }
  const auto population = populate(cgroups, kPods);
  give_cpus(cgroups);
  cgroups.come_first();
  int sockets[2] = {-1, -1};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0) return 1;
  const Fd own(sockets[0]), its(sockets[1]);
  const PinnedTask service(cgroups, population.services.front(), 0, [&] { serve(its.get()); });
  if (!service.why_not().empty()) {
    return cannot_run(service.why_not());
  }
  // The measuring thread must not wait for the CPU.
  const sched_param first{.sched_priority = 1};
  ::sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &first);
  const std::chrono::seconds time(std::max(1, from_environment("LATENCY_SECONDS", 3)));
  Turn off, on;
  std::vector<double> ratios;
  Cost cost;
  ask(own.get(), 1s);
  for (int round = 0; round < from_environment("LATENCY_ROUNDS", 3); ++round) {
    Turn alone = ask(own.get(), time), beside = watched(cgroups, own.get(), time, cost);
    if (alone.us.empty() || beside.us.empty() || cost.agent_ended) {
      std::printf("FAILED: %s\n", cost.agent_ended ? "the agent has ended" : "the service did not answer");
      return 1;
    }
    ratios.push_back(beside.at(0.999) / alone.at(0.999));
    off.add(alone);
    on.add(beside);
  }
  std::printf(
      "| %d containers, %zu requests each | without the agent | with it | ratio |\n|---|---|---|---|\n",
      kPods * 3, on.us.size());
  for (const double part : {0.5, 0.99, 0.999})
    std::printf("| request, p%g | %.0f us | %.0f us | %.3f |\n", part * 100, off.at(part), on.at(part),
                on.at(part) / off.at(part));
  std::printf("| … p99.9, median of the rounds' ratios | | | %.3f |\n", median(ratios));
  std::printf("| the agent: CPU %.2f %% of a core, %td descriptors, %.1f MiB resident | | | |\n",
              median(cost.cpu_percent), cost.descriptors, cost.mebibytes);
  return 0;
}

}  // namespace
}  // namespace evenkeel::test

int main() { return evenkeel::test::run(); }
