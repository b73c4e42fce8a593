// Parses what an API server says about one object: the list that may hold it, and the lines of a watch. Pure.
// Does not interpret the object.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "agent/document/document.h"

namespace evenkeel::kube {

/// Of an object only its identity (metadata.name, metadata.resourceVersion) and its spec are kept.
struct ListedObject {
  std::optional<document::Value> object{};  ///< absent: the list does not hold it
  std::string object_version{};
  std::string version{};  ///< of the list: where a watch starts
  std::string problem{};  ///< not empty: why this is not a list
};
ListedObject parse_object_list(std::string_view body, const std::string& name);

struct WatchEvent {
  enum class Kind : std::uint8_t {
    current,   ///< `object` is its present state: ADDED or MODIFIED
    gone,      ///< DELETED
    bookmark,  ///< unchanged up to `version`
    error,     ///< the watch ends, for the reason given
    malformed  ///< not a watch event
  };
  Kind kind = Kind::malformed;
  document::Value object{};
  std::string name{};     ///< the object's
  std::string version{};  ///< where a watch resumes; empty only for an error
  int code = 0;           ///< of an error, as an HTTP status
  std::string message{};  ///< of an error, human-readable
};
WatchEvent parse_watch_event(std::string_view line);

}  // namespace evenkeel::kube
