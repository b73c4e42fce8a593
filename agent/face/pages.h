// Which path of the local endpoint shows what.
#pragma once

#include "agent/core/agent.h"
#include "agent/http/http_server.h"

namespace evenkeel {

HttpAnswer answer_page(const Agent& agent, const HttpRequest& request);

}  // namespace evenkeel
