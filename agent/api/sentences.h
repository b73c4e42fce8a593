// What /v1/explain says, as sentences for a person.
#pragma once

#include <string>

namespace evenkeel::api {

/// One paragraph per managed value; an explanation when there is none.
std::string explain_sentences(const std::string& explain_json);

}  // namespace evenkeel::api
