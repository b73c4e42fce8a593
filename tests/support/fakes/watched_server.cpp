#include "tests/support/fakes/watched_server.h"

#include <algorithm>

namespace evenkeel::test {

std::string nodeslo_json(const std::string& name, int version, const std::string& spec) {
  return R"({"apiVersion":"slo.koordinator.sh/v1alpha1","kind":"NodeSLO","metadata":{"name":")" + name +
         R"(","resourceVersion":")" + std::to_string(version) +
         R"(","managedFields":[{"manager":"kubectl"}]},"spec":)" + spec + R"(,"status":{}})";
}

std::string list_json(int version, const std::vector<std::string>& objects) {
  std::string out =
      R"({"apiVersion":"slo.koordinator.sh/v1alpha1","kind":"NodeSLOList","metadata":{"continue":"","resourceVersion":")" +
      std::to_string(version) + R"("},"items":[)";
  for (const auto& object : objects) out += (out.ends_with('[') ? "" : ",") + object;
  return out + "]}\n";
}

std::string event_json(const std::string& type, const std::string& object) {
  return R"({"type":")" + type + R"(","object":)" + object + "}\n";
}

std::string bookmark_json(int version) {
  return event_json("BOOKMARK", R"({"kind":"NodeSLO","metadata":{"resourceVersion":")" +
                                    std::to_string(version) + R"("}})");
}

std::string gone_json(int code, const std::string& message) {
  return event_json("ERROR",
                    R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":")" +
                        message + R"(","code":)" + std::to_string(code) + "}");
}

WatchScript::WatchScript() {
  shared_->rest = saying({});
  lists(1, {});
}

WatchScript::Script WatchScript::script() const {
  return [shared = shared_](const Asked& asked, Exchange& exchange) {
    std::unique_lock lock(shared->mutex);
    if (asked.target.find("watch=true") == std::string::npos) {
      const auto list = shared->list;
      lock.unlock();
      return list(asked, exchange);
    }
    auto watch = shared->rest;
    if (!shared->watches.empty()) {
      watch = shared->watches.front();
      shared->watches.pop_front();
    }
    lock.unlock();
    watch(exchange);
  };
}

void WatchScript::lists(int version, const std::vector<std::string>& objects) {
  lists([body = list_json(version, objects)](const Asked&, Exchange& exchange) {
    exchange.send(http_answer(200, body));
  });
}

void WatchScript::lists(Script script) {
  const std::lock_guard lock(shared_->mutex);
  shared_->list = std::move(script);
}

void WatchScript::watched(std::function<void(Exchange&)> script) {
  const std::lock_guard lock(shared_->mutex);
  shared_->watches.push_back(std::move(script));
}

void WatchScript::watched_for_ever(std::function<void(Exchange&)> script) {
  const std::lock_guard lock(shared_->mutex);
  shared_->rest = std::move(script);
}

WatchedServer::WatchedServer(int port) : http_({.tls = true, .port = port}) { http_.answers(script()); }

std::vector<std::string> WatchedServer::asked() const {
  std::vector<std::string> out;
  for (const auto& each : http_.asked()) out.push_back(each.target);
  return out;
}

int WatchedServer::asked_for(const std::string& part) const {
  const auto all = asked();
  return static_cast<int>(std::ranges::count_if(
      all, [&](const std::string& target) { return target.find(part) != std::string::npos; }));
}

std::function<void(Exchange&)> saying(std::vector<std::string> pieces) {
  return [pieces = std::move(pieces)](Exchange& exchange) {
    exchange.send(chunked_head());
    for (const auto& piece : pieces) exchange.send(chunk(piece));
    exchange.hang();
  };
}

std::function<void(Exchange&)> saying_all(std::vector<std::string> pieces) {
  return [pieces = std::move(pieces)](Exchange& exchange) {
    exchange.send(chunked_head());
    for (const auto& piece : pieces) exchange.send(chunk(piece));
    exchange.send("0\r\n\r\n");
  };
}

}  // namespace evenkeel::test
