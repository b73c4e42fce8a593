// Renders the JSON of the stepped mode's lines and of the endpoint's pages.
#pragma once

#include <string>
#include <string_view>

#include "agent/api/agent_view.h"
#include "agent/lender/lending.h"
#include "agent/runtime/json.h"

namespace evenkeel::api {

/// An array with one object for each eviction trigger that is on: whether a pod must be evicted, and if none
/// is, why not.
void put_eviction_verdicts(runtime::Json& json, const AgentView& view);

/// An array with one object for each accusation in force, in the order in which they were made.
void put_accusations(runtime::Json& json, const AgentView& view);
/// /v1/interference: accusations, limits in force, and how long each victim waited because of other pods.
std::string interference_json(const AgentView& view);

/// {"batch-cpu": …}: what would be advertised now; null while no amount is known.
void put_report(runtime::Json& json, const lender::Lending& lending);
/// {"advertised": …, "why": …, "terms": [{"name", "source", "cpu_milli", "memory_bytes"}], …} or null.
void put_lending(runtime::Json& json, const lender::Lending& lending);

/// /v1/snapshot: the snapshot as of now; null: not known.
std::string snapshot_json(const AgentView& view);
/// /v1/capabilities.
std::string capabilities_json(const std::vector<features::Capability>& capabilities);
/// The capabilities as three aligned columns for a terminal.
std::string capabilities_text(const std::vector<features::Capability>& capabilities);

/// One line of the stepped mode, without its line end:
/// {"now":…,"writes":[…],"evictions":[…],"report":…,"interference":[…],"errors":[…]}.
std::string tick_line(const tick::TickResult& result, const AgentView& view);
/// /v1/explain: {"managed":[{"cgroup","file","path","value","original","policy","sentence","pod"}]}; `pod`
/// ("namespace/name" or uid) narrows it.
std::string explain_json(const AgentView& view, std::string_view pod = {});

}  // namespace evenkeel::api
