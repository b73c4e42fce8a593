// Keeps one object of an API server up to date, by a ListWatch of its name. Does not interpret the object.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "agent/kube/watch/list_watch.h"

namespace evenkeel::kube {

class ObjectWatch {
 public:
  /// `watch` says how to list and watch; its collection is needed, selector and members are this class's.
  struct Options {
    std::string name{};  ///< the object's name; a legal part of a URL
    ListWatch::Options watch{};
  };
  struct OnChange {
    /// The object, without its status and with only name and version of its metadata.
    std::function<void(const document::Value&)> object{};
    std::function<void()> absent{};                     ///< no object of that name exists, or no longer
    std::function<void()> confirmed{};                  ///< the object is unchanged as of now
    std::function<void(const std::string&)> trouble{};  ///< as ListWatch has it
  };

  /// The same conditions as for ListWatch::open().
  static Result<ObjectWatch> open(runtime::EventLoop& loop, KubeClient& api, const runtime::Clock& clock,
                                  Random random, Options options, OnChange on_change);
  ObjectWatch(ObjectWatch&&) noexcept;
  ObjectWatch& operator=(ObjectWatch&&) noexcept;
  ~ObjectWatch();

 private:
  struct Impl;
  explicit ObjectWatch(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel::kube
