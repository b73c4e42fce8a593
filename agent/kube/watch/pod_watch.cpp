#include "agent/kube/watch/pod_watch.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "agent/document/document.h"

namespace evenkeel::kube {
namespace {

constexpr const char* kPodsPath = "/api/v1/pods";

/// Whoever changes a pod without end makes it work a tenth of the time.
constexpr int kPausePerWork = 10;

std::string selector_of(const std::string& node) { return "spec.nodeName=" + node; }

/// Namespace and name, of which the API server has one pod at a time.
std::string key_of(const document::Value& object) {
  return document::text_at(object, {"metadata", "namespace"}) + '/' +
         document::text_at(object, {"metadata", "name"});
}

/// What the newest version of an object says.
struct ReadPod {
  std::optional<Pod> pod{};  ///< absent: it cannot be read, for the reason in the notices
  std::vector<std::string> notices{};
};
ReadPod read(const document::Value& object) {
  ReadPod out;
  out.pod = pods::read_pod(object, pods::Source::server, out.notices);
  return out;
}

}  // namespace

struct PodWatch::Impl {
  const runtime::Clock& clock;
  Options options;
  OnChange on_change;
  /// The pods by namespace and name.
  struct Known {
    std::map<std::string, ReadPod> pods{}, ended{};
    bool left_out = false;                ///< there were more since the last list
    std::vector<std::string> too_long{};  ///< notices of those in the last list
  };
  Known known{}, arriving{};
  bool waiting = false;   ///< for events that follow soon
  MonoTime not_before{};  ///< events are passed on
  std::optional<runtime::Timer> soon{};
  std::optional<ListWatch> watch{};

  static void forget(const std::string& key, Known& in) {
    in.pods.erase(key);
    in.ended.erase(key);
  }
  void keep(const document::Value& object, Known& in) {
    auto key = key_of(object);
    forget(key, in);
    const bool ended = pods::has_ended(object);
    if (in.pods.size() + in.ended.size() >= options.most_pods) {
      in.left_out = true;
      if (ended || in.ended.empty()) return;
      in.ended.erase(in.ended.begin());
    }
    (ended ? in.ended : in.pods).emplace(std::move(key), read(object));
  }
  std::string take_list() {
    known = std::exchange(arriving, {});
    pass_on();
    return {};
  }
  void take_event(const WatchEvent& event) {
    if (event.kind == WatchEvent::Kind::gone) {
      forget(key_of(event.object), known);
    } else {
      keep(event.object, known);
    }
    if (!std::exchange(waiting, true)) soon->arm(std::max(options.gather, not_before - clock.now()));
  }
  void pass_on() {
    const MonoTime began = clock.now();
    soon->disarm();
    waiting = false;
    pods::PodList list{.notices = known.too_long};
    for (const auto* pods : {&known.pods, &known.ended})
      for (const auto& [key, one] : *pods) {
        if (one.pod) list.pods.push_back(*one.pod);
        list.notices.insert(list.notices.end(), one.notices.begin(), one.notices.end());
      }
    if (known.left_out) list.notices.push_back(pods::too_many_notice(options.most_pods));
    pods::normalize(list);
    on_change.pods(std::move(list));
    const MonoTime ended = clock.now();
    not_before = ended + kPausePerWork * (ended - began);
  }
};

std::string PodWatch::url(const std::string& server, const std::string& node) {
  return server + kPodsPath + "?fieldSelector=" + selector_of(node);
}

std::string PodWatch::list_url(const std::string& node) {
  return selection_url(kPodsPath, selector_of(node)) + kFromCache;
}

Result<PodWatch> PodWatch::open(runtime::EventLoop& loop, KubeClient& api, const runtime::Clock& clock,
                                const Random& random, Options options, OnChange on_change) {
  auto impl = std::make_unique<Impl>(
      Impl{.clock = clock, .options = std::move(options), .on_change = std::move(on_change)});
  auto* self = impl.get();
  auto soon = loop.timer([self] { self->pass_on(); });
  if (!soon) return tl::unexpected(soon.error());
  impl->soon.emplace(std::move(*soon));
  auto how = impl->options.watch;
  how.collection = kPodsPath;
  how.selector = selector_of(impl->options.node);
  how.kept = pods::pod_key_filter();
  how.relist_from_cache = true;
  auto watch = ListWatch::open(
      loop, api, clock, random, std::move(how),
      {.list_begins = [self] { self->arriving = {}; },
       .listed = [self](const document::Value& object) { self->keep(object, self->arriving); },
       .too_long =
           [self](std::string_view beginning) {
             self->arriving.too_long.push_back(pods::too_long_notice(beginning));
           },
       .list = [self] { return self->take_list(); },
       .event = [self](const WatchEvent& event) { self->take_event(event); },
       .confirmed = [self] { self->on_change.confirmed(); },
       .trouble = [self](const std::string& why) { self->on_change.trouble(why); }});
  if (!watch) return tl::unexpected(watch.error());
  impl->watch.emplace(std::move(*watch));
  return PodWatch(std::move(impl));
}

PodWatch::PodWatch(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PodWatch::PodWatch(PodWatch&&) noexcept = default;
PodWatch& PodWatch::operator=(PodWatch&&) noexcept = default;
PodWatch::~PodWatch() = default;

}  // namespace evenkeel::kube
