// Changes a part of an object that others change too, and that cannot be patched blindly: reads the object by
// a patch that changes nothing, patches it for the version that was read, and reads it again after a
// conflict or a failure. Does not know the part.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "agent/kube/client/backoff.h"
#include "agent/kube/client/kube_client.h"
#include "agent/kube/node/patcher.h"
#include "agent/runtime/clock.h"
#include "agent/runtime/event_loop.h"

namespace evenkeel::kube {

class VersionedPatcher {
 public:
  struct Part {
    /// Takes the object as the server has it; `patched`: in answer to patch(), not to a read. Returns why it
    /// is of no use; empty: it is what patch() starts from.
    std::function<std::string(std::string_view object, bool patched)> read{};
    /// Whether what was read is as it is wanted.
    std::function<bool()> as_wanted{};
    /// From what was read to what is wanted, for the version that was read.
    std::function<std::string()> patch{};
    /// Receives the reason why a request failed, once per change. A conflict is no failure.
    std::function<void(const std::string&)> failed{};
  };

  /// `loop`, `api` and `clock` must outlive it.
  static Result<VersionedPatcher> open(runtime::EventLoop& loop, KubeClient& api, const runtime::Clock& clock,
                                       Random random, Patcher::Options options, Part part);
  VersionedPatcher(VersionedPatcher&&) noexcept;
  VersionedPatcher& operator=(VersionedPatcher&&) noexcept;
  ~VersionedPatcher();

  /// What is wanted has changed, or others may have changed the object: reads it, then patches it until it is
  /// as wanted.
  void look(bool urgent);
  /// Whether the object was read since then, and is as wanted.
  [[nodiscard]] bool settled() const;
  /// On shutdown: looks at once, and runs the loop until the object is as wanted, for `patience` at most.
  void finish(Duration patience);

 private:
  struct Impl;
  explicit VersionedPatcher(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel::kube
