// Renders the answer of /v1/explain as sentences.
#pragma once

#include <string>

namespace evenkeel::api {

/// One paragraph per managed value; an explanation when there is none.
std::string explain_sentences(const std::string& explain_json);

}  // namespace evenkeel::api
