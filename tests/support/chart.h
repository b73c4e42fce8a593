// Renders a template of deploy/helm as Helm would, for the subset that our templates use: .Values,
// .Release.Namespace, if, if or, else, range, toYaml with nindent. Anything else is an error, so that the
// chart stays simple.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agent/document/document.h"

namespace evenkeel::test {

struct Rendered {
  std::string text{};
  std::string error{};
};
Rendered render_template(std::string_view text, const document::Value& values,
                         const std::string& release_namespace);

/// The value as flow-style YAML, members sorted by name: equal values have equal texts.
std::string flow_text(const document::Value& value);

/// Applies a JSON patch (RFC 6902: add, remove, replace, test) to an object, as kustomize does. Returns what
/// is wrong with it; empty: nothing.
std::string apply_patch(const document::Value& patch, document::Value& object);

/// The objects of a multi-document YAML text.
std::vector<document::Value> documents(std::string_view text);

}  // namespace evenkeel::test
