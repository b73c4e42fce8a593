#include "agent/kube/object_watch.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "agent/pods/kube_text.h"

namespace evenkeel::kube {
namespace {

/// Of an object only its identity and its spec are kept.
constexpr document::KeyFilter kMetadata[] = {{"name"}, {"resourceVersion"}};
constexpr document::KeyFilter kObject[] = {{"apiVersion"}, {"kind"}, {"metadata", kMetadata}, {"spec"}};

/// An object is limited to 1.5 MiB.
constexpr std::size_t kLongest = std::size_t{4} << 20;

std::string name_of(const document::Value& object) { return pods::text_at(object, {"metadata", "name"}); }

}  // namespace

struct ObjectWatch::Impl {
  std::string name;
  OnChange on_change;
  std::optional<std::string> reported_version{};  ///< version last passed on; empty: no such object
  std::optional<ListWatch> watch{};

  std::string take_list(const document::Value& items) {
    const document::Value* found = nullptr;
    if (const auto* list = items.list())
      for (const auto& item : *list)
        if (name_of(item) == name) found = &item;
    const auto version = found != nullptr ? version_of(*found) : std::string();
    if (found != nullptr && version.empty()) return "the object has no version";
    report(found, version);
    return {};
  }
  void take_event(const WatchEvent& event) {
    if (name_of(event.object) != name) return on_change.confirmed();
    const bool there = event.kind == WatchEvent::Kind::current;
    report(there ? &event.object : nullptr, there ? event.version : std::string());
  }
  /// `object` null: no such object.
  void report(const document::Value* object, const std::string& version) {
    const bool same = reported_version && *reported_version == version;
    reported_version = version;
    if (same) {
      on_change.confirmed();
    } else if (object != nullptr) {
      on_change.object(*object);
    } else {
      on_change.absent();
    }
  }
};

Result<ObjectWatch> ObjectWatch::open(runtime::EventLoop& loop, KubeClient& api, const runtime::Clock& clock,
                                      Random random, Options options, OnChange on_change) {
  auto impl = std::make_unique<Impl>(Impl{.name = options.name, .on_change = std::move(on_change)});
  options.watch.selector = "metadata.name%3D" + options.name;
  options.watch.kept = kObject;
  options.watch.longest = std::min(options.watch.longest, kLongest);
  auto* self = impl.get();
  auto watch =
      ListWatch::open(loop, api, clock, std::move(random), std::move(options.watch),
                      {.list = [self](const document::Value& items) { return self->take_list(items); },
                       .event = [self](const WatchEvent& event) { self->take_event(event); },
                       .confirmed = [self] { self->on_change.confirmed(); },
                       .trouble = [self](const std::string& why) { self->on_change.trouble(why); }});
  if (!watch) return tl::unexpected(watch.error());
  impl->watch.emplace(std::move(*watch));
  return ObjectWatch(std::move(impl));
}

ObjectWatch::ObjectWatch(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ObjectWatch::ObjectWatch(ObjectWatch&&) noexcept = default;
ObjectWatch& ObjectWatch::operator=(ObjectWatch&&) noexcept = default;
ObjectWatch::~ObjectWatch() = default;

}  // namespace evenkeel::kube
