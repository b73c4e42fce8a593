// The terminal while frames are shown in it.
#pragma once

#include <termios.h>

#include <string>
#include <vector>

#include "agent/top/view.h"

namespace evenkeel::top {

/// Plain escape sequences that every terminal of the last decades knows (xterm's alternate screen, ANSI
/// cursor and erase): no ncurses, which would be a library more for a dozen bytes. Standard input and output.
class Screen {
 public:
  Screen() = default;
  /// Leaves the alternate screen, and sets the terminal as it was.
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  /// Standard output is a terminal.
  static bool available();
  /// Without an answer of the terminal, as much as it takes.
  static Room room();
  /// Enters the alternate screen; keys arrive at once and are not shown. Signals must be caught before, or
  /// one could end the process with the terminal like this.
  void enter();
  /// Replaces what is shown.
  void show(const std::vector<std::string>& lines);

 private:
  bool entered_ = false;
  bool keys_changed_ = false;
  termios keys_before_{};
};

}  // namespace evenkeel::top
