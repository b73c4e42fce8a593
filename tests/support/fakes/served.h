// A server of the agent in a thread of its own, as the agent's event loop runs it.
#pragma once

#include <poll.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "agent/http/http_server.h"

namespace evenkeel::test {

class Served {
 public:
  explicit Served(const http::Patience& patience = {}, http::HttpServer::Handler handler = answers_ok) {
    http::ServerOptions options{.names = {"node-1"}, .patience = patience};
    options.complain = [this](std::string_view text) {
      const std::lock_guard lock(mutex_);
      complaints_.emplace_back(text);
    };
    server_ = http::HttpServer::open({"127.0.0.1", 0}, std::move(handler), std::move(options)).server;
    if (server_) thread_ = std::thread([this] { run(); });
  }
  ~Served() {
    stopping_ = true;
    if (thread_.joinable()) thread_.join();
  }
  Served(const Served&) = delete;
  Served& operator=(const Served&) = delete;

  [[nodiscard]] int port() const { return server_ ? server_->port() : 0; }
  [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port()); }
  [[nodiscard]] std::vector<std::string> complaints() const {
    const std::lock_guard lock(mutex_);
    return complaints_;
  }

 private:
  static http::HttpAnswer answers_ok(const http::HttpRequest& request) {
    return {200, "text/plain", request.path + "\n"};
  }
  void run() {
    while (!stopping_) {
      pollfd ready{server_->fd(), POLLIN, 0};
      if (::poll(&ready, 1, 20) == 1) server_->process_events();
    }
  }
  mutable std::mutex mutex_{};
  std::vector<std::string> complaints_{};
  std::atomic<bool> stopping_ = false;
  std::unique_ptr<http::HttpServer> server_{};
  std::thread thread_{};
};

}  // namespace evenkeel::test
