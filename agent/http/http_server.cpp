#include "agent/http/http_server.h"

#include <microhttpd.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "agent/http/listening_socket.h"
#include "agent/runtime/clock.h"
#include "cgroup/base/result.h"

namespace evenkeel::http {

namespace {

constexpr const char* kText = "text/plain; charset=utf-8";

/// Of one connection, for the request's header.
constexpr std::size_t kMemoryLimit = std::size_t{16} << 10;

MHD_Result collect_query(void* into, MHD_ValueKind, const char* key, const char* value) {
  (*static_cast<std::map<std::string, std::string>*>(into))[key] = value != nullptr ? value : "";
  return MHD_YES;
}

MHD_Result send(MHD_Connection* connection, const HttpAnswer& answer) {
  // MHD copies the body; its buffer argument is not const for historical reasons only.
  MHD_Response* response = MHD_create_response_from_buffer(
      answer.body.size(), const_cast<char*>(answer.body.data()), MHD_RESPMEM_MUST_COPY);
  if (response == nullptr) return MHD_NO;
  MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, answer.content_type.c_str());
  if (answer.status == MHD_HTTP_METHOD_NOT_ALLOWED)
    MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
  const auto queued = MHD_queue_response(connection, static_cast<unsigned>(answer.status), response);
  MHD_destroy_response(response);
  return queued;
}

Caller caller_of(MHD_Connection* connection) {
  const int fd = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
  return caller_at(fd);
}

/// Absent: the request may be answered.
std::optional<HttpAnswer> refusal(MHD_Connection* connection, const char* method, Caller caller,
                                  const std::vector<std::string>& names) {
  if (std::strcmp(method, MHD_HTTP_METHOD_GET) != 0 && std::strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
    return HttpAnswer{MHD_HTTP_METHOD_NOT_ALLOWED, kText, "read-only: GET and HEAD\n"};
  if (caller >= Caller::socket) return std::nullopt;  // no browser gets there
  const char* host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
  if (host == nullptr || host_is_ours(host, names)) return std::nullopt;
  std::string legal = "localhost, an IP address";
  for (const auto& name : names) legal += ", " + name;
  return HttpAnswer{MHD_HTTP_FORBIDDEN, kText, "the request's Host is not this node; legal: " + legal + "\n"};
}

bool watch(int epoll, int fd) {
  epoll_event event{.events = EPOLLIN, .data = {.fd = fd}};
  return ::epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

}  // namespace

struct HttpServer::Impl {
  Handler handler{};
  ServerOptions options{};
  runtime::SystemClock clock{};
  Connections connections;
  std::optional<ListeningSocket> listening{};
  Fd timer{};   ///< of the next deadline
  Fd events{};  ///< epoll of the library's epoll and of the timer
  MHD_Daemon* daemon = nullptr;

  Impl(Handler given_handler, ServerOptions given)
      : handler(std::move(given_handler)), options(std::move(given)), connections(options.patience) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    if (daemon == nullptr) return;
    MHD_quiesce_daemon(daemon);  // hands the listening socket back
    MHD_stop_daemon(daemon);
  }

  bool start(ListeningSocket opened);
  void process_events();
  void arm(std::optional<Duration> in) const;

  // The library's callbacks; it decides how many parameters they have.
  static void complain(void* self, const char* format, va_list values);
  static void connection_changed(void* self, MHD_Connection* of, void** context,
                                 MHD_ConnectionNotificationCode code);
  static void completed(void* self, MHD_Connection* of, void** state, MHD_RequestTerminationCode code);
  // NOLINTNEXTLINE(readability-function-size)
  static MHD_Result answer(void* self, MHD_Connection* of, const char* url, const char* method, const char*,
                           const char*, std::size_t* upload_size, void** state);
};

namespace {

Connection& connection_of(MHD_Connection* of) {
  return *static_cast<Connection*>(
      MHD_get_connection_info(of, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context);
}

}  // namespace

void HttpServer::Impl::complain(void* self, const char* format, va_list values) {
  auto& me = *static_cast<Impl*>(self);
  std::array<char, 512> text{};
  if (!me.options.complain || std::vsnprintf(text.data(), text.size(), format, values) <= 0) return;
  std::string_view line(text.data());
  if (line.ends_with('\n')) line.remove_suffix(1);
  me.options.complain(line);
}

void HttpServer::Impl::connection_changed(void* self, MHD_Connection* of, void** context,
                                          MHD_ConnectionNotificationCode code) {
  auto& me = *static_cast<Impl*>(self);
  if (code == MHD_CONNECTION_NOTIFY_STARTED) {
    const int fd = MHD_get_connection_info(of, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
    *context = me.connections.opened(fd, me.clock.now());
  } else {
    me.connections.closed(static_cast<Connection*>(*context));
  }
}

void HttpServer::Impl::completed(void* self, MHD_Connection* of, void**, MHD_RequestTerminationCode) {
  auto& me = *static_cast<Impl*>(self);
  me.connections.answered(connection_of(of), me.clock.now());
}

// NOLINTNEXTLINE(readability-function-size)
MHD_Result HttpServer::Impl::answer(void* self, MHD_Connection* of, const char* url, const char* method,
                                    const char*, const char*, std::size_t* upload_size, void** state) {
  auto& me = *static_cast<Impl*>(self);
  if (*state == nullptr) {  // the first call of a request: headers only
    *state = self;
    me.connections.requested(connection_of(of), me.clock.now());
    return MHD_YES;
  }
  if (*upload_size != 0) {  // a piece of the body, which is ignored: no answer may be queued before its end
    *upload_size = 0;
    return MHD_YES;
  }
  HttpRequest request{url, {}, caller_of(of)};
  if (const auto refused = refusal(of, method, request.caller, me.options.names)) return send(of, *refused);
  MHD_get_connection_values(of, MHD_GET_ARGUMENT_KIND, &collect_query, &request.query);
  auto page = me.handler(request);
  if (!me.connections.may_wait(page.body.size()))
    page = {MHD_HTTP_SERVICE_UNAVAILABLE, kText, "other clients have yet to read their answers: ask again\n"};
  me.connections.waits(connection_of(of), page.body.size());
  return send(of, page);
}

bool HttpServer::Impl::start(ListeningSocket opened) {
  listening.emplace(std::move(opened));
  timer = Fd(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
  events = Fd(::epoll_create1(EPOLL_CLOEXEC));
  if (!timer || !events) return false;
  // The library's own time-out stays off: it starts again with each byte.
  daemon = MHD_start_daemon(
      MHD_USE_EPOLL | MHD_USE_ERROR_LOG, 0, nullptr, nullptr, &Impl::answer, this, MHD_OPTION_EXTERNAL_LOGGER,
      &Impl::complain, this, MHD_OPTION_LISTEN_SOCKET, listening->fd(), MHD_OPTION_CONNECTION_LIMIT,
      static_cast<unsigned>(Connections::kLibraryLimit), MHD_OPTION_CONNECTION_MEMORY_LIMIT, kMemoryLimit,
      MHD_OPTION_NOTIFY_CONNECTION, &Impl::connection_changed, this, MHD_OPTION_NOTIFY_COMPLETED,
      &Impl::completed, this, MHD_OPTION_END);
  if (daemon == nullptr) return false;
  return watch(events.get(), timer.get()) &&
         watch(events.get(), MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd);
}

void HttpServer::Impl::process_events() {
  MHD_run(daemon);
  const MonoTime now = clock.now();
  auto next = connections.end_late(now);
  MHD_UNSIGNED_LONG_LONG pending = 0;
  // The library has read bytes that it has not looked at yet.
  if (MHD_get_timeout(daemon, &pending) == MHD_YES && pending == 0) next = now;
  arm(next ? std::optional(*next - now) : std::nullopt);
}

void HttpServer::Impl::arm(std::optional<Duration> in) const {
  itimerspec at{};
  if (in) {
    const auto ns = std::max<std::int64_t>(in->count(), 1);  // zero would disarm the timer
    at.it_value = {.tv_sec = ns / 1'000'000'000, .tv_nsec = ns % 1'000'000'000};
  }
  ::timerfd_settime(timer.get(), 0, &at, nullptr);
}

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

HttpServer::Opened HttpServer::open(const ListenAddress& address, Handler handler, ServerOptions options) {
  auto impl = std::make_unique<Impl>(std::move(handler), std::move(options));
  auto listening = ListeningSocket::open(address);
  if (!listening.socket) return {nullptr, "cannot listen on " + address.text() + ": " + listening.error};
  if (!impl->start(std::move(*listening.socket)))
    return {nullptr, "cannot serve " + address.text() + ": " + std::strerror(errno)};
  return {std::unique_ptr<HttpServer>(new HttpServer(std::move(impl))), {}};
}

HttpServer::~HttpServer() = default;

int HttpServer::fd() const { return impl_->events.get(); }
void HttpServer::process_events() { impl_->process_events(); }
int HttpServer::port() const { return impl_->listening->port(); }

}  // namespace evenkeel::http
