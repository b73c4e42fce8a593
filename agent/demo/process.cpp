#include "agent/demo/process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "agent/demo/load.h"

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

int become(const std::string& program, const std::vector<std::string>& arguments, const std::string& log) {
  const int output = ::open(log.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  std::vector<char*> pointers;
  pointers.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  ::execv(program.c_str(), pointers.data());
  constexpr int kNotFound = 127;
  return kNotFound;
}

TemporaryDirectory::TemporaryDirectory() {
  std::error_code error;
  std::string pattern = (std::filesystem::temp_directory_path(error) / "evenkeel-demo-XXXXXX").string();
  if (!error && ::mkdtemp(pattern.data()) != nullptr) path_ = pattern;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

std::string read_text(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

Console::Console() : terminal_(::isatty(STDERR_FILENO) == 1) {
  sigemptyset(&ours_);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&ours_, signal);
  ::sigprocmask(SIG_BLOCK, &ours_, &before_);
}

// A pending signal was meant for the demo, which has ended: discard it before unblocking.
Console::~Console() {
  const timespec now{};
  while (::sigtimedwait(&ours_, nullptr, &now) > 0) {
  }
  ::sigprocmask(SIG_SETMASK, &before_, nullptr);
}

void Console::progress(double done, const std::string& what) {
  constexpr int kWidth = 24;
  if (!terminal_) {
    std::fprintf(stderr, "demo: %3.0f %%  %s\n", done * 100, what.c_str());
    return;
  }
  const auto full = static_cast<std::size_t>(done * kWidth);
  const std::string bar = std::string(full, '#') + std::string(kWidth - full, '.');
  std::fprintf(stderr, "\r\033[K[%s] %3.0f %%  %s", bar.c_str(), done * 100, what.c_str());
}

void Console::clear() {
  if (terminal_) std::fprintf(stderr, "\r\033[K");
}

std::string Console::interrupted_by() const {
  const char* name = interrupted() ? ::sigabbrev_np(interrupted_by_) : nullptr;
  return name != nullptr ? std::string("SIG") + name : std::string();
}

bool Console::pause_until(Duration moment) {
  while (!interrupted()) {
    const Duration left = moment - monotonic();
    if (left <= Duration::zero()) return true;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
    const timespec wait{static_cast<time_t>(seconds.count()), static_cast<long>((left - seconds).count())};
    interrupted_by_ = std::max(0, ::sigtimedwait(&ours_, nullptr, &wait));
  }
  return false;
}

}  // namespace evenkeel::demo
