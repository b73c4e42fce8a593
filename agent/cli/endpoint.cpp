#include "agent/cli/endpoint.h"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "agent/api/pages.h"

namespace evenkeel::cli {

namespace {

constexpr Duration kQuiet = std::chrono::minutes(1);

/// A page of a large node takes tens of milliseconds, however short the ticks are.
constexpr Duration kAnsweringAtLeast = std::chrono::milliseconds(500);

/// /readyz is always answered. It names all that is left out of pods, whose owners decide how much that is.
constexpr int kReadyShare = 10;

/// Without --listen, as of the installed unit and of the DaemonSet: details of pods are for its callers.
constexpr const char* kSocket = "/run/evenkeel/evenkeel.sock";

/// Of --listen-details.
http::Caller least_caller(std::string_view word, const std::vector<http::ListenAddress>& addresses) {
  if (word == "all") return http::Caller::network;
  const bool has_socket =
      std::ranges::any_of(addresses, [](const auto& address) { return !address.socket.empty(); });
  return word == "socket" || (word == "auto" && has_socket) ? http::Caller::socket : http::Caller::loopback;
}

EndpointAddresses parse_list(std::string_view text) {
  EndpointAddresses out;
  for (bool more = true; more;) {
    const auto comma = text.find(',');
    auto parsed = http::parse_listen(std::string(text.substr(0, comma)));
    if (!parsed.error.empty()) return {.error = "--listen: " + parsed.error};
    out.all.push_back(std::move(parsed.address));
    more = comma != std::string_view::npos;
    if (more) text.remove_prefix(comma + 1);
  }
  return out;
}

}  // namespace

EndpointAddresses endpoint_addresses(const Flags& flags) {
  if (flags.listen == "none") return {};
  auto out = parse_list(flags.listen);
  if (!flags.listen_given) out.all.push_back({.socket = kSocket});
  const bool strangers = std::ranges::any_of(out.all, [](const auto& address) { return !address.on_host(); });
  if (strangers && !flags.insecure_listen)
    return {.error =
                "--listen: found an address that is not loopback; legal: a loopback address, or "
                "--insecure-listen "
                "besides"};
  out.details.least = least_caller(flags.listen_details, out.all);
  return out;
}

EndpointAddresses asked_addresses(const Flags& flags) {
  auto out = parse_list(flags.listen);
  if (!flags.listen_given && ::access(kSocket, F_OK) == 0)
    out.all.insert(out.all.begin(), {.socket = kSocket});
  return out;
}

void Complaints::take(std::string_view text, MonoTime now) {
  if (last_ && now - *last_ < kQuiet) {
    ++left_out_;
    return;
  }
  log_.info("endpoint-trouble").with("problem", text).with("left_out", std::exchange(left_out_, 0));
  last_ = now;
}

Endpoint::Endpoint(const EndpointAddresses& addresses, std::vector<std::string> names, const Parts& parts)
    : names_(std::move(names)),
      parts_(parts),
      pages_(parts.agent.view(), addresses.details),
      answering_(std::max<Duration>(parts.interval / 2, kAnsweringAtLeast)),
      readying_(parts.interval / kReadyShare),
      complaints_(parts.log) {
  for (const auto& address : addresses.all) listeners_.push_back({address, {{}, kube::system_random()}});
}

std::string Endpoint::open() {
  std::string problem;
  for (std::size_t which = 0; which < listeners_.size() && problem.empty(); ++which) problem = open(which);
  return problem;
}

std::string Endpoint::open(std::size_t which) {
  Listener& listener = listeners_[which];
  auto opened = http::HttpServer::open(
      listener.address, [this](const http::HttpRequest& request) { return answer(request); },
      {.names = names_,
       .complain = [this](std::string_view text) { complaints_.take(text, parts_.clock.now()); }});
  listener.server = std::move(opened.server);
  auto& states = parts_.agent.parts().servers.listeners;
  states.resize(listeners_.size());
  states[which] = {listener.address.text(), opened.error};
  if (!listener.server) return opened.error;
  if (listener.address.socket.empty()) {
    parts_.log.info("listening").with("address", listener.address.host).with("port", listener.server->port());
  } else {
    parts_.log.info("listening").with("address", listener.address.text());
  }
  return {};
}

bool Endpoint::serve(runtime::EventLoop& loop) {
  for (std::size_t which = 0; which < listeners_.size(); ++which) {
    auto retry = loop.timer([this, &loop, which] { serve(loop, which); });
    if (!retry) return false;
    listeners_[which].retry.emplace(std::move(*retry));
    if (!serve(loop, which)) return false;
  }
  return true;
}

bool Endpoint::serve(runtime::EventLoop& loop, std::size_t which) {
  Listener& listener = listeners_[which];
  const auto problem = open(which);
  if (listener.server) {
    auto* const server = listener.server.get();
    return loop.add(server->fd(), EPOLLIN, [server](std::uint32_t) { server->process_events(); }).has_value();
  }
  if (listener.backoff.failures() == 0)
    parts_.log.warning("cannot-listen")
        .with("flag", "--listen")
        .with("problem", problem)
        .with("outcome", "tried again");
  listener.retry->arm(listener.backoff.next());
  return true;
}

http::HttpAnswer Endpoint::answer(const http::HttpRequest& request) {
  // Root could end the agent as well.
  if (request.caller == http::Caller::root || request.path == "/healthz") return pages_.answer(request);
  if (request.path == "/readyz") return ready(request);
  if (answering_.used_up())
    return {503, "text/plain; charset=utf-8", "too many requests in this tick: ask again after a second\n"};
  return timed(answering_, request);
}

http::HttpAnswer Endpoint::ready(const http::HttpRequest& request) {
  http::HttpAnswer& last = last_ready_[request.caller];
  if (last.body.empty() || !readying_.used_up()) last = timed(readying_, request);
  return last;
}

http::HttpAnswer Endpoint::timed(runtime::TimeShare& share, const http::HttpRequest& request) {
  const MonoTime began = parts_.clock.now();
  auto page = pages_.answer(request);
  share.add(parts_.clock.now() - began);
  return page;
}

void Endpoint::probe() {
  if (!listeners_.empty()) pages_.probe();
}

std::vector<http::HttpServer*> Endpoint::servers() const {
  std::vector<http::HttpServer*> out;
  for (const auto& listener : listeners_)
    if (listener.server) out.push_back(listener.server.get());
  return out;
}

}  // namespace evenkeel::cli
