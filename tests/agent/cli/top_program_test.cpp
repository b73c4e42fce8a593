// Tests `evenkeel top` against the real program, and in a terminal.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>

#include "tests/support/agents/endpoint_program.h"
#include "tests/support/agents/stepped_agent.h"
#include "tests/support/fakes/served.h"
#include "tests/support/process.h"

namespace evenkeel::test {
namespace {

constexpr const char* kEnter = "\x1b[?1049h";
constexpr const char* kLeave = "\x1b[?1049l";

TEST(TopProgram, PrintsOneFrameWhereThereIsNoTerminal) {
  const SocketProgram on;
  ASSERT_TRUE(on.is_ready()) << on.agent.log();
  for (const auto& args : {std::vector<std::string>{"top", "--listen", on.listen},
                           std::vector<std::string>{"top", "--once", "--listen", on.listen}}) {
    const Ran ran = run_evenkeel(args);
    EXPECT_EQ(ran.exit_status, 0) << ran.err;
    EXPECT_TRUE(ran.out.starts_with("node cpu ")) << ran.out;
    EXPECT_NE(ran.out.find(" of 4 CPUs"), std::string::npos) << ran.out;
    EXPECT_NE(ran.out.find("\nPOD "), std::string::npos) << ran.out;
    EXPECT_NE(ran.out.find(" Burst "), std::string::npos) << ran.out;
    EXPECT_EQ(ran.out.find("ticks -"), std::string::npos) << ran.out;
    EXPECT_EQ(ran.out.find('\x1b'), std::string::npos) << ran.out;
  }
}

TEST(TopProgram, AsksTheFirstAddressThatAnswers) {
  const SocketProgram on;
  ASSERT_TRUE(on.is_ready()) << on.agent.log();
  const Served other;  // answers every page, but not as the agent does
  const Ran socket = run_evenkeel({"top", "--listen", on.listen + "," + other.address()});
  EXPECT_EQ(socket.exit_status, 0) << socket.err;
  const Ran later = run_evenkeel({"top", "--listen", "unix:/nowhere," + on.listen});
  EXPECT_EQ(later.exit_status, 0) << later.err;
  const Ran port = run_evenkeel({"top", "--listen", other.address() + "," + on.listen});
  EXPECT_EQ(port.exit_status, 1);
  EXPECT_EQ(port.err, "evenkeel: the agent's answer could not be read\n");
}

TEST(TopProgram, SaysThatThereIsNoAgent) {
  const Ran ran = run_evenkeel({"top", "--listen", "unix:/nowhere"});
  EXPECT_EQ(ran.exit_status, 1);
  EXPECT_TRUE(ran.err.starts_with("evenkeel: no running agent gives the page: unix:/nowhere: ")) << ran.err;
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(run_evenkeel({"top", "--listen", "nowhere"}).exit_status, 2);
}

/// A terminal of 24 lines with `evenkeel top` in it.
class Terminal {
 public:
  explicit Terminal(const std::vector<std::string>& args)
      : master_(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {
    EXPECT_EQ(::grantpt(master_.get()), 0);
    EXPECT_EQ(::unlockpt(master_.get()), 0);
    slave_ = Fd(::open(::ptsname(master_.get()), O_RDWR | O_NOCTTY | O_CLOEXEC));
    resize(80);
    EXPECT_EQ(::tcgetattr(slave_.get(), &before_), 0);
    pid_ = start_evenkeel(args, slave_.get(), slave_.get(), slave_.get());
  }
  ~Terminal() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    wait_for_exit(pid_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  void resize(unsigned short columns) const {
    const winsize size{24, columns, 0, 0};
    EXPECT_EQ(::ioctl(master_.get(), TIOCSWINSZ, &size), 0);
  }
  void signal(int number) const { ::kill(pid_, number); }
  void press(char key) const { EXPECT_EQ(::write(master_.get(), &key, 1), 1); }
  /// Forgets what was shown before it.
  bool shows(const std::string& text) {
    for (int i = 0; i < 200; ++i) {
      if (const auto at = shown_.find(text); at != std::string::npos) {
        shown_.erase(0, at + text.size());
        return true;
      }
      read();
    }
    return false;
  }
  /// After a key or a signal that ends it.
  int exit_status() {
    const int status = wait_for_exit(pid_);
    pid_ = -1;
    return status;
  }
  [[nodiscard]] bool is_as_before() const {
    termios now{};
    return ::tcgetattr(slave_.get(), &now) == 0 && now.c_lflag == before_.c_lflag;
  }
  [[nodiscard]] const std::string& shown() const { return shown_; }

 private:
  void read() {
    pollfd ready{master_.get(), POLLIN, 0};
    if (::poll(&ready, 1, 100) != 1) return;
    std::array<char, 4096> buffer{};
    const auto got = ::read(master_.get(), buffer.data(), buffer.size());
    if (got > 0) shown_.append(buffer.data(), static_cast<std::size_t>(got));
  }
  Fd master_;
  Fd slave_{};
  termios before_{};
  pid_t pid_ = -1;
  std::string shown_{};
};

TEST(TopProgram, DrawsAgainAndLeavesTheTerminalAsItWas) {
  const SocketProgram on;
  ASSERT_TRUE(on.is_ready()) << on.agent.log();
  Terminal terminal({"top", "--interval", "1s", "--listen", on.listen});
  ASSERT_TRUE(terminal.shows(kEnter)) << terminal.shown();
  ASSERT_TRUE(terminal.shows("every 1s, q ends")) << terminal.shown();
  EXPECT_FALSE(terminal.is_as_before()) << "a key arrives at once";
  EXPECT_TRUE(terminal.shows("STALL")) << terminal.shown();
  EXPECT_TRUE(terminal.shows("STALL")) << "the next frame: " << terminal.shown();
  terminal.press('x');
  terminal.press('q');
  EXPECT_EQ(terminal.exit_status(), 0);
  EXPECT_TRUE(terminal.shows(kLeave)) << terminal.shown();
  EXPECT_TRUE(terminal.is_as_before());
}

TEST(TopProgram, ASignalEndsItInOrder) {
  const SocketProgram on;
  ASSERT_TRUE(on.is_ready()) << on.agent.log();
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) {
    Terminal terminal({"top", "--listen", on.listen});
    ASSERT_TRUE(terminal.shows("STALL")) << terminal.shown();
    terminal.signal(number);
    EXPECT_EQ(terminal.exit_status(), 0) << number;
    EXPECT_TRUE(terminal.shows(kLeave)) << terminal.shown();
    EXPECT_TRUE(terminal.is_as_before()) << number;
  }
}

TEST(TopProgram, FollowsTheSizeOfTheTerminal) {
  const SocketProgram on;
  ASSERT_TRUE(on.is_ready()) << on.agent.log();
  Terminal terminal({"top", "--interval", "1h", "--listen", on.listen});
  ASSERT_TRUE(terminal.shows("STALL")) << terminal.shown();
  terminal.resize(30);
  terminal.signal(SIGWINCH);
  ASSERT_TRUE(terminal.shows("\x1b[H")) << "it is drawn again, without waiting for an hour";
  EXPECT_TRUE(terminal.shows("CLASS    CPU\x1b[K")) << "without what does not fit: " << terminal.shown();
}

TEST(TopProgram, SaysWhenTheAgentHasGone) {
  SocketProgram on;
  ASSERT_TRUE(on.is_ready()) << on.agent.log();
  Terminal terminal({"top", "--interval", "1s", "--listen", on.listen});
  ASSERT_TRUE(terminal.shows("STALL")) << terminal.shown();
  on.agent.stop();
  EXPECT_TRUE(terminal.shows("no running agent gives the page")) << terminal.shown();
  terminal.press('q');
  EXPECT_EQ(terminal.exit_status(), 0);
}

}  // namespace
}  // namespace evenkeel::test
