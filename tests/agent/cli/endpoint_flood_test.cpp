// Clients that ask for /metrics as fast as they can: probes are answered, and ticks are in time.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <list>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/agents/endpoint_program.h"
#include "tests/support/agents/health_prober.h"
#include "tests/support/fakes/raw_client.h"
#include "tests/support/fakes/served.h"
#include "tests/support/health_watch.h"
#include "tests/support/soon.h"

namespace evenkeel::test {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// Of the agent's 64 connections they want more.
constexpr int kThreads = 3, kClientsPerThread = 25;

/// Asks without end, until it is destroyed.
class Flood {
 public:
  explicit Flood(int port) : port_(port) {
    for (int i = 0; i < kThreads; ++i) threads_.emplace_back([this] { ask(); });
  }
  ~Flood() { stop(); }
  Flood(const Flood&) = delete;
  Flood& operator=(const Flood&) = delete;
  void stop() {
    stopping_ = true;
    for (auto& thread : threads_) thread.join();
    threads_.clear();
  }
  [[nodiscard]] int pages() const { return pages_; }
  [[nodiscard]] int refused() const { return refused_; }

 private:
  void ask() {
    while (!stopping_) {
      std::list<RawClient> clients;
      for (int i = 0; i < kClientsPerThread; ++i)
        (void)clients.emplace_back(port_).send(
            "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
      for (auto& client : clients) {
        const auto answer = client.read(seconds(5));
        if (answer.starts_with("HTTP/1.1 200")) ++pages_;
        if (answer.find("too many requests in this tick") != std::string::npos) ++refused_;
      }
    }
  }
  int port_;
  std::atomic<bool> stopping_ = false;
  std::atomic<int> pages_ = 0, refused_ = 0;
  std::vector<std::thread> threads_{};
};

/// No test of the kernel, but of time: it runs alone.
TEST(LiveEndpointFlood, ProbesAreAnsweredAndTicksAreInTimeBesideFastClients) {
  EndpointProgram program;
  program.populate(60);
  LiveAgent agent(program.args("127.0.0.1:0", "1s"));
  const int port = EndpointProgram::port_of(agent);
  ASSERT_NE(port, 0) << agent.log();
  const std::string url = "http://127.0.0.1:" + std::to_string(port);
  const auto ticks_now = [&] { return metric_at(url, "evenkeel_ticks_total"); };
  ASSERT_TRUE(soon([&] { return ticks_now() > 1; }));
  HealthProber prober(port);
  // A server without other clients, beside it: how long a probe takes on this machine in any case.
  const Served idle;
  HealthProber control(idle.port());

  const long before = ticks_now();
  const auto began = Clock::now();
  Flood flood(port);
  while (Clock::now() < began + seconds(8)) {
    prober.probe();
    control.probe();
    std::this_thread::sleep_for(milliseconds(20));
  }
  flood.stop();
  // The first pages after the flood may still be refused, until the next tick.
  long after = -1;
  EXPECT_TRUE(soon([&] {
    after = ticks_now();
    return after >= 0;
  }));
  const double passed = std::chrono::duration<double>(Clock::now() - began).count();
  const auto ticks = static_cast<double>(after - before);
  std::printf(
      "%d pages and %d refusals in %.1f s, %.0f ticks; the slowest of %d probes took %.1f ms, of an idle "
      "server "
      "%.1f ms\n",
      flood.pages(), flood.refused(), passed, ticks, prober.probes(), prober.slowest_ms(),
      control.slowest_ms());
  agent.stop();
  EXPECT_EQ(agent.exit_status(), 0) << agent.log();
  EXPECT_GT(flood.pages(), 0);
  EXPECT_GT(flood.refused(), 0) << "the clients did not ask for more than there is time for";
  // Pages may take half a second before a tick and another half after it, and a probe may come before both.
  constexpr double kMostMs = 2000;
  const bool in_time = prober.failed() == 0 && prober.slowest_ms() < kMostMs && ticks >= 0.75 * passed - 1;
  if (!in_time && control.slowest_ms() >= 50) GTEST_SKIP() << "this machine is too busy to measure";
  EXPECT_EQ(prober.failed(), 0);
  EXPECT_LT(prober.slowest_ms(), kMostMs);
  EXPECT_GE(ticks, 0.75 * passed - 1);
}

}  // namespace
}  // namespace evenkeel::test
