// The demo's latency-sensitive service and its load generator.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "agent/demo/process.h"
#include "agent/demo/redis.h"
#include "agent/demo/stage.h"
#include "agent/demo/wire.h"
#include "cgroup/base/host.h"
#include "qos/model/units.h"

namespace evenkeel::demo {

// A server with short requests over local sockets, as a cache or a proxy has them: it sleeps until a request
// arrives, and the time until the kernel gives it a CPU is most of the latency. Its threads are not pinned.
// It is a real redis or, where there is none, the built-in server. The load is open-loop: all arrival times
// are fixed in advance, whether earlier requests were answered or not, and a latency counts from the intended
// time.

struct ServiceLoad {
  std::string redis{};                               ///< its program; empty: the built-in server
  int workers = 1;                                   ///< threads of the built-in server
  int connections = 16;                              ///< the built-in server divides them among its workers
  double requests_per_second = 0;                    ///< of all connections together
  std::uint64_t iterations = 0;                      ///< of churn() for one request to the built-in server
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

/// The built-in server: answers on these sockets until the other ends are closed. Returns the exit status.
int serve(const ServiceLoad& load, std::span<const Fd> sockets);

/// The generator's end of a connection.
struct Connection {
  int socket = -1;
  std::unique_ptr<Wire> wire{};
};

/// The load generator: sends request i at `start` + `schedule`[i] and notes in `exchanges` what became of it.
/// Runs as a real-time task where that is allowed, so that batch work does not delay it. Returns the exit
/// status.
int generate(std::span<const Duration> schedule, Duration start, Duration closing,
             std::span<const Connection> connections, std::span<Exchange> exchanges);

/// The server in the stage's service container, the generator beside it.
class Service {
 public:
  /// Starts the server.
  Service(const Stage& stage, const ServiceLoad& load);
  /// Waits until the server takes connections. False: it does not, or a signal asked the demo to stop.
  bool connect(Console& console);
  /// Starts the generator, whose first request is at `start`. False: it cannot be started.
  bool begin(Duration start);
  /// Waits for the last answer and returns the counted requests. Absent when one of the processes failed.
  std::optional<std::vector<Exchange>> finish();
  /// What redis printed, for failures; empty for the built-in server.
  [[nodiscard]] std::string log() const { return redis_ ? redis_->log() : std::string(); }

 private:
  void start_builtin(const Stage& stage);

  ServiceLoad load_;
  std::vector<Duration> schedule_{};
  Shared<Exchange> exchanges_;
  std::vector<Fd> connections_{};  ///< the generator's ends, until it has them
  std::unique_ptr<RedisServer> redis_{};
  Child builtin_{}, generator_{};
};

}  // namespace evenkeel::demo
