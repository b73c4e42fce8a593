#include "tests/support/live/live_pod.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <sstream>

#include "tests/support/process.h"
#include "tests/support/soon.h"

namespace evenkeel::test {
namespace {

constexpr std::size_t kHeld = std::size_t{2} << 20;

bool enter(const std::vector<std::string>& files) {
  for (const auto& file : files) {
    const int fd = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0 || ::write(fd, "0", 1) != 1) return false;
    ::close(fd);
  }
  return true;
}

[[noreturn]] void live(const std::vector<std::string>& files, Manner manner, int ready) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::signal(SIGTERM, manner == Manner::stubborn ? SIG_IGN : SIG_DFL);
  static volatile char* held = nullptr;
  if (!enter(files)) ::_exit(3);
  held = static_cast<char*>(std::malloc(kHeld));
  for (std::size_t i = 0; i < kHeld; i += 512) held[i] = 1;
  static_cast<void>(::write(ready, "r", 1) == 1);
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(10);
  while (std::chrono::steady_clock::now() < end) {
    // In a virtual machine, reading the clock may be an emulated device access: spinning processes read it
    // rarely.
    volatile bool more = manner == Manner::spins;
    for (int i = 0; more && i < 10'000'000; ++i) more = true;
    if (manner != Manner::spins) ::usleep(5000);
    if (manner == Manner::runs_away && ::fork() > 0) ::_exit(0);
  }
  ::_exit(0);
}

}  // namespace

LiveProcess::LiveProcess(LiveCgroups& cgroups, const std::string& cgroup, Manner manner) {
  // A v1 cpuset accepts no task before it has CPUs.
  std::vector<std::string> files;
  for (const auto controller :
       {Controller::cpu, Controller::cpuacct, Controller::memory, Controller::perf_event})
    if (!cgroups.layout().root(controller).empty())
      files.push_back(cgroups.file(controller, cgroup, "cgroup.procs"));
  if (!cgroups.layout().unified.empty()) files.push_back(cgroups.unified_file(cgroup, "cgroup.procs"));
  std::array<int, 2> ready{};
  if (::pipe2(ready.data(), O_CLOEXEC) != 0) return;
  pid_ = ::fork();
  if (pid_ == 0) live(files, manner, ready[1]);
  ::close(ready[1]);
  char word = 0;
  static_cast<void>(::read(ready[0], &word, 1) == 1);
  ::close(ready[0]);
}

LiveProcess::~LiveProcess() {
  if (pid_ <= 0 || !alive()) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

bool LiveProcess::alive() {
  if (!reaped_ && pid_ > 0) reaped_ = ::waitpid(pid_, &status_, WNOHANG) == pid_;
  return pid_ > 0 && !reaped_;
}

int LiveProcess::ended_by() {
  soon([this] { return !alive(); });
  return reaped_ && WIFSIGNALED(status_) ? WTERMSIG(status_) : 0;
}

std::vector<int> processes_in(const LiveCgroups& cgroups, const std::string& cgroup) {
  std::istringstream text(text_of_file(cgroups.file(Controller::cpu, cgroup, "cgroup.procs")));
  std::vector<int> pids;
  for (int pid = 0; text >> pid;) pids.push_back(pid);
  return pids;
}

bool empty_soon(const LiveCgroups& cgroups, const std::string& cgroup) {
  return soon([&] { return processes_in(cgroups, cgroup).empty(); });
}

}  // namespace evenkeel::test
