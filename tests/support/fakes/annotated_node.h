// A Node at a scripted API server, as far as its annotations go: takes a merge patch of the version that it
// has, refuses one of another, and answers every other request with the Node. Safe to use from any thread.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "agent/document/document.h"
#include "agent/runtime/json.h"
#include "tests/support/fakes/http_script.h"

namespace evenkeel::test {

class AnnotatedNode {
 public:
  using Annotations = std::map<std::string, std::string>;

  std::string answer(const std::string& patch) {
    const std::lock_guard lock(mutex_);
    const auto parsed = document::parse_json(patch.empty() ? "{}" : patch, "patch").root;
    const auto version = document::text_at(parsed, {"metadata", "resourceVersion"});
    if (!version.empty() && version != std::to_string(version_))
      return http_answer(409, R"({"kind":"Status","message":"the object has been modified"})");
    if (const auto* changes = document::value_at(parsed, {"metadata", "annotations"})) take(*changes);
    const auto now = http_answer(200, text());
    if (std::exchange(touched_, false)) ++version_;
    return now;
  }
  [[nodiscard]] Annotations annotations() const {
    const std::lock_guard lock(mutex_);
    return annotations_;
  }
  /// By another client.
  void set(Annotations annotations) {
    const std::lock_guard lock(mutex_);
    annotations_ = std::move(annotations);
    ++version_;
  }
  /// Another client changes something else right after the next answer.
  void touch_soon() {
    const std::lock_guard lock(mutex_);
    touched_ = true;
  }
  /// Its kubelet registers it again, after it was deleted.
  void register_again() {
    set({});
    const std::lock_guard lock(mutex_);
    uid_ += "+";
  }
  /// From now on the server drops this annotation of a patch.
  void drops(const std::string& annotation) {
    const std::lock_guard lock(mutex_);
    dropped_ = annotation;
  }

 private:
  void take(const document::Value& changes) {
    for (const auto& [key, value] : *changes.map()) {
      if (value.null() || key == dropped_)
        annotations_.erase(key);
      else
        annotations_[key] = value.scalar()->text;
    }
    ++version_;
  }
  [[nodiscard]] std::string text() const {
    std::string out;
    runtime::Json json(out);
    json.begin_object().member("kind", "Node").key("metadata").begin_object();
    json.member("name", "n1").member("uid", uid_).member("resourceVersion", std::to_string(version_));
    json.key("annotations").begin_object();
    for (const auto& [key, value] : annotations_) json.member(key, value);
    json.end_object().end_object().key("status").begin_object().end_object().end_object();
    return out;
  }

  mutable std::mutex mutex_{};
  Annotations annotations_{};
  std::string uid_{"u1"}, dropped_{};
  int version_ = 7;
  bool touched_ = false;
};

}  // namespace evenkeel::test
