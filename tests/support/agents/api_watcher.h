// Watches a scripted API server, one object or the pods of a node, and records what the watch reports.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agent/document/document.h"
#include "agent/kube/watch/object_watch.h"
#include "agent/kube/watch/pod_watch.h"
#include "tests/support/agents/http_asker.h"
#include "tests/support/fakes/watched_server.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {

inline constexpr const char* kName = "node-1";
inline std::string object(int version) { return nodeslo_json(kName, version); }

class ApiWatchTest : public testing::Test {
 protected:
  using ReceivedEvents = std::vector<std::string>;
  void SetUp() override { token("t"); }
  void token(const std::string& text) const {
    std::ofstream(dir_.path + "/new") << text << std::flush;
    std::filesystem::rename(dir_.path + "/new", dir_.path + "/token");
  }
  void start() {
    const kube::KubeAccess access{
        .server = server_.http().url(), .token = {{}, dir_.path + "/token"}, .unverified = true};
    client_.emplace(std::move(kube::KubeClient::open(asker_.loop(), asker_.client(), access, "api").value()));
    open();
  }
  virtual void open() = 0;
  [[nodiscard]] virtual bool is_open() const = 0;
  /// Runs until `what` was reported. Returns everything reported so far.
  ReceivedEvents until(const std::string& what) {
    return until([this, what] { return !events_.empty() && events_.back() == what; });
  }
  ReceivedEvents until(std::function<bool()> so) {
    wanted_ = std::move(so);
    if (!is_open()) start();
    // Another thread counts the requests, so they are polled.
    std::optional<runtime::Timer> look;
    look.emplace(std::move(asker_.loop()
                               .timer([&] {
                                 enough();
                                 look->arm(std::chrono::milliseconds(5));
                               })
                               .value()));
    look->arm(std::chrono::milliseconds(5));
    asker_.run();
    return events_;
  }
  void run(std::chrono::milliseconds time) {
    const auto over = clock_.now() + time;
    until([this, over] { return clock_.now() >= over; });
  }
  void record(const std::string& what) {
    events_.push_back(what);
    enough();
  }
  void enough() {
    if (wanted_ && wanted_()) asker_.stop();
  }
  [[nodiscard]] bool last_asked(const std::string& part) const {
    const auto all = server_.asked();
    return !all.empty() && all.back().find(part) != std::string::npos;
  }
  [[nodiscard]] int watches() const { return server_.asked_for("watch=true"); }
  [[nodiscard]] int lists() const { return static_cast<int>(server_.asked().size()) - watches(); }

  StateDir dir_{};
  runtime::SystemClock clock_{};
  WatchedServer server_{};
  Asker asker_{};
  std::optional<kube::KubeClient> client_{};
  ReceivedEvents events_{};
  int confirmed_ = 0;
  std::function<bool()> wanted_{};
};

inline kube::ListWatch::Options quick_watch() {
  return {.stable_after = std::chrono::milliseconds(100),
          .min_interval = std::chrono::milliseconds(10),
          .longest_wait = std::chrono::milliseconds(200)};
}

class ObjectWatchTest : public ApiWatchTest {
 protected:
  ObjectWatchTest() { options_.watch.collection = "/apis/g/v1/things"; }
  void open() override {
    watch_.emplace(
        std::move(kube::ObjectWatch::open(
                      asker_.loop(), *client_, clock_, nullptr, options_,
                      {.object =
                           [this](const document::Value& value) {
                             record("object " + document::text_at(value, {"metadata", "resourceVersion"}));
                           },
                       .absent = [this] { record("absent"); },
                       .confirmed = [this] { ++confirmed_, enough(); },
                       .trouble = [this](const std::string& why) { record("trouble: " + why); }})
                      .value()));
  }
  [[nodiscard]] bool is_open() const override { return watch_.has_value(); }
  kube::ObjectWatch::Options options_{.name = kName, .watch = quick_watch()};
  std::optional<kube::ObjectWatch> watch_{};
};

/// Records each list as the names of its pods: "pods a b".
class PodWatchTest : public ApiWatchTest {
 protected:
  void open() override {
    watch_.emplace(std::move(
        kube::PodWatch::open(asker_.loop(), *client_, clock_, random_, options_,
                             {.pods = [this](pods::PodList list) { take(std::move(list)); },
                              .confirmed = [this] { ++confirmed_, enough(); },
                              .trouble = [this](const std::string& why) { record("trouble: " + why); }})
            .value()));
  }
  [[nodiscard]] bool is_open() const override { return watch_.has_value(); }
  void take(pods::PodList list) {
    std::string names = "pods";
    for (const auto& pod : list.pods) names += ' ' + pod.name;
    list_ = std::move(list);
    record(names);
  }
  kube::Random random_{};
  kube::PodWatch::Options options_{.node = kName, .watch = quick_watch()};
  std::optional<kube::PodWatch> watch_{};
  pods::PodList list_{};  ///< the last
};

}  // namespace evenkeel::test
