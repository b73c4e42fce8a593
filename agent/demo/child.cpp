#include "agent/demo/child.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace evenkeel::demo {

Child Child::start(const std::function<int()>& work, int farewell) {
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid != 0) return Child(pid);
  ::prctl(PR_SET_PDEATHSIG, farewell);
  if (::getppid() != parent) ::_exit(1);
  // The terminal's Ctrl-C is for the demo, which ends its children in order.
  ::setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::_exit(work());
}

Child::~Child() {
  if (pid_ <= 0) return;
  signal(SIGKILL);
  wait();
}

void Child::signal(int number) const {
  if (pid_ > 0) ::kill(pid_, number);
}

int Child::wait() {
  int status = 0;
  while (pid_ > 0) {
    const pid_t ended = ::waitpid(pid_, &status, 0);
    if (ended < 0 && errno == EINTR) continue;
    if (ended == pid_ && WIFEXITED(status)) status_ = WEXITSTATUS(status);
    pid_ = -1;
  }
  return status_;
}

bool Child::running() {
  int status = 0;
  if (pid_ <= 0 || ::waitpid(pid_, &status, WNOHANG) != pid_) return pid_ > 0;
  if (WIFEXITED(status)) status_ = WEXITSTATUS(status);
  pid_ = -1;
  return false;
}

}  // namespace evenkeel::demo
