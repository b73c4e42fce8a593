// Renders a template of deploy/helm as Helm would, as far as our templates go: .Values, .Release.Namespace,
// if, else, range, toYaml with nindent. Anything else is an error, so that the chart stays as simple as this.
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

/// The value as flow-style YAML, members in the order of their names: equal values have equal texts.
std::string flow_text(const document::Value& value);

/// The objects of a YAML text with several documents.
std::vector<document::Value> documents(std::string_view text);

}  // namespace evenkeel::test
