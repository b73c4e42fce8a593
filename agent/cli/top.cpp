#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <iostream>
#include <string_view>

#include "agent/cli/ask.h"
#include "agent/cli/endpoint.h"
#include "agent/cli/setup.h"
#include "agent/document/units_text.h"
#include "agent/runtime/event_loop.h"
#include "agent/top/screen.h"
#include "agent/top/view.h"

namespace evenkeel::cli {

namespace {

using Addresses = std::vector<http::ListenAddress>;

/// For one page. An agent that hangs keeps a key or a signal waiting for this long.
constexpr Duration kPatience = std::chrono::seconds(2);

struct Look {
  top::View view{};
  std::string problem{};  ///< why there is no view
};

Look look_at(const Addresses& addresses) {
  top::PageTexts texts;
  for (const auto& [page, into] : {std::pair{"/v1/snapshot", &top::PageTexts::snapshot},
                                   {"/v1/explain", &top::PageTexts::explain},
                                   {"/metrics", &top::PageTexts::metrics}}) {
    auto answer = ask(addresses, page, kPatience);
    if (answer.status != 200) return {.problem = no_page(answer)};
    texts.*into = std::move(answer.body);
  }
  auto view = top::read_view(texts);
  if (!view) return {.problem = "the agent's answer could not be read"};
  return {.view = std::move(*view)};
}

/// Asks again and again, and shows what it gets.
class Live {
 public:
  Live(const Addresses& addresses, Duration interval, Look first)
      : addresses_(addresses), interval_(interval), look_(std::move(first)) {}

  /// Until q or a signal; the exit status.
  int run() {
    auto loop = runtime::EventLoop::open();
    if (!loop) return 1;
    const auto signals = loop->on_signals({SIGINT, SIGTERM, SIGHUP, SIGWINCH}, [&](int signal) {
      if (signal != SIGWINCH) return loop->stop();
      draw();
    });
    const auto frames = loop->every(interval_, [&](std::uint64_t) {
      look_ = look_at(addresses_);
      draw();
    });
    if (!signals || !frames) return 1;
    if (::isatty(STDIN_FILENO) == 1 && !loop->add(STDIN_FILENO, EPOLLIN, [&](std::uint32_t) {
          if (ends_by_key()) loop->stop();
        }))
      return 1;
    screen_.enter();
    draw();
    return loop->run() == 0 ? 0 : 1;
  }

 private:
  void draw() {
    auto room = top::Screen::room();
    std::vector<std::string> lines = {
        top::fitted("evenkeel top: every " + document::duration_text(interval_) + ", q ends", room.columns)};
    if (room.lines > 1) --room.lines;
    if (look_.problem.empty()) {
      for (auto& line : top::render(look_.view, room)) lines.push_back(std::move(line));
    } else {
      lines.push_back(top::fitted(look_.problem, room.columns));
    }
    screen_.show(lines);
  }
  static bool ends_by_key() {
    std::array<char, 64> keys{};
    const auto count = ::read(STDIN_FILENO, keys.data(), keys.size());
    if (count <= 0) return true;  // the terminal has gone
    return std::string_view(keys.data(), static_cast<std::size_t>(count)).find_first_of("qQ") !=
           std::string_view::npos;
  }

  const Addresses& addresses_;
  Duration interval_;
  Look look_;
  top::Screen screen_{};
};

}  // namespace

int run_top(const Flags& flags) {
  const auto addresses = asked_addresses(flags);
  if (!addresses.error.empty()) return usage_error(addresses.error);
  Look first = look_at(addresses.all);
  if (!first.problem.empty()) {
    std::cerr << "evenkeel: " << first.problem << '\n';
    return 1;
  }
  const bool terminal = top::Screen::available();
  if (terminal && !flags.once) return Live(addresses.all, flags.top_interval, std::move(first)).run();
  const top::Room room{terminal ? top::Screen::room().columns : 0, 0};
  for (const auto& line : top::render(first.view, room)) std::cout << line << '\n';
  return 0;
}

}  // namespace evenkeel::cli
