// Benchmarks how quickly best effort is braked: batch work starts beside a service on a node with other pods,
// and the time until the quota is written is measured. Once with the run-queue program, and once with
// pressure triggers alone, where the kernel's window takes most of the time. (A second trigger beside the
// agent's would not separate the two parts: in windows of 2 s each trigger fires in its own rhythm.)
//
//   BRAKE_BURSTS (40 with the run queue, 4 with pressure in windows of 2 s, otherwise 15), BRAKE_PODS (110),
//   BRAKE_WINDOW (50ms: the requested window)
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "agent/document/units_text.h"
#include "cgroup/reclaim/pressure_trigger.h"
#include "tests/support/bench.h"
#include "tests/support/environment.h"
#include "tests/support/live/burst.h"
#include "tests/support/live/live_agent.h"
#include "tests/support/live/live_population.h"
#include "tests/support/process.h"
#include "tests/support/soon.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
constexpr const char* kService = "kubepods/burstable/podeeeeeeee-0000-0000-0000-000000000001";
constexpr const char* kBatch = "kubepods/besteffort/podeeeeeeee-0000-0000-0000-000000000002";
constexpr const char* kBestEffort = "kubepods/besteffort";
constexpr std::chrono::seconds kPatience{30};
constexpr std::chrono::minutes kMostTime{3};  // includes the load of other processes
constexpr int kStallPercent = 20;
constexpr const char* kNoBpf = "brake-uses-pressure-only";

double ms(Clock::duration time) { return std::chrono::duration<double, std::milli>(time).count(); }

struct Times {
  std::vector<double> all{};
  [[nodiscard]] double share(int percent) {
    std::sort(all.begin(), all.end());
    return all.empty() ? 0
                       : all[std::min(all.size() - 1, all.size() * static_cast<std::size_t>(percent) / 100)];
  }
};

void print(const char* what, Times times) {
  std::printf("| %s | %zu | %.2f ms | %.2f ms | %.2f ms |\n", what, times.all.size(), times.share(50),
              times.share(99), times.share(100));
}

