// An event loop and an HTTP client for tests that wait for a reply.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "agent/http/http_client.h"

namespace evenkeel::test {

class Asker {
 public:
  Asker() : loop_(make_loop()), client_(make_client(*loop_)) {}
  runtime::EventLoop& loop() { return *loop_; }
  http::HttpClient& client() { return *client_; }
  /// Runs the loop until the reply arrives.
  http::HttpReply ask(http::HttpCall call) {
    http::HttpReply got;
    client_->start(std::move(call), [&](http::HttpReply reply) {
      got = std::move(reply);
      loop_->stop();
    });
    run();
    return got;
  }
  /// Until stop(), at most 20 s.
  void run() {
    const auto patience = loop_->timer([this] {
      ADD_FAILURE() << "the loop was not stopped";
      loop_->stop();
    });
    patience->arm(std::chrono::seconds(20));
    loop_->run();
  }
  void stop() { loop_->stop(); }

 private:
  static std::unique_ptr<runtime::EventLoop> make_loop() {
    return std::make_unique<runtime::EventLoop>(std::move(runtime::EventLoop::open().value()));
  }
  static std::unique_ptr<http::HttpClient> make_client(runtime::EventLoop& loop) {
    return std::make_unique<http::HttpClient>(std::move(http::HttpClient::open(loop).value()));
  }
  std::unique_ptr<runtime::EventLoop> loop_;
  std::unique_ptr<http::HttpClient> client_;
};

}  // namespace evenkeel::test
