// Keeps one object of the API server as it shall be, by patches (needs only that verb): one at a time,
// the newest wins, ordinary changes are spread over some seconds so that a fleet does not write at once, and
// what failed is tried again, later each time. May not: know what is patched.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "agent/kube/client/backoff.h"
#include "agent/kube/client/kube_client.h"
#include "agent/runtime/clock.h"
#include "agent/runtime/event_loop.h"

namespace evenkeel::kube {

class Patcher {
 public:
  /// What a list in a patch does: takes the old one's place, or joins it by the API's own keys.
  enum class Kind : std::uint8_t { merge, strategic_merge };
  struct Options {
    std::string path{};  ///< "/api/v1/nodes/n1/status"
    Kind kind = Kind::merge;
    Duration spread{std::chrono::seconds(5)};        ///< an ordinary change waits for up to so long
    Duration min_interval{std::chrono::seconds(1)};  ///< from one patch to the next, urgent ones too
    Duration longest_wait{std::chrono::minutes(1)};  ///< after failures
  };
  /// What is sent, made when its turn has come, and again when it is tried again. Empty: nothing, after all.
  using Body = std::function<std::string()>;
  /// Takes an answer, good or bad. False: it was of no use, so it is asked again.
  using OnReply = std::function<bool(const http::HttpReply&)>;

  /// `loop`, `api` and `clock` must outlive it.
  static Result<Patcher> open(runtime::EventLoop& loop, KubeClient& api, const runtime::Clock& clock,
                              Random random, Options options, OnReply take);
  Patcher(Patcher&&) noexcept;
  Patcher& operator=(Patcher&&) noexcept;
  /// What is under way is dropped; what stands there stays.
  ~Patcher();

  /// Replaces what was not sent yet.
  void publish(Body body, bool urgent);
  /// Asks what stands there, by a patch that changes nothing: that needs no right to read.
  void resync();
  /// What was to be published is not, unless it is under way already.
  void pause();

 private:
  struct Impl;
  explicit Patcher(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel::kube
