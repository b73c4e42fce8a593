// Maps the paths of the local endpoint to their pages.
#pragma once

#include "agent/api/agent_view.h"
#include "agent/http/http_server.h"

namespace evenkeel::api {

http::HttpAnswer answer_page(const AgentView& view, const http::HttpRequest& request);

}  // namespace evenkeel::api