/// A node with pods, one working service and one batch pod that can start.
class Node {
 public:
  explicit Node(int pods) {
    if (!cgroups_.why_not().empty()) return;
    populate(cgroups_, pods);
    cgroups_.make(kService);
    cgroups_.make(kBatch);
    quota_file_ = cgroups_.quota_file(kBestEffort);
    original_ = text_of_file(quota_file_);
    const auto cpus = static_cast<int>(std::thread::hardware_concurrency());
    service_.emplace(cgroups_, kService, cpus);
    batch_.emplace(cgroups_, kBatch, 2 * cpus);
    written_ = Fd(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
    ::inotify_add_watch(written_.get(), quota_file_.c_str(), IN_MODIFY);
  }
  [[nodiscard]] const LiveCgroups& cgroups() const { return cgroups_; }
  [[nodiscard]] bool braked() const { return text_of_file(quota_file_) != original_; }

  void work() { service_->begin(); }

  /// Milliseconds from its start to the write; absent: the agent did not brake.
  std::optional<double> burst() {
    std::optional<double> to_write;
    forget_writes();
    const auto from = Clock::now();
    batch_->begin();
    while (!to_write && Clock::now() - from < kPatience) {
      pollfd write{written_.get(), POLLIN, 0};
      if (::poll(&write, 1, 1000) <= 0) continue;
      const double now = ms(Clock::now() - from);
      forget_writes();
      if (braked()) to_write = now;
    }
    batch_->end();
    soon([this] { return !braked(); }, kPatience);
    return to_write;
  }

 private:
  void forget_writes() const {
    char room[4096];
    while (::read(written_.get(), room, sizeof room) > 0) continue;
  }
  LiveCgroups cgroups_{};
  std::string quota_file_{}, original_{};
  std::optional<test::Burst> service_{}, batch_{};
  Fd written_{};
};

/// The agent's own measurement: from its wake-up (run queue: from the kernel's alarm) to the end of the
/// write.
Times own_words(const std::string& log) {
  Times out;
  constexpr std::string_view kWord = "reaction_us=";
  for (auto at = log.find(kWord); at != std::string::npos; at = log.find(kWord, at + 1))
    out.all.push_back(std::atof(log.c_str() + at + kWord.size()) / 1000);
  return out;
}

int count_in(const std::string& text, std::string_view word) {
  int count = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

struct Trial {
  bool run_queue = false;
  int bursts = 0;
  milliseconds least_pause{}, most_pause{};
};

struct Outcome {
  Times to_write{}, own{};
  int missed = 0, by_run_queue = 0;
  std::string bpf_unavailable_reason{};
  /// One alarm may be lost on a busy machine; more than a fifth means that the alarms do not arrive.
  [[nodiscard]] bool brakes() const {
    const auto braked = static_cast<int>(to_write.all.size());
    return braked > 0 && (missed <= 1 || missed * 4 <= braked);
  }
};

/// One burst at a time, at random moments between two ticks.
void burst_on(Node& node, const Trial& trial, Outcome& out) {
  std::mt19937 random(5);
  std::uniform_int_distribution<long> pause_ms(trial.least_pause.count(), trial.most_pause.count());
  const auto from = Clock::now();
  for (int i = 0; i < trial.bursts && Clock::now() - from < kMostTime; ++i) {
    std::this_thread::sleep_for(milliseconds(pause_ms(random)));
    const auto burst = node.burst();
    if (burst)
      out.to_write.all.push_back(*burst);
    else
      ++out.missed;
  }
}

std::optional<Outcome> run(Node& node, const Trial& trial, const std::string& window) {
  StateDir dir;
  std::ofstream(dir.path + "/nodeslo.yaml")
      << "extensions: {evenkeel: {brake: {enable: true, maxDutyPercent: 100, lease: 100ms, "
         "leastMilliCPUPerPod: 0, runQueue: "
      << (trial.run_queue ? "true" : "false") << ", cpuPressurePercent: " << kStallPercent
      << ", window: " << window << "}}}\n"
      << std::flush;
  LiveAgent agent({"--cgroup-root", node.cgroups().top(), "--nodeslo", dir.path + "/nodeslo.yaml", "--pods",
                   "cgroup", "--state-dir", dir.path + "/state", "--listen", "none"});
  if (!agent.logged("started", kPatience)) return std::nullopt;
  std::this_thread::sleep_for(std::chrono::seconds(3));
  Outcome out;
  if (const auto log = agent.log(); log.find(kNoBpf) != std::string::npos) {
    out.bpf_unavailable_reason = log.substr(log.find(kNoBpf));
    return out;
  }
  burst_on(node, trial, out);
  agent.stop();
  out.own = own_words(agent.log());
  out.by_run_queue = count_in(agent.log(), "source=run-queue");
  return out;
}

void head(const char* what, const Outcome& out) {
  std::printf("%s; not braked: %d\n", what, out.missed);
  std::printf("| | bursts | p50 | p99 | longest |\n|---|---|---|---|---|\n");
}

int run() {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const int pods = from_environment("BRAKE_PODS", 110);
  Node node(pods);
  if (!node.cgroups().why_not().empty() || node.cgroups().layout().unified.empty()) {
    return cannot_run("no unified hierarchy with pressure");
  }
  const char* asked = std::getenv("BRAKE_WINDOW");
  const std::string wanted = asked != nullptr ? asked : "50ms";
  const auto window = reclaim::shortest_window(node.cgroups().host(),
                                               document::parse_duration(wanted).value_or(milliseconds(50)));
  if (!window) {
    return cannot_run("the kernel gives no pressure trigger");
  }
  node.work();
  // The measuring thread must not wait for the CPU.
  const sched_param first{.sched_priority = 1};
  ::sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &first);
  const auto window_ms = *window / milliseconds(1);
  std::printf("batch work begins beside a service, %d other pods, window of %s asked for\n", pods,
              wanted.c_str());
  const auto fast = run(node,
                        {.run_queue = true,
                         .bursts = from_environment("BRAKE_BURSTS", 40),
                         .least_pause = milliseconds(150),
                         .most_pause = milliseconds(450)},
                        wanted);
  if (!fast) return 1;
  if (fast->bpf_unavailable_reason.empty()) {
    head("run queue (BPF) and pressure, the earlier one", *fast);
    print("burst to the write", fast->to_write);
    print("the kernel's call to the write, by the agent's own clock", fast->own);
    std::printf("first was the run queue: %d of %zu\n", fast->by_run_queue, fast->own.all.size());
  } else {
    std::printf("no run queue: %s\n", fast->bpf_unavailable_reason.c_str());
  }
  const auto slow = run(node,
                        {.bursts = from_environment("BRAKE_BURSTS", window_ms >= 2000 ? 4 : 15),
                         .least_pause = milliseconds(window_ms + 200),
                         .most_pause = milliseconds(window_ms + 1200)},
                        wanted);
  if (!slow) return 1;
  head(("pressure alone, windows of " + std::to_string(window_ms) + " ms").c_str(), *slow);
  print("burst to the write", slow->to_write);
  print("from the agent's waking to the write, by its own clock", slow->own);
  const bool works = (!fast->bpf_unavailable_reason.empty() || fast->brakes()) && slow->brakes();
  if (!works) std::printf("FAILED: too many bursts were not braked at all\n");
  return works ? 0 : 1;
}

}  // namespace
}  // namespace evenkeel::test

int main() { return evenkeel::test::run(); }
