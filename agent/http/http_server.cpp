#include "agent/http/http_server.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>

#include <cstring>

#include "cgroup/base/text.h"

namespace evenkeel::http {

bool ListenAddress::loopback() const { return host == "::1" || host.starts_with("127."); }

ParsedListen parse_listen(const std::string& text) {
  const auto bad = [&] {
    return ParsedListen{{}, "found '" + text + "'; legal: ADDRESS:PORT, for example 127.0.0.1:9319"};
  };
  const auto colon = text.rfind(':');
  if (colon == std::string::npos) return bad();
  const auto port = whole_number(std::string_view(text).substr(colon + 1));
  if (!port || *port < 0 || *port > 65535) return bad();
  std::string host = text.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  if (host == "localhost") host = "127.0.0.1";
  if (host.empty()) host = "0.0.0.0";
  in6_addr scratch{};
  if (::inet_pton(AF_INET, host.c_str(), &scratch) != 1 && ::inet_pton(AF_INET6, host.c_str(), &scratch) != 1)
    return bad();
  return {{host, static_cast<int>(*port)}, {}};
}

struct HttpServer::Impl {
  Handler handler{};
  MHD_Daemon* daemon = nullptr;
};

namespace {

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

// NOLINTNEXTLINE(readability-function-size): the library decides how many parameters its callback has
MHD_Result answer(void* handler, MHD_Connection* connection, const char* url, const char* method, const char*,
                  const char*, size_t* upload_size, void** state) {
  if (*state == nullptr) {  // the first call of a request: headers only
    *state = handler;
    return MHD_YES;
  }
  *upload_size = 0;  // request bodies are ignored
  if (std::strcmp(method, MHD_HTTP_METHOD_GET) != 0 && std::strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
    return send(connection,
                {MHD_HTTP_METHOD_NOT_ALLOWED, "text/plain; charset=utf-8", "read-only: GET and HEAD\n"});
  HttpRequest request{url, {}};
  MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, &collect_query, &request.query);
  return send(connection, (*static_cast<HttpServer::Handler*>(handler))(request));
}

union SocketAddress {
  sockaddr any;
  sockaddr_in v4;
  sockaddr_in6 v6;
};

SocketAddress socket_address(const ListenAddress& address) {
  SocketAddress out{};
  if (::inet_pton(AF_INET, address.host.c_str(), &out.v4.sin_addr) == 1) {
    out.v4.sin_family = AF_INET;
    out.v4.sin_port = htons(static_cast<std::uint16_t>(address.port));
  } else {
    ::inet_pton(AF_INET6, address.host.c_str(), &out.v6.sin6_addr);
    out.v6.sin6_family = AF_INET6;
    out.v6.sin6_port = htons(static_cast<std::uint16_t>(address.port));
  }
  return out;
}

}  // namespace

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

HttpServer::Opened HttpServer::open(const ListenAddress& address, Handler handler) {
  auto impl = std::make_unique<Impl>();
  impl->handler = std::move(handler);
  SocketAddress bind_to = socket_address(address);
  unsigned flags = MHD_USE_EPOLL | MHD_USE_ERROR_LOG;
  if (bind_to.any.sa_family == AF_INET6) flags |= MHD_USE_IPv6;
  // At most 64 connections, each closed after 10 s idle: bounds what a stuck or hostile local client can
  // hold.
  impl->daemon = MHD_start_daemon(flags, 0, nullptr, nullptr, &answer, &impl->handler, MHD_OPTION_SOCK_ADDR,
                                  &bind_to.any, MHD_OPTION_CONNECTION_LIMIT, 64U,
                                  MHD_OPTION_CONNECTION_TIMEOUT, 10U, MHD_OPTION_END);
  if (impl->daemon == nullptr)
    return {nullptr, "cannot listen on " + address.host + ":" + std::to_string(address.port) + ": " +
                         std::strerror(errno)};
  return {std::unique_ptr<HttpServer>(new HttpServer(std::move(impl))), {}};
}

HttpServer::~HttpServer() {
  if (impl_->daemon != nullptr) MHD_stop_daemon(impl_->daemon);
}

int HttpServer::fd() const { return MHD_get_daemon_info(impl_->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd; }
void HttpServer::process_events() { MHD_run(impl_->daemon); }
int HttpServer::port() const { return MHD_get_daemon_info(impl_->daemon, MHD_DAEMON_INFO_BIND_PORT)->port; }

}  // namespace evenkeel::http
