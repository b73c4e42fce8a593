// Which path of the local endpoint shows what.
#pragma once

#include "agent/http/http_server.h"
#include "agent/tick/agent.h"

namespace evenkeel {

HttpAnswer answer_page(const Agent& agent, const HttpRequest& request);

}  // namespace evenkeel
