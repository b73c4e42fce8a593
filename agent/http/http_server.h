// Serves the local endpoint: GET and HEAD of a few paths, read-only, inside the event loop. Wraps
// libmicrohttpd.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <variant>

namespace evenkeel::http {

struct HttpRequest {
  std::string path{};
  std::map<std::string, std::string> query{};  ///< decoded; the last value of a repeated key
};

struct HttpAnswer {
  int status = 200;
  std::string content_type{};
  std::string body{};
};

/// "127.0.0.1:9319", "[::1]:9319", ":9319", "localhost:9319"; port 0 lets the kernel choose.
struct ListenAddress {
  std::string host{};
  int port = 0;
  [[nodiscard]] bool loopback() const;
};
/// `error` is set when the text is not an address.
struct ParsedListen {
  ListenAddress address{};
  std::string error{};
};
ParsedListen parse_listen(const std::string& text);

class HttpServer {
 public:
  using Handler = std::function<HttpAnswer(const HttpRequest&)>;
  struct Opened {
    std::unique_ptr<HttpServer> server{};
    std::string error{};
  };
  static Opened open(const ListenAddress& address, Handler handler);
  ~HttpServer();

  /// For the event loop: whenever this is readable, call process_events().
  [[nodiscard]] int fd() const;
  void process_events();
  /// The port that was bound.
  [[nodiscard]] int port() const;

 private:
  struct Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel::http
