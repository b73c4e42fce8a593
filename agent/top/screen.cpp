#include "agent/top/screen.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

namespace evenkeel::top {
namespace {

// Alternate screen, cursor hidden, no wrapping of long lines; and back.
constexpr std::string_view kEnter = "\x1b[?1049h\x1b[?25l\x1b[?7l";
constexpr std::string_view kLeave = "\x1b[?7h\x1b[?25h\x1b[?1049l";
constexpr std::string_view kHome = "\x1b[H";
constexpr std::string_view kEraseRestOfLine = "\x1b[K";
constexpr std::string_view kEraseBelow = "\x1b[J";

/// A terminal that takes nothing any more has hung up: SIGHUP follows.
void put(std::string_view text) {
  while (!text.empty()) {
    const auto written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace

Screen::~Screen() {
  if (keys_changed_) ::tcsetattr(STDIN_FILENO, TCSANOW, &keys_before_);
  if (entered_) put(kLeave);
}

bool Screen::available() { return ::isatty(STDOUT_FILENO) == 1; }

Room Screen::room() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return {};
  return {size.ws_col, size.ws_row};
}

void Screen::enter() {
  if (::tcgetattr(STDIN_FILENO, &keys_before_) == 0) {
    termios keys = keys_before_;
    keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    // Not stopped by Ctrl-Z: the shell would find the terminal like this.
    keys.c_cc[VSUSP] = _POSIX_VDISABLE;
    keys_changed_ = ::tcsetattr(STDIN_FILENO, TCSANOW, &keys) == 0;
  }
  entered_ = true;
  put(kEnter);
}

void Screen::show(const std::vector<std::string>& lines) {
  // In one piece, without erasing first: nothing flickers.
  std::string out(kHome);
  for (const auto& line : lines) {
    if (&line != lines.data()) out += "\r\n";
    out += line;
    out += kEraseRestOfLine;
  }
  out += kEraseBelow;
  put(out);
}

}  // namespace evenkeel::top
