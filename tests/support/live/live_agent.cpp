#include "tests/support/live/live_agent.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sstream>
#include <thread>

#include "tests/support/resident.h"

namespace evenkeel::test {

LiveAgent::LiveAgent(const std::vector<std::string>& args, MostFiles files) : log_path_(temporary_file()) {
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  const int log = ::open(log_path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  std::vector<std::string> all{"run"};
  all.insert(all.end(), args.begin(), args.end());
  pid_ = start_evenkeel(all, null, null, log, files);
  ::close(null);
  ::close(log);
}

LiveAgent::~LiveAgent() {
  if (pid_ > 0) kill();
  ::unlink(log_path_.c_str());
}

bool LiveAgent::alive() const {
  siginfo_t info{};
  return pid_ > 0 && ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == 0;
}

std::chrono::nanoseconds LiveAgent::stop() {
  const auto from = std::chrono::steady_clock::now();
  ::kill(pid_, SIGTERM);
  wait();
  return std::chrono::steady_clock::now() - from;
}

void LiveAgent::kill() {
  ::kill(pid_, SIGKILL);
  wait();
}

void LiveAgent::wait() {
  exit_status_ = wait_for_exit(pid_);
  pid_ = -1;
}

std::string LiveAgent::log() const { return text_of_file(log_path_); }

bool LiveAgent::logged(const std::string& text, std::chrono::milliseconds patience) const {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (log().find(text) == std::string::npos) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

long LiveAgent::resident_kib() const { return test::resident_kib(std::to_string(pid_)); }

std::string LiveAgent::url() const {
  if (!logged("event=listening", std::chrono::seconds(20))) return {};
  const auto text = log();
  const auto port = text.find("port=", text.find("event=listening")) + 5;
  return "http://127.0.0.1:" + text.substr(port, text.find_first_not_of("0123456789", port) - port);
}

std::chrono::milliseconds LiveAgent::cpu_time() const {
  // schedstat counts in ns; utime and stime of stat in ticks, too coarse for a tick of 1 ms per second.
  const std::string text = text_of_file("/proc/" + std::to_string(pid_) + "/schedstat");
  std::istringstream fields(text);
  long long run_ns = 0;
  fields >> run_ns;
  return std::chrono::milliseconds(run_ns / 1000000);
}

}  // namespace evenkeel::test
