#include "tests/support/agents/stepped_agent.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "tests/support/process.h"

namespace evenkeel::test {
namespace {

std::string scalar(const document::Value& value, std::string_view key) {
  const document::Value* found = value.find(key);
  return found != nullptr && found->scalar() != nullptr ? found->scalar()->text : std::string();
}

const document::ValueList& list_of(const document::Value& value, std::string_view key) {
  static const document::ValueList kNone;
  const document::Value* found = value.find(key);
  return found != nullptr && found->list() != nullptr ? *found->list() : kNone;
}

Step parse_step(std::string line) {
  Step step;
  auto parsed = document::parse_json(line, "answer");
  EXPECT_TRUE(parsed.problems.empty()) << line;
  step.line = std::move(line);
  step.json = std::move(parsed.root);
  for (const auto& write : list_of(step.json, "writes")) {
    step.writes.push_back({scalar(write, "path"), scalar(write, "old"), scalar(write, "new"),
                           scalar(write, "by"), scalar(write, "why")});
  }
  for (const auto& error : list_of(step.json, "errors"))
    step.errors.push_back(scalar(error, "errno") + " " + scalar(error, "path") + ": " + scalar(error, "why"));
  return step;
}

}  // namespace

std::string Step::written(const std::string& suffix) const {
  for (auto write = writes.rbegin(); write != writes.rend(); ++write)
    if (write->path.ends_with(suffix)) return write->new_text;
  return "<none>";
}

SteppedAgent::SteppedAgent(const std::vector<std::string>& args) : stderr_path_(temporary_file()) {
  ::signal(SIGPIPE, SIG_IGN);
  std::array<int, 2> in{}, out{};
  if (::pipe2(in.data(), O_CLOEXEC) != 0 || ::pipe2(out.data(), O_CLOEXEC) != 0) return;
  const int err = ::open(stderr_path_.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  std::vector<std::string> all{"run", "--stepped"};
  all.insert(all.end(), args.begin(), args.end());
  pid_ = start_evenkeel(all, in[0], out[1], err);
  ::close(in[0]);
  ::close(out[1]);
  ::close(err);
  to_ = in[1];
  from_ = out[0];
}

SteppedAgent::~SteppedAgent() {
  if (pid_ > 0) kill();
  if (to_ >= 0) ::close(to_);
  if (from_ >= 0) ::close(from_);
  ::unlink(stderr_path_.c_str());
}

void SteppedAgent::send(const std::string& line) const {
  const std::string text = line + "\n";
  EXPECT_EQ(::write(to_, text.data(), text.size()), static_cast<ssize_t>(text.size())) << stderr_text();
}

std::string SteppedAgent::read_line() {
  for (;;) {
    if (const auto end = buffer_.find('\n'); end != std::string::npos) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return line;
    }
    std::array<char, 65536> chunk{};
    const auto got = ::read(from_, chunk.data(), chunk.size());
    if (got <= 0) {
      ADD_FAILURE() << "the agent stopped talking: " << stderr_text();
      return "{}";
    }
    buffer_.append(chunk.data(), static_cast<std::size_t>(got));
  }
}

Step SteppedAgent::advance(const std::string& duration) {
  send("advance " + duration);
  return parse_step(read_line());
}

std::string SteppedAgent::metrics() {
  send("metrics");
  std::string all;
  for (std::string line = read_line(); line != "# EOF" && line != "{}"; line = read_line())
    all += line + "\n";
  return all;
}

std::string SteppedAgent::explain() {
  send("explain");
  return read_line();
}

Step SteppedAgent::quit() {
  send("quit");
  auto step = parse_step(read_line());
  wait();
  return step;
}

void SteppedAgent::kill() {
  ::kill(pid_, SIGKILL);
  wait();
}

void SteppedAgent::kill_after(std::chrono::microseconds delay) {
  const int victim = pid_;
  killer_ = ::fork();
  if (killer_ != 0) return;
  ::usleep(static_cast<useconds_t>(delay.count()));
  ::kill(victim, SIGKILL);
  ::_exit(0);
}

bool SteppedAgent::alive() const {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == 0;
}

void SteppedAgent::try_advance(const std::string& duration) {
  const std::string text = "advance " + duration + "\n";
  if (::write(to_, text.data(), text.size()) < 0) return;
  std::array<char, 65536> chunk{};
  for (buffer_.clear(); buffer_.find('\n') == std::string::npos;) {
    const auto got = ::read(from_, chunk.data(), chunk.size());
    if (got <= 0) return;
    buffer_.append(chunk.data(), static_cast<std::size_t>(got));
  }
}

void SteppedAgent::wait() {
  exit_status_ = wait_for_exit(pid_);
  pid_ = -1;
  if (killer_ > 0) {
    ::kill(killer_, SIGKILL);
    wait_for_exit(killer_);
    killer_ = -1;
  }
}

std::string SteppedAgent::stderr_text() const { return text_of_file(stderr_path_); }

Ran run_evenkeel(const std::vector<std::string>& args) {
  const std::string out = temporary_file(), err = temporary_file();
  const int out_fd = ::open(out.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  const int err_fd = ::open(err.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  const int in_fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const pid_t pid = start_evenkeel(args, in_fd, out_fd, err_fd);
  for (const int fd : {out_fd, err_fd, in_fd}) ::close(fd);
  const int exit_status = wait_for_exit(pid);
  Ran ran{exit_status, text_of_file(out), text_of_file(err)};
  ::unlink(out.c_str());
  ::unlink(err.c_str());
  return ran;
}

}  // namespace evenkeel::test
