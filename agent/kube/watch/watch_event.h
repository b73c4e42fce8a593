// Parses what an API server says about a collection: a list of objects, and the lines of a watch. Pure. Does
// not interpret the objects.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "agent/document/document.h"

namespace evenkeel::kube {

/// What a list says beside its objects.
struct ListHead {
  std::string version{};  ///< where a watch starts
  std::string problem{};  ///< not empty: why this is not a list
};
/// The members beside the objects that read_list_head() reads.
std::span<const document::KeyFilter> list_head_filter();
ListHead read_list_head(const document::Parsed& rest);

struct WatchEvent {
  enum class Kind : std::uint8_t {
    current,   ///< `object` is its present state: ADDED or MODIFIED
    gone,      ///< DELETED
    bookmark,  ///< unchanged up to `version`
    error,     ///< the watch ends, for the reason given
    malformed  ///< not a watch event
  };
  Kind kind = Kind::malformed;
  document::Value object{};  ///< as far as `kept` says
  std::string version{};     ///< where a watch resumes; empty only for an error
  int code = 0;              ///< of an error, as an HTTP status
  std::string message{};     ///< of an error, human-readable
};
/// `kept` must contain metadata.resourceVersion.
WatchEvent parse_watch_event(std::string_view line, std::span<const document::KeyFilter> kept);

/// metadata.resourceVersion, if it consists of letters and digits, since it becomes part of a URL. Else
/// empty.
std::string version_of(const document::Value& object);

}  // namespace evenkeel::kube
