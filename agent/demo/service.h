// The demo's latency-sensitive service and its load generator.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "agent/demo/process.h"
#include "agent/demo/stage.h"
#include "cgroup/base/host.h"
#include "qos/model/units.h"

namespace evenkeel::demo {

// A server with short requests over local sockets, as a cache or a proxy has them: it sleeps until a request
// arrives, and the time until the kernel gives it a CPU is most of the latency. Its threads are not pinned.
// The load is open-loop: all arrival times are fixed in advance, whether earlier requests were answered or
// not, and a latency counts from the intended time.

struct ServiceLoad {
  int workers = 1;                                   ///< threads of the server
  int connections = 16;                              ///< divided among the workers
  double requests_per_second = 0;                    ///< of all connections together
  std::uint64_t iterations = 0;                      ///< of churn() for one request
  Duration warm_up{std::chrono::milliseconds(300)};  ///< requests in it are answered, not counted
  Duration length{};                                 ///< of the counted part
};

/// Arrival times from zero on, a Poisson process, the same for the same seed in every phase.
std::vector<Duration> arrivals(double per_second, Duration length, std::uint64_t seed);

/// What the generator noted of one request. Nanoseconds, because two processes share it.
struct Exchange {
  std::int64_t latency_ns = 0;  ///< from the intended time to the answer; of an unanswered one until the end
  std::int64_t late_ns = 0;     ///< how long after the intended time the generator sent it
};

/// The server: answers on these sockets until the other ends are closed. Returns the exit status.
int serve(const ServiceLoad& load, std::span<const Fd> sockets);

/// The load generator: sends request i at `start` + `schedule`[i] and notes in `exchanges` what became of it.
/// Runs as a real-time task where that is allowed, so that batch work does not delay it. Returns the exit
/// status.
int generate(std::span<const Duration> schedule, Duration start, Duration closing,
             std::span<const Fd> sockets, std::span<Exchange> exchanges);

/// The server in the stage's service container, the generator beside it.
class Service {
 public:
  /// Requests begin at `start`.
  Service(const Stage& stage, const ServiceLoad& load, Duration start);
  [[nodiscard]] bool started() const { return server_ && generator_; }
  /// Waits for the last answer and returns the counted requests. Absent when one of the processes failed.
  std::optional<std::vector<Exchange>> finish();

 private:
  ServiceLoad load_;
  std::vector<Duration> schedule_{};
  Shared<Exchange> exchanges_;
  Child server_{}, generator_{};
};

}  // namespace evenkeel::demo
