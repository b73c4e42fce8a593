// Which path of the local endpoint shows what.
#pragma once

#include "agent/http/http_server.h"
#include "agent/tick/agent.h"

namespace evenkeel::api {

http::HttpAnswer answer_page(const tick::Agent& agent, const http::HttpRequest& request);

}  // namespace evenkeel::api
