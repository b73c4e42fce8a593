// What an API server says about one object: the list that holds it or not, and the lines of a watch. Pure.
// May not: know what the object means.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "agent/document/document.h"

namespace evenkeel::kube {

/// Of an object only what tells who it is (metadata.name, metadata.resourceVersion) and its spec are kept.
struct ListedObject {
  std::optional<document::Value> object{};  ///< absent: the list does not hold it
  std::string object_version{};
  std::string version{};  ///< of the list: where a watch goes on
  std::string problem{};  ///< not empty: this is no list, for the reason given
};
ListedObject parse_object_list(std::string_view body, const std::string& name);

struct WatchEvent {
  enum class Kind : std::uint8_t {
    current,   ///< it is there, as `object` says: ADDED or MODIFIED
    gone,      ///< DELETED
    bookmark,  ///< nothing new up to `version`
    error,     ///< the watch ends, for the reason given
    malformed  ///< not what an API server says
  };
  Kind kind = Kind::malformed;
  document::Value object{};
  std::string name{};     ///< the object's
  std::string version{};  ///< where a watch goes on; never empty but for an error
  int code = 0;           ///< of an error, as an HTTP status
  std::string message{};  ///< of an error, for people
};
WatchEvent parse_watch_event(std::string_view line);

}  // namespace evenkeel::kube
