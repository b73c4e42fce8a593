#include "tests/support/live/pinned_task.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

namespace evenkeel::test {
namespace {

/// Each relevant hierarchy's cgroup.procs, once.
std::set<std::string> procs_files(const LiveCgroups& cgroups, const std::string& cgroup) {
  std::set<std::string> out;
  for (const auto controller :
       {Controller::cpu, Controller::cpuacct, Controller::memory, Controller::blkio, Controller::perf_event})
    if (!cgroups.layout().root(controller).empty())
      out.insert(cgroups.file(controller, cgroup, "cgroup.procs"));
  return out;
}

bool enter(const std::set<std::string>& procs_files) {
  for (const auto& file : procs_files) {
    std::ofstream out(file);
    out << "0" << std::flush;
    if (!out) return false;
  }
  return true;
}

bool pin(int cpu) {
  if (cpu < 0) return true;
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  CPU_SET(static_cast<std::size_t>(cpu), &cpus);
  return ::sched_setaffinity(0, sizeof cpus, &cpus) == 0;
}

}  // namespace

PinnedTask::PinnedTask(const LiveCgroups& cgroups, const std::string& cgroup, int cpu,
                       const std::function<void()>& work)
    : cpu_(cpu) {
  std::array<int, 2> ready{};
  if (::pipe2(ready.data(), O_CLOEXEC) != 0) return;
  pid_ = ::fork();
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::setpriority(PRIO_PROCESS, 0, 0);  // independent of the test's own priority
    if (!enter(procs_files(cgroups, cgroup)) || !pin(cpu)) ::_exit(3);
    static_cast<void>(::write(ready[1], "r", 1) == 1);
    work();
    ::_exit(0);
  }
  ::close(ready[1]);
  char word = 0;
  if (::read(ready[0], &word, 1) != 1) unavailable_reason_ = "no process could enter " + cgroup;
  ::close(ready[0]);
}

PinnedTask::~PinnedTask() {
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

bool PinnedTask::alive() const {
  siginfo_t ended{};
  ::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOHANG | WNOWAIT);
  return pid_ > 0 && ended.si_pid == 0;
}

void PinnedTask::hold() const {
  ::kill(pid_, SIGSTOP);
  ::waitpid(pid_, nullptr, WUNTRACED);
}

PinnedTask::Scheduled PinnedTask::scheduled() const {
  std::ifstream in("/proc/" + std::to_string(pid_) + "/schedstat");
  std::int64_t ran_ns = 0, waited_ns = 0;
  in >> ran_ns >> waited_ns;
  return {Duration(ran_ns), Duration(waited_ns)};
}

Duration stolen(int cpu) {
  const auto name = "cpu" + std::to_string(cpu);
  std::ifstream in("/proc/stat");
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string word;
    std::int64_t hundredths = 0;
    if (words >> word; word != name) continue;
    for (int column = 0; column < 8; ++column) words >> hundredths;  // user, nice, ..., softirq, steal
    return words ? hundredths * std::chrono::milliseconds(10) : Duration::zero();
  }
  return Duration::zero();
}

void spin() {
  volatile bool go_on = true;
  while (go_on) {
  }
  ::_exit(0);
}

pid_t busy_process(const std::string& procs) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  std::ofstream(procs) << ::getpid() << std::flush;
  spin();
}

void work_and_rest(Duration work, Duration rest) {
  for (;;) {
    const auto end = std::chrono::steady_clock::now() + work;
    while (std::chrono::steady_clock::now() < end) {
    }
    std::this_thread::sleep_for(rest);
  }
}

}  // namespace evenkeel::test
