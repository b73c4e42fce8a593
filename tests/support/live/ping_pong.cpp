#include "tests/support/live/ping_pong.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <thread>

namespace evenkeel::test {

struct PingPong::Game {
  std::array<int, 2> to{}, fro{};
  std::atomic<std::int64_t>* rounds = nullptr;  ///< shared with the tasks
  std::optional<PinnedTask> a{}, b{};

  void play(int in, int out, bool counts) const {
    for (char ball = 0; ::read(in, &ball, 1) == 1 && ::write(out, &ball, 1) == 1;)
      if (counts) ++*rounds;
  }
};

PingPong::PingPong(const LiveCgroups& cgroups, const std::string& a, const std::string& b)
    : game_(std::make_unique<Game>()) {
  void* shared =
      ::mmap(nullptr, sizeof *game_->rounds, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED || ::pipe(game_->to.data()) != 0 || ::pipe(game_->fro.data()) != 0) std::abort();
  game_->rounds = new (shared) std::atomic<std::int64_t>(0);
  game_->a.emplace(cgroups, a, 0, [this] { game_->play(game_->to[0], game_->fro[1], true); });
  game_->b.emplace(cgroups, b, 0, [this] { game_->play(game_->fro[0], game_->to[1], false); });
  static_cast<void>(::write(game_->to[1], "x", 1) == 1);
}

PingPong::~PingPong() {
  game_->a.reset();
  game_->b.reset();
  for (const auto& pipe : {game_->to, game_->fro})
    for (const int end : pipe) ::close(end);
  ::munmap(game_->rounds, sizeof *game_->rounds);
}

double PingPong::ns_per_switch(std::chrono::milliseconds time) const {
  const auto rounds = game_->rounds->load();
  const auto ran = game_->a->ran() + game_->b->ran();
  std::this_thread::sleep_for(time);
  const auto switches = 2 * (game_->rounds->load() - rounds);
  return static_cast<double>((game_->a->ran() + game_->b->ran() - ran).count()) /
         static_cast<double>(switches);
}

double median(std::vector<double> all) {
  std::ranges::nth_element(all, all.begin() + static_cast<long>(all.size() / 2));
  return all[all.size() / 2];
}

}  // namespace evenkeel::test
