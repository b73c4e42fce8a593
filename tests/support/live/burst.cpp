#include "tests/support/live/burst.h"

namespace evenkeel::test {

Burst::Burst(LiveCgroups& cgroups, const std::string& cgroup, int count) {
  for (int i = 0; i < count; ++i) {
    processes_.push_back(std::make_unique<LiveProcess>(cgroups, cgroup, Manner::spins));
    ::kill(processes_.back()->pid(), SIGSTOP);
  }
}

void Burst::signal(int number) {
  for (const auto& process : processes_) ::kill(process->pid(), number);
}

}  // namespace evenkeel::test
