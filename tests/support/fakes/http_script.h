// An HTTP/1.1 server of a test, on loopback, with TLS or without: real sockets, and answers as a script gives
// them, byte by byte where it likes. Every connection has a thread of its own; waiting ends when the server
// goes.
//
//   ScriptedServer server({.tls = true});
//   server.answers([](const Asked& asked, Exchange& exchange) { exchange.send(http_answer(200, "{}")); });
//   ... server.url() ...
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/fakes/tls.h"

namespace evenkeel::test {

struct Asked {
  std::string method{}, target{}, body{};
  std::map<std::string, std::string> headers{};  ///< names in small letters
  int connection = 0;                            ///< counted from 1
  std::string client{};                          ///< the common name of the client's certificate
  std::string head{};                            ///< request line and headers as they came
  [[nodiscard]] std::string header(const std::string& name) const;
};

class ScriptedServer;

/// What a script may do to the connection on which it was asked.
class Exchange {
 public:
  Exchange(ScriptedServer& server, Stream& stream) : server_(server), stream_(stream) {}
  /// False: the other side does not take more.
  bool send(std::string_view bytes) { return !over_ && (meddler_ ? meddler_(*this, bytes) : send_on(bytes)); }
  bool send_on(std::string_view bytes) { return !over_ && stream_.write(bytes); }
  /// From now on, for this answer, what is sent goes through this, which may send_on() what it likes.
  void on_send(std::function<bool(Exchange&, std::string_view)> meddler) { meddler_ = std::move(meddler); }
  /// False: the server is going.
  bool wait(std::chrono::milliseconds time);
  /// Says nothing more until the other side, or the server, goes.
  void hang();
  /// The connection ends in order after this.
  void close() { over_ = true; }
  /// The connection ends with a reset, at once.
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
/// In pieces of `size`, with the end unless `complete` is false.
std::string chunked_answer(const std::string& body, std::size_t size = 4096, bool complete = true);

class ScriptedServer {
 public:
  struct Options {
    bool tls = false;
    std::vector<std::string> names{"127.0.0.1", "localhost"};  ///< in the certificate
    bool ask_for_certificate = false;                          ///< one of authority()
    int port = 0;
  };
  using Script = std::function<void(const Asked&, Exchange&)>;

  explicit ScriptedServer(Options options);
  ScriptedServer() : ScriptedServer(Options{}) {}
  ~ScriptedServer();
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  /// From the next request on. Before the first call everything is answered 200 with "{}".
  void answers(Script script);
  [[nodiscard]] std::string url(const std::string& path = {}) const;
  [[nodiscard]] int port() const { return port_; }
  [[nodiscard]] const Authority& authority() const { return authority_; }
  [[nodiscard]] std::vector<Asked> asked() const;
  [[nodiscard]] int connections() const;
  /// Nobody can connect any more, and every connection is closed: the server is gone.
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

/// A connected socket to 127.0.0.1; empty when nobody listens.
Fd connect_to(int port);
/// A socket that is being connected; nobody waits for it.
Fd begin_to_connect(int port);
/// A socket that listens on 127.0.0.1; `port` 0 is replaced by the kernel's choice.
Fd listen_on(int& port, int backlog = 128);
/// Reads up to the empty line and the body that a Content-Length announces. False: the end came first.
bool read_request(Stream& stream, std::string& kept, Asked& asked);

}  // namespace evenkeel::test
