#include "agent/demo/console.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "agent/demo/work.h"

namespace evenkeel::demo {

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
