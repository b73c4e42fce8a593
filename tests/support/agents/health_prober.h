// Asks for /healthz in a connection of its own each time, as a kubelet does, and keeps the slowest answer's
// time.
#pragma once

#include <algorithm>
#include <chrono>

#include "tests/support/fakes/raw_client.h"

namespace evenkeel::test {

class HealthProber {
 public:
  explicit HealthProber(int port) : port_(port) {}
  void probe() {
    const auto from = std::chrono::steady_clock::now();
    RawClient client(port_);
    const bool sent = client.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    const bool ok = sent && client.read(std::chrono::seconds(10)).starts_with("HTTP/1.1 200 OK");
    if (!ok) ++failed_;
    slowest_ms_ =
        std::max(slowest_ms_,
                 std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - from).count());
    ++probes_;
  }
  [[nodiscard]] int probes() const { return probes_; }
  /// That were not answered with 200 within 10 s.
  [[nodiscard]] int failed() const { return failed_; }
  [[nodiscard]] double slowest_ms() const { return slowest_ms_; }

 private:
  int port_;
  int probes_ = 0, failed_ = 0;
  double slowest_ms_ = 0;
};

}  // namespace evenkeel::test
