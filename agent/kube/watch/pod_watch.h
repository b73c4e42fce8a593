// Keeps the pods of one node as the API server knows them, by a ListWatch. Of a pod only what policies read
// is kept.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "agent/kube/watch/list_watch.h"
#include "agent/pods/pod_list.h"

namespace evenkeel::kube {

class PodWatch {
 public:
  /// `watch` says how to list and watch; what is listed is this class's.
  struct Options {
    std::string node{};  ///< the node's name; a legal part of a URL
    /// Events that arrive within this time become one list. It is longer where lists take much time.
    Duration gather{std::chrono::milliseconds(20)};
    /// Beyond it, further pods are left out, with a notice, ended ones first.
    std::size_t most_pods = pods::kMostPods;
    ListWatch::Options watch{};
  };
  struct OnChange {
    std::function<void(pods::PodList)> pods{};          ///< all of them
    std::function<void()> confirmed{};                  ///< they are unchanged as of now
    std::function<void(const std::string&)> trouble{};  ///< as ListWatch has it
  };
  /// The display URL: "https://HOST:PORT/api/v1/pods?fieldSelector=spec.nodeName=NODE".
  static std::string url(const std::string& server, const std::string& node);
  /// The path of one list, as the watch itself begins with.
  static std::string list_url(const std::string& node);

  /// The same conditions as for ListWatch::open(). Lists are spread and come from the server's cache.
  static Result<PodWatch> open(runtime::EventLoop& loop, KubeClient& api, const runtime::Clock& clock,
                               const Random& random, Options options, OnChange on_change);
  PodWatch(PodWatch&&) noexcept;
  PodWatch& operator=(PodWatch&&) noexcept;
  ~PodWatch();

 private:
  struct Impl;
  explicit PodWatch(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace evenkeel::kube
