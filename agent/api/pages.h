// The agent's read-only view of itself, the JSON and sentences rendered from it, and the endpoint's pages.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/brakes/brakes.h"
#include "agent/evictions/evictions.h"
#include "agent/http/http_server.h"
#include "agent/inputs/inputs.h"
#include "agent/lender/lending.h"
#include "agent/record/health.h"
#include "agent/record/recorder.h"
#include "agent/runtime/json.h"
#include "agent/tick/tick.h"
#include "agent/writers/writers.h"
#include "cgroup/features/features.h"
#include "cgroup/reclaim/reclaimer.h"
#include "qos/registry.h"

namespace evenkeel::api {

// Read-only access to the agent's parts for the pages, the metrics and the stepped mode. Does not change
// anything.

struct AgentView {
  const tick::Tick& tick;
  const tick::Observer& observer;
  const inputs::Inputs& inputs;
  const decide::PolicyState& policies;
  const tick::Execution& execution;
  const reclaim::Reclaimer& reclaimer;
  const brakes::Brakes& brakes;
  const evictions::Evictions& evictions;
  const lender::Lending& lending;
  const record::Recorder& recorder;
  const record::ServerActivity& servers;
  const writers::KernelAccess& kernel;

  [[nodiscard]] const NodeSnapshot& node() const { return observer.node(); }
  [[nodiscard]] const tree::CgroupTree& tree() const { return observer.tree(); }
  [[nodiscard]] const record::PodNames& names() const { return observer.names(); }
  /// Why the agent cannot do its work; absent: it can.
  [[nodiscard]] std::optional<record::NodeProblem> degraded() const;
  /// What services wait for on this node, as it is published; absent: nothing.
  [[nodiscard]] std::optional<record::NodeProblem> contended() const;
};

// Renders the JSON of the stepped mode's lines and of the endpoint's pages.

/// An array with one object for each eviction trigger that is on: whether a pod must be evicted, and if none
/// is, why not.
void put_eviction_verdicts(runtime::Json& json, const AgentView& view);

/// An array with one object for each accusation in force, in the order in which they were made.
void put_accusations(runtime::Json& json, const AgentView& view);
/// The levers that are withheld because they harm, and why. A part of /v1/explain.
void put_withdrawn(runtime::Json& json, const AgentView& view);
/// What policies do without on this node, and why: an array of {"of", "sentence"}. A part of /v1/explain.
void put_limitations(runtime::Json& json, const AgentView& view);
/// An array with one object for each objective: figure, target, and how it stands. Also a part of
/// /v1/explain.
void put_objectives(runtime::Json& json, const AgentView& view);
/// /v1/objectives: these, and what they leave best effort.
std::string objectives_json(const AgentView& view);
/// /v1/proof: per lever what was tested, what services feel of it, and the verdict.
std::string proof_json(const AgentView& view);
/// The same as a table for people.
std::string proof_table(const std::string& proof_json);
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
/// The capabilities for a terminal: one line each, the names padded to one width.
std::string capabilities_text(const std::vector<features::Capability>& capabilities);

/// One line of the stepped mode, without its line end:
/// {"now":…,"writes":[…],"evictions":[…],"report":…,"interference":[…],"errors":[…],…}.
std::string tick_line(const tick::TickResult& result, const AgentView& view);
/// /v1/explain: {"managed":[{"cgroup","file","path","value","original","policy","sentence","pod"}],
/// "kept":[{"cgroup","file","path","value","wanted","policy","sentence","pod"}],
/// "limitations":[{"of","sentence"}]}, and parts of other pages; `pod` ("namespace/name" or
/// uid) narrows it, and adds "pod":{"name","known"}: whether this node has it; null if not all pods have a
/// name.
std::string explain_json(const AgentView& view, std::string_view pod = {});

// Renders the answer of /v1/explain as sentences.

/// One paragraph per managed value; an explanation when there is none.
std::string explain_sentences(const std::string& explain_json);
/// Whether the answer is about a pod that the agent does not know.
bool is_about_unknown_pod(const std::string& explain_json);
/// The same JSON for a terminal, whoever gave it: what could steer one is escaped. Absent: it is no JSON.
std::optional<std::string> printable_json(std::string_view answer);

// Maps the paths of the local endpoint to their pages.

/// The least trusted caller that sees details of pods and their owners. The rest (metrics, health) is for
/// everyone.
struct DetailsFor {
  http::Caller least = http::Caller::network;
};

class Pages {
 public:
  explicit Pages(const AgentView& view, DetailsFor details = {}) : view_(view), details_(details) {}
  http::HttpAnswer answer(const http::HttpRequest& request);

  [[nodiscard]] const AgentView& view() const { return view_; }
  [[nodiscard]] bool shows_details(http::Caller caller) const { return caller >= details_.least; }
  /// Finds out what the kernel can do. Tries some levers, and takes milliseconds.
  void probe();
  /// As probed last; absent: not yet. Only root can have it done again.
  const std::optional<std::vector<features::Capability>>& capabilities(http::Caller caller);

 private:
  AgentView view_;
  DetailsFor details_;
  std::optional<std::vector<features::Capability>> capabilities_{};
};

}  // namespace evenkeel::api
