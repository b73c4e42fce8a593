// systemd/nodeslo.yaml, written from the schema's rows: every key with its default, its unit and one line.
#pragma once

#include <string>

namespace evenkeel::config {

std::string render_example();

}  // namespace evenkeel::config
