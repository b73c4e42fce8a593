#include "agent/kube/watch/object_watch.h"

#include <optional>
#include <utility>

#include "agent/document/document.h"

namespace evenkeel::kube {
namespace {

/// Of an object only its identity and its spec are kept.
constexpr document::KeyFilter kMetadata[] = {{"name"}, {"resourceVersion"}};
constexpr document::KeyFilter kObject[] = {{"apiVersion"}, {"kind"}, {"metadata", kMetadata}, {"spec"}};

std::string name_of(const document::Value& object) { return document::text_at(object, {"metadata", "name"}); }

}  // namespace

struct ObjectWatch::Impl {
  std::string name;
  OnChange on_change;
  std::optional<std::string> reported_version{};  ///< version last passed on; empty: no such object
  std::optional<document::Value> listed{};        ///< the object in the list that arrives
  std::optional<ListWatch> watch{};

  void take(const document::Value& object) {
    if (name_of(object) == name) listed = object;
  }
  std::string take_list() {
    const auto found = std::exchange(listed, std::nullopt);
    const auto version = found ? version_of(*found) : std::string();
    if (found && version.empty()) return "the object has no version";
    report(found ? &*found : nullptr, version);
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
  options.watch.selector = "metadata.name=" + options.name;
  options.watch.kept = kObject;
  auto* self = impl.get();
  auto watch = ListWatch::open(loop, api, clock, std::move(random), std::move(options.watch),
                               {.list_begins = [self] { self->listed.reset(); },
                                .listed = [self](const document::Value& object) { self->take(object); },
                                .too_long = [](std::string_view) {},
                                .list = [self] { return self->take_list(); },
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
