// Serves the local endpoint: GET and HEAD of a few paths, read-only, inside the event loop. Wraps
// libmicrohttpd.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agent/http/connections.h"

namespace evenkeel::http {

/// Where a request comes from, the least trusted first.
enum class Caller : std::uint8_t {
  network,
  loopback,  ///< from a loopback address: any process of this host that shares its network
  socket,    ///< through the unix socket: whom its mode lets in
  root,      ///< of this host, through the unix socket
};

struct HttpRequest {
  std::string path{};
  std::map<std::string, std::string> query{};  ///< decoded; the last value of a repeated key
  Caller caller = Caller::network;
};

struct HttpAnswer {
  int status = 200;
  std::string content_type{};
  std::string body{};
};

/// "127.0.0.1:9319", "[::1]:9319", ":9319", "localhost:9319"; port 0 lets the kernel choose. Or "unix:/PATH".
struct ListenAddress {
  std::string host{};
  int port = 0;
  std::string socket{};                ///< path of a unix socket, instead of host and port; empty: none
  [[nodiscard]] bool on_host() const;  ///< a loopback address or a unix socket
  [[nodiscard]] std::string text() const;
};
/// `error` is set when the text is not an address.
struct ParsedListen {
  ListenAddress address{};
  std::string error{};
};
ParsedListen parse_listen(const std::string& text);

/// Whether a request's Host header names this host: as localhost, by an address, or by one of `names`. A page
/// of a web site whose name leads to this host's address (DNS rebinding) has the site's name in it.
bool host_is_ours(std::string_view host, const std::vector<std::string>& names);

struct ServerOptions {
  std::vector<std::string> names{};  ///< of this host, for host_is_ours()
  /// Takes what the library has to say, most of all about clients that went away. May be empty.
  std::function<void(std::string_view)> complain{};
  Patience patience{};
};

class HttpServer {
 public:
  using Handler = std::function<HttpAnswer(const HttpRequest&)>;
  struct Opened {
    std::unique_ptr<HttpServer> server{};
    std::string error{};
  };
  /// A unix socket gets the mode 0660 and the group `evenkeel`, if there is one and the process may give it.
  /// The socket of a process that has ended is replaced; one that is served is an error.
  static Opened open(const ListenAddress& address, Handler handler, ServerOptions options = {});
  ~HttpServer();

  /// For the event loop: whenever this is readable, call process_events(). Also readable when a client is
  /// late.
  [[nodiscard]] int fd() const;
  void process_events();
  /// The port that was bound; 0: a unix socket.
  [[nodiscard]] int port() const;

 private:
  struct Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel::http
