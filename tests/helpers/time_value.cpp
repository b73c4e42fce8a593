// time_value DIRECTORY FILE VALUE COUNT: waits for COUNT new directories in DIRECTORY (of a cgroup hierarchy)
// and prints for each its name and the milliseconds from its creation, as reported by inotify, until FILE in
// it holds VALUE ("!VALUE": anything else). Prints "ready" when it waits for the first.
#include <poll.h>
#include <sched.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kPatience = std::chrono::seconds(60);
constexpr auto kLook = std::chrono::microseconds(200);

struct Watched {
  std::string name{}, path{};
  Clock::time_point born{};
};

bool holds(const std::string& path, const std::string& value) {
  std::string text;
  if (!(std::ifstream(path) >> text)) return false;
  return value.starts_with('!') ? text != value.substr(1) : text == value;
}

/// Takes the directories created since the last call; waits for the first of them when there is
/// `nothing_else` to do.
void take(int inotify, bool nothing_else, const std::string& directory, const std::string& file,
          std::vector<Watched>& into) {
  pollfd ready{inotify, POLLIN, 0};
  if (::poll(&ready, 1, nothing_else ? -1 : 0) <= 0) return;
  alignas(inotify_event) std::array<char, 16384> events{};
  const auto now = Clock::now();
  const long size = ::read(inotify, events.data(), events.size());
  for (long at = 0; at < size;) {
    const auto* event = reinterpret_cast<const inotify_event*>(events.data() + at);
    at += static_cast<long>(sizeof *event + event->len);
    if ((event->mask & IN_ISDIR) == 0) continue;
    into.push_back({event->name, directory + "/" + event->name + "/" + file, now});
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    std::cerr << "usage: time_value DIRECTORY FILE VALUE COUNT\n";
    return 2;
  }
  const std::string directory = argv[1], file = argv[2], value = argv[3];
  const int inotify = ::inotify_init1(IN_CLOEXEC);
  if (::inotify_add_watch(inotify, directory.c_str(), IN_CREATE) < 0) {
    std::cerr << directory << ": cannot be watched\n";
    return 1;
  }
  // inotify reports no times: if this process is woken after the agent, the measured time is too short.
  const sched_param first{.sched_priority = 1};
  if (::sched_setscheduler(0, SCHED_FIFO, &first) != 0) std::cerr << "births may be noticed late\n";
  std::cout << "ready" << std::endl;
  std::vector<Watched> watched;
  for (int left = std::atoi(argv[4]); left > 0;) {
    take(inotify, watched.empty(), directory, file, watched);
    const auto now = Clock::now();
    std::erase_if(watched, [&](const Watched& one) {
      const bool there = holds(one.path, value);
      if (!there && now - one.born < kPatience) return false;
      const auto took = std::chrono::duration<double, std::milli>(now - one.born).count();
      std::cout << one.name << ' ' << (there ? std::to_string(took) : "never") << std::endl;
      --left;
      return true;
    });
    std::this_thread::sleep_for(kLook);
  }
  return 0;
}
