// An API server of a test that knows one collection: lists it, and serves watches as a script says. Real
// sockets and TLS; a watch that is not scripted stays silent.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tests/support/fakes/http_script.h"

namespace evenkeel::test {

/// {"apiVersion":…,"kind":"NodeSLO","metadata":{"name":…,"resourceVersion":…},"spec":…}
std::string nodeslo_json(const std::string& name, int version, const std::string& spec = "{}");
std::string list_json(int version, const std::vector<std::string>& objects);
/// With its line end.
std::string event_json(const std::string& type, const std::string& object);
std::string bookmark_json(int version);
std::string gone_json(int code, const std::string& message);

class WatchScript {
 public:
  using Script = ScriptedServer::Script;
  WatchScript();
  /// For ScriptedServer::answers(); what is said below counts for it from then on, too.
  [[nodiscard]] Script script() const;

  /// What lists are answered with from now on: a body, or a script.
  void lists(int version, const std::vector<std::string>& objects);
  void lists(Script script);
  /// The next watch that comes, one for each call.
  void watched(std::function<void(Exchange&)> script);
  /// Each watch for which nothing is scripted.
  void watched_for_ever(std::function<void(Exchange&)> script);

 private:
  struct Shared {
    std::mutex mutex{};
    Script list{};
    std::deque<std::function<void(Exchange&)>> watches{};
    std::function<void(Exchange&)> rest{};
  };
  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
};

/// A server of its own for it.
class WatchedServer : public WatchScript {
 public:
  explicit WatchedServer(int port = 0);
  ScriptedServer& http() { return http_; }
  [[nodiscard]] std::vector<std::string> asked() const;
  [[nodiscard]] int asked_for(const std::string& part) const;

 private:
  ScriptedServer http_;
};

/// Sends the head of a watch and these pieces, and then says nothing more.
std::function<void(Exchange&)> saying(std::vector<std::string> pieces);
/// Sends them and ends the watch in order.
std::function<void(Exchange&)> saying_all(std::vector<std::string> pieces);

}  // namespace evenkeel::test
