// What a tick did and why things are as they are, as JSON: the stepped mode's lines and /v1/explain.
#pragma once

#include <string>
#include <string_view>

#include "agent/api/agent_view.h"

namespace evenkeel::api {

/// One line, without its end:
/// {"now":…,"writes":[…],"evictions":[…],"report":…,"interference":[…],"errors":[…]}.
std::string tick_line(const tick::TickResult& result, const AgentView& view);
/// {"managed":[{"cgroup","file","path","value","original","policy","sentence","pod"}]}; `pod` ("ns/name" or
/// uid) narrows it.
std::string explain_json(const AgentView& view, std::string_view pod = {});

}  // namespace evenkeel::api
