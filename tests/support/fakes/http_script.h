// A scripted HTTP/1.1 server on loopback for tests, with or without TLS: real sockets, and answers given byte
// by byte if needed. Every connection has its own thread; waits end when the server stops.
//
//   ScriptedServer server({.tls = true});
//   server.answers([](const Asked& asked, Exchange& exchange) { exchange.send(http_answer(200, "{}")); });
//   ... server.url() ...
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/fakes/tls.h"

namespace evenkeel::test {

struct Asked {
  std::string method{}, target{}, body{};
  std::map<std::string, std::string> headers{};  ///< names in lower case
  int connection = 0;                            ///< counted from 1
  std::string client{};                          ///< the common name of the client's certificate
  std::string head{};                            ///< request line and headers as received
  [[nodiscard]] std::string header(const std::string& name) const;
};

class ScriptedServer;

/// What a script may do with the connection of its request.
class Exchange {
 public:
  Exchange(ScriptedServer& server, Stream& stream) : server_(server), stream_(stream) {}
  /// False: the other side no longer receives.
  bool send(std::string_view bytes) { return !over_ && (meddler_ ? meddler_(*this, bytes) : send_on(bytes)); }
  bool send_on(std::string_view bytes) { return !over_ && stream_.write(bytes); }
  /// For this answer, passes everything sent through this function, which may call send_on().
  void on_send(std::function<bool(Exchange&, std::string_view)> meddler) { meddler_ = std::move(meddler); }
  /// False: the server is stopping.
  bool wait(std::chrono::milliseconds time);
  /// Sends nothing more until the other side or the server closes.
  void hang();
  /// Closes the connection in order after this.
  void close() { over_ = true; }
  /// Resets the connection at once.
  void reset();
  [[nodiscard]] bool over() const { return over_; }

 private:
  ScriptedServer& server_;
  Stream& stream_;
  bool over_ = false;
  std::function<bool(Exchange&, std::string_view)> meddler_{};
};

/// "HTTP/1.1 200 OK", the headers, a Content-Length and the body.
std::string http_answer(int status, const std::string& body, const std::string& headers = {},
                        const std::string& content_type = "application/json");
std::string chunked_head(int status = 200);
std::string chunk(std::string_view text);
/// In chunks of `size`, with the final chunk unless `complete` is false.
std::string chunked_answer(const std::string& body, std::size_t size = 4096, bool complete = true);

class ScriptedServer {
 public:
  struct Options {
    bool tls = false;
    std::vector<std::string> names{"127.0.0.1", "localhost"};  ///< in the certificate
    bool ask_for_certificate = false;                          ///< one issued by authority()
    int port = 0;
  };
  using Script = std::function<void(const Asked&, Exchange&)>;

  explicit ScriptedServer(Options options);
  ScriptedServer() : ScriptedServer(Options{}) {}
  ~ScriptedServer();
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  /// Takes effect from the next request. Before the first call every answer is 200 with "{}".
  void answers(Script script);
  [[nodiscard]] std::string url(const std::string& path = {}) const;
  [[nodiscard]] int port() const { return port_; }
  [[nodiscard]] const Authority& authority() const { return authority_; }
  [[nodiscard]] std::vector<Asked> asked() const;
  [[nodiscard]] int connections() const;
  /// Closes every connection and refuses new ones, like a server that is down.
  void stop();

 private:
  friend class Exchange;
  void accept_all();
  void serve(Fd socket, int number);
  void converse(Stream& stream, int number);
  Options options_;
  Authority authority_{"test authority"};
  Certificate certificate_{};
  Fd listener_{};
  int port_ = 0;
  mutable std::mutex mutex_{};
  std::condition_variable going_{};
  bool stopping_ = false;
  int connections_ = 0;
  std::map<int, Fd> open_{};  ///< a second descriptor of each connection, by its number
  std::vector<Asked> asked_{};
  Script script_{};
  std::vector<std::thread> threads_{};
  std::thread acceptor_{};
};

/// A connected socket to 127.0.0.1; empty if nothing listens.
Fd connect_to(int port);
/// A socket whose connection is in progress, without waiting for it.
Fd begin_to_connect(int port);
/// A socket that listens on 127.0.0.1; `port` 0 is replaced by the kernel's choice.
Fd listen_on(int& port, int backlog = 128);
/// Reads the headers, and the body that Content-Length announces. False: the connection ended first.
bool read_request(Stream& stream, std::string& kept, Asked& asked);

}  // namespace evenkeel::test
