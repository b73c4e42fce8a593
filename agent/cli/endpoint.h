// The endpoint of `run` and of the stepped mode: from --listen to servers of the agent's pages.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/agent.h"
#include "agent/cli/verbs.h"
#include "agent/http/http_server.h"
#include "agent/kube/client/backoff.h"
#include "agent/runtime/event_loop.h"
#include "agent/runtime/log.h"
#include "agent/runtime/time_share.h"

namespace evenkeel::cli {

/// The addresses of --listen. `error` is set for bad usage.
struct EndpointAddresses {
  std::vector<http::ListenAddress> all{};
  api::DetailsFor details{};  ///< of --listen-details
  std::string error{};
};
EndpointAddresses endpoint_addresses(const Flags& flags);
/// For a command that asks the running agent: without --listen its unix socket, if there is one, and the
/// port.
EndpointAddresses asked_addresses(const Flags& flags);

/// Logs what the HTTP library has to say, at most once a minute: clients can cause any number of such lines.
class Complaints {
 public:
  explicit Complaints(runtime::Log& log) : log_(log) {}
  void take(std::string_view text, MonoTime now);

 private:
  runtime::Log& log_;
  std::optional<MonoTime> last_{};
  std::uint64_t left_out_ = 0;  ///< since the last line
};

class Endpoint {
 public:
  struct Parts {
    Agent& agent;
    const runtime::Clock& clock;
    runtime::Log& log;
    Duration interval{std::chrono::seconds(1)};  ///< between two ticks
  };
  /// `names` are this host's.
  Endpoint(const EndpointAddresses& addresses, std::vector<std::string> names, const Parts& parts);

  /// Once: opens all. Empty, or why one of them is not served.
  std::string open();
  /// Serves inside of the loop. An address that is not free is logged once and tried again with growing
  /// waits: the agent's work does not depend on it. False: the event loop refuses.
  bool serve(runtime::EventLoop& loop);
  /// Finds out what the kernel can do, for /v1/capabilities. Call it after the first tick, which finds the
  /// cgroups.
  void probe();
  /// The page that is asked for. When they have taken half of a tick, and half a second at least, pages other
  /// than probes are refused until renew(): clients that ask without end would delay ticks, the brake and the
  /// probes. When /readyz has taken its own share, its last page is the answer until then.
  http::HttpAnswer answer(const http::HttpRequest& request);
  /// A tick begins.
  void renew() {
    answering_.renew();
    readying_.renew();
  }
  /// The servers that are open, for a caller without an event loop.
  [[nodiscard]] std::vector<http::HttpServer*> servers() const;

 private:
  struct Listener {
    http::ListenAddress address{};
    kube::Backoff backoff;
    std::unique_ptr<http::HttpServer> server{};
    std::optional<runtime::Timer> retry{};
  };
  std::string open(std::size_t which);
  bool serve(runtime::EventLoop& loop, std::size_t which);
  http::HttpAnswer ready(const http::HttpRequest& request);
  http::HttpAnswer timed(runtime::TimeShare& share, const http::HttpRequest& request);

  std::vector<Listener> listeners_{};
  std::vector<std::string> names_;
  Parts parts_;
  api::Pages pages_;
  runtime::TimeShare answering_, readying_;
  std::map<http::Caller, http::HttpAnswer> last_ready_{};
  Complaints complaints_;
};

}  // namespace evenkeel::cli
