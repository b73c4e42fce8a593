// Renders systemd/nodeslo.yaml from the schema's rows: every key with its default, its unit and one line of
// description.
#pragma once

#include <string>

namespace evenkeel::config {

std::string render_example();

}  // namespace evenkeel::config
