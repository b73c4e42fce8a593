// Runs HTTP requests inside the event loop, and what belongs to one: lines of a streamed body, and one
// blocking GET for commands.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "agent/http/http_call.h"
#include "agent/http/url.h"
#include "agent/runtime/event_loop.h"

namespace evenkeel::http {

// Joins the pieces of a streamed body into lines.

class LineJoiner {
 public:
  explicit LineJoiner(std::size_t longest) : longest_(longest) {}
  /// Passes on each complete line, without its newline. False: a line is longer than allowed.
  template <class F>
  bool add(std::string_view piece, F&& line) {
    for (auto end = piece.find('\n'); end != std::string_view::npos; end = piece.find('\n')) {
      partial_.append(piece.substr(0, end));
      piece.remove_prefix(end + 1);
      if (partial_.size() > longest_) return false;
      line(std::string_view(partial_));
      partial_.clear();
    }
    partial_.append(piece);
    return partial_.size() <= longest_;
  }

 private:
  std::size_t longest_;
  std::string partial_{};
};

// One blocking GET, for the commands that query the running agent.

struct HttpGetResult {
  int status = 0;  ///< 0: no answer, see error
  std::string body{};
  std::string error{};
};
/// `socket`: see HttpCall. `patience`: for the whole of it, at least a millisecond.
HttpGetResult http_get(const std::string& url, const std::string& socket = {},
                       Duration patience = std::chrono::seconds(5));

// Runs HTTP requests inside the event loop: any number at a time, none blocks. Does not know Kubernetes and
// does not retry.

class HttpClient {
 public:
  using Id = HttpId;
  using Done = std::function<void(HttpReply)>;

  /// `loop` must outlive the client.
  static Result<HttpClient> open(runtime::EventLoop& loop);
  HttpClient(HttpClient&&) noexcept;
  HttpClient& operator=(HttpClient&&) noexcept;
  /// Drops requests in flight without calling `done`.
  ~HttpClient();

  /// Calls `done` once, later, from the loop. `done` may start and cancel requests, but not destroy the
  /// client.
  Id start(HttpCall call, Done done);
  /// `done`, `line`, `piece` and `begun` are not called any more. No effect on a request that has ended.
  void cancel(Id id);
  [[nodiscard]] std::size_t in_flight() const;

 private:
  struct Impl;
  explicit HttpClient(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel::http
