// Small readers for Kubernetes objects: members by path, texts, resource lists, JSON in annotations. Does not
// know pods or nodes.
#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "agent/document/document.h"
#include "qos/model/pod.h"

namespace evenkeel::pods {

/// The value at the end of the path; null when a part is missing or null.
const document::Value* value_at(const document::Value& from, std::initializer_list<std::string_view> path);
/// The text of a scalar there; empty otherwise.
std::string text_at(const document::Value& from, std::initializer_list<std::string_view> path);
/// The list there; empty when missing or null; absent when it is not a list.
std::optional<std::span<const document::Value>> list_at(const document::Value& from,
                                                        std::initializer_list<std::string_view> path);

/// Labels or annotations: scalars only, without kubectl's copy of the whole object.
TextMap text_map(const document::Value* value);

struct ResourcesRead {
  Resources resources{};
  std::string refusal{};  ///< not empty: "cpu: found '2x'; legal: …"
};
/// A resource list; absent and null are empty, unknown resource names are skipped.
ResourcesRead read_resources(const document::Value* value);

/// One plausible quantity: not negative, at most a million CPUs or an exbibyte.
std::optional<MilliCpu> plausible_cpu(std::string_view text);
std::optional<Bytes> plausible_bytes(std::string_view text);

/// The JSON object in an annotation; null root when there is none. Any other text is a problem.
document::Parsed annotation_object(const TextMap& annotations, const char* key);

}  // namespace evenkeel::pods
