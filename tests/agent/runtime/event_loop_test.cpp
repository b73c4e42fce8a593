// Tests the event loop's timers where the kernel does not let them be read.
#include "agent/runtime/event_loop.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <functional>
#include <optional>
#include <utility>

namespace evenkeel::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// The descriptor that the next open() returns.
int next_descriptor() {
  const Fd fd(::dup(STDIN_FILENO));
  return fd.get();
}

/// From now on reads of `fd` fail, while epoll goes on with what it was.
Fd make_unreadable(int fd) {
  Fd kept(::dup(fd));
  const Fd directory(::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ::dup2(directory.get(), fd);
  return kept;
}

/// Runs the loop, for ten seconds at most. Returns whether `done` was called.
bool ends_by(runtime::EventLoop& loop, const std::function<void(std::function<void()> done)>& begin) {
  bool called = false;
  const auto enough = loop.timer([&loop] { loop.stop(); });
  enough->arm(seconds(10));
  begin([&] {
    called = true;
    loop.stop();
  });
  EXPECT_EQ(loop.run(), 0);
  return called;
}

TEST(EventLoop, ATimerFires) {
  auto loop = *runtime::EventLoop::open();
  std::optional<runtime::Timer> timer;
  EXPECT_TRUE(ends_by(loop, [&](auto done) {
    timer.emplace(*loop.timer(std::move(done)));
    timer->arm(milliseconds(1));
  }));
}

TEST(EventLoop, ATimerThatCannotBeReadFires) {
  auto loop = *runtime::EventLoop::open();
  std::optional<runtime::Timer> timer;
  Fd kept;
  EXPECT_TRUE(ends_by(loop, [&](auto done) {
    const int fd = next_descriptor();
    timer.emplace(*loop.timer(std::move(done)));
    timer->arm(milliseconds(1));
    kept = make_unreadable(fd);
  }));
}

TEST(EventLoop, TicksGoOnWhereTheirTimerCannotBeRead) {
  auto loop = *runtime::EventLoop::open();
  Fd kept;
  EXPECT_TRUE(ends_by(loop, [&](auto done) {
    const int fd = next_descriptor();
    EXPECT_TRUE(loop.every(milliseconds(1), [done = std::move(done)](std::uint64_t periods) {
      EXPECT_EQ(periods, 1U);
      done();
    }));
    kept = make_unreadable(fd);
  }));
}

}  // namespace
}  // namespace evenkeel::test
