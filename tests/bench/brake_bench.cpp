// How quickly best effort is braked: batch work begins beside a service on a node with other pods, and the
// time is taken to the kernel's word (POLLPRI of a trigger like the agent's own) and to the write of the
// quota. The first part is the kernel's window, the second is ours.
//
//   BRAKE_BURSTS (8 with windows of 2 s, else 40), BRAKE_PODS (110), BRAKE_WINDOW (50ms: what is asked for)
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
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "cgroup/pressure_trigger.h"
#include "qos/units_text.h"
#include "tests/support/burst.h"
#include "tests/support/live_agent.h"
#include "tests/support/live_population.h"
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
constexpr int kStallPercent = 20;

int from_environment(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atoi(text) : otherwise;
}

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
  std::printf("| %s | %.2f ms | %.2f ms | %.2f ms |\n", what, times.share(50), times.share(99),
              times.share(100));
}

/// A node with pods, one service that works and one batch pod that can begin.
class Node {
 public:
  explicit Node(int pods) {
    if (!cgroups_.why_not().empty()) return;
    populate(cgroups_, pods);
    cgroups_.make(kService);
    cgroups_.make(kBatch);
    const bool v2 = cgroups_.layout().v2(Controller::cpu);
    quota_file_ = cgroups_.file(Controller::cpu, kBestEffort, v2 ? "cpu.max" : "cpu.cfs_quota_us");
    original_ = text_of_file(quota_file_);
    const auto cpus = static_cast<int>(std::thread::hardware_concurrency());
    service_.emplace(cgroups_, kService, cpus);
    batch_.emplace(cgroups_, kBatch, 2 * cpus);
    written_ = Fd(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
    ::inotify_add_watch(written_.get(), quota_file_.c_str(), IN_MODIFY);
  }
  [[nodiscard]] const LiveCgroups& cgroups() const { return cgroups_; }
  [[nodiscard]] bool braked() const { return text_of_file(quota_file_) != original_; }

  /// A trigger like the agent's, for the moment at which the kernel speaks.
  bool listen(Duration window) {
    auto trigger =
        open_pressure_trigger(cgroups_.host(), pressure_file(), window * kStallPercent / 100, window);
    if (!trigger) return false;
    trigger_ = std::move(*trigger);
    return true;
  }
  void work() { service_->begin(); }

  struct Burst {
    std::optional<double> to_word_ms{}, to_write_ms{};
  };
  Burst burst() {
    Burst out;
    forget();
    const auto from = Clock::now();
    batch_->begin();
    while (!out.to_write_ms && Clock::now() - from < kPatience) {
      pollfd both[] = {{written_.get(), POLLIN, 0}, {out.to_word_ms ? -1 : trigger_.get(), POLLPRI, 0}};
      if (::poll(both, 2, 1000) <= 0) continue;
      const double now = ms(Clock::now() - from);
      if (both[1].revents != 0) out.to_word_ms = now;
      if (both[0].revents == 0) continue;
      forget_writes();
      if (braked()) out.to_write_ms = now;
    }
    batch_->end();
    soon([this] { return !braked(); }, kPatience);
    return out;
  }

 private:
  [[nodiscard]] std::string pressure_file() const {
    return cgroups_.layout().unified + '/' + cgroups_.top() + '/' + kService + "/cpu.pressure";
  }
  void forget_writes() const {
    char room[4096];
    while (::read(written_.get(), room, sizeof room) > 0) continue;
  }
  void forget() const {
    forget_writes();
    pollfd old{trigger_.get(), POLLPRI, 0};
    ::poll(&old, 1, 0);
  }
  LiveCgroups cgroups_{};
  std::string quota_file_{}, original_{};
  std::optional<test::Burst> service_{}, batch_{};
  Fd written_{}, trigger_{};
};

/// What the agent says about itself: from its waking up to the end of the write.
Times own_words(const std::string& log) {
  Times out;
  constexpr std::string_view kWord = "reaction_us=";
  for (auto at = log.find(kWord); at != std::string::npos; at = log.find(kWord, at + 1))
    out.all.push_back(std::atof(log.c_str() + at + kWord.size()) / 1000);
  return out;
}

int run() {
  const int pods = from_environment("BRAKE_PODS", 110);
  Node node(pods);
  if (!node.cgroups().why_not().empty() || node.cgroups().layout().unified.empty()) {
    std::printf("SKIP brake_bench: no unified hierarchy with pressure\n");
    return 0;
  }
  const char* asked = std::getenv("BRAKE_WINDOW");
  const auto wanted = parse_duration(asked != nullptr ? asked : "50ms");
  const auto window = shortest_window(node.cgroups().host(), wanted.value_or(milliseconds(50)));
  if (!window || !node.listen(*window)) {
    std::printf("SKIP brake_bench: the kernel gives no pressure trigger\n");
    return 0;
  }
  StateDir dir;
  std::ofstream(dir.path + "/nodeslo.yaml")
      << "extensions: {evenkeel: {brake: {enable: true, maxDutyPercent: 100, lease: 100ms, "
         "leastMilliCPUPerPod: 0, "
         "cpuPressurePercent: "
      << kStallPercent << ", window: " << (asked != nullptr ? asked : "50ms") << "}}}\n"
      << std::flush;
  LiveAgent agent({"--cgroup-root", node.cgroups().top(), "--nodeslo", dir.path + "/nodeslo.yaml", "--pods",
                   "cgroup", "--state-dir", dir.path + "/state", "--listen", "none"});
  if (!agent.logged("started", kPatience)) return 1;
  std::this_thread::sleep_for(std::chrono::seconds(3));
  node.work();
  // Who measures sees what happens when it happens.
  const sched_param first{.sched_priority = 1};
  ::sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &first);
  const int bursts = from_environment("BRAKE_BURSTS", *window >= std::chrono::seconds(2) ? 8 : 40);
  std::mt19937 random(5);
  std::uniform_int_distribution<int> pause_ms(200, 1200);  // anywhere between two ticks
  Times to_word, to_write, ours;
  int missed = 0;
  for (int i = 0; i < bursts; ++i) {
    std::this_thread::sleep_for(*window + milliseconds(pause_ms(random)));
    const auto burst = node.burst();
    if (!burst.to_write_ms) {
      ++missed;
      continue;
    }
    to_write.all.push_back(*burst.to_write_ms);
    if (!burst.to_word_ms || *burst.to_word_ms > *burst.to_write_ms) continue;
    to_word.all.push_back(*burst.to_word_ms);
    ours.all.push_back(*burst.to_write_ms - *burst.to_word_ms);
  }
  agent.stop();
  std::printf(
      "%d bursts of batch work beside a service, %d other pods, pressure windows of %lld ms; not braked: "
      "%d\n",
      bursts, pods, static_cast<long long>(*window / milliseconds(1)), missed);
  std::printf("| | p50 | p99 | longest |\n|---|---|---|---|\n");
  print("burst to the kernel's word (POLLPRI)", to_word);
  print("POLLPRI to the write", ours);
  print("the same, by the agent's own clock", own_words(agent.log()));
  print("burst to the write", to_write);
  return 0;
}

}  // namespace
}  // namespace evenkeel::test

int main() { return evenkeel::test::run(); }
