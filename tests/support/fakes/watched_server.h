// A scripted API server with one collection: answers lists, and serves watches as a script says. Real sockets
// and TLS; a watch without a script stays silent.
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
  /// For ScriptedServer::answers(); the setters below still affect it afterwards.
  [[nodiscard]] Script script() const;

  /// Sets the answer to lists: a body, or a script.
  void lists(int version, const std::vector<std::string>& objects);
  void lists(Script script);
  /// Scripts the next watch, one per call.
  void watched(std::function<void(Exchange&)> script);
  /// Scripts every watch without a script of its own.
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

/// A server that runs this script.
class WatchedServer : public WatchScript {
 public:
  explicit WatchedServer(int port = 0);
  ScriptedServer& http() { return http_; }
  [[nodiscard]] std::vector<std::string> asked() const;
  [[nodiscard]] int asked_for(const std::string& part) const;

 private:
  ScriptedServer http_;
};

/// Sends the headers of a watch and these pieces, then stays silent.
std::function<void(Exchange&)> saying(std::vector<std::string> pieces);
/// Sends them and ends the watch in order.
std::function<void(Exchange&)> saying_all(std::vector<std::string> pieces);

}  // namespace evenkeel::test
