// Keeps one object of the API server in a desired state by patches (needs only that verb): one in flight at a
// time, the newest wins, non-urgent patches are spread over some seconds so that a fleet does not write at
// once, and failed ones are retried with backoff. Does not know the object's meaning.
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
  /// How a list in a patch is applied: it replaces the old list, or is merged by the API's own keys.
  enum class Kind : std::uint8_t { merge, strategic_merge };
  struct Options {
    std::string path{};  ///< "/api/v1/nodes/n1/status"
    Kind kind = Kind::merge;
    Duration spread{std::chrono::seconds(5)};        ///< non-urgent changes wait up to this long
    Duration min_interval{std::chrono::seconds(1)};  ///< between two patches, urgent ones too
    Duration longest_wait{std::chrono::minutes(1)};  ///< after failures
  };
  /// Builds the patch when it is due, and again for each retry. Empty: nothing to send after all.
  using Body = std::function<std::string()>;
  /// Takes an answer, good or bad. False: it was not usable, so the patch is retried.
  using OnReply = std::function<bool(const http::HttpReply&)>;

  /// `loop`, `api` and `clock` must outlive it.
  static Result<Patcher> open(runtime::EventLoop& loop, KubeClient& api, const runtime::Clock& clock,
                              Random random, Options options, OnReply take);
  Patcher(Patcher&&) noexcept;
  Patcher& operator=(Patcher&&) noexcept;
  /// Drops the request in flight; the object stays as it is.
  ~Patcher();

  /// Supersedes a patch that was not sent yet.
  void publish(Body body, bool urgent);
  /// Reads the object by a patch that changes nothing: needs no right to read.
  void resync();
  /// Drops a patch that is not in flight yet.
  void pause();

 private:
  struct Impl;
  explicit Patcher(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// At shutdown: `publish` sends the last patch, and the loop runs until the answer stops it, for `patience`
/// at most. Sends nothing where there is no timer to end that.
void publish_at_the_end(runtime::EventLoop& loop, Duration patience, const std::function<void()>& publish);

}  // namespace evenkeel::kube
