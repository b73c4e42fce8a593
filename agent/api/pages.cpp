#include "agent/api/pages.h"

#include <algorithm>

#include "agent/api/metrics.h"
#include "agent/record/unmanaged_pods.h"
#include "agent/runtime/printable.h"
#include "cgroup/base/text.h"

namespace evenkeel::api {

namespace {

constexpr const char* kText = "text/plain; charset=utf-8";
constexpr const char* kJson = "application/json";
constexpr const char *kPods = "pods", *kNode = "node";  ///< names of inputs

std::string parameter(const http::HttpRequest& request, const std::string& key) {
  const auto found = request.query.find(key);
  return found == request.query.end() ? std::string() : found->second;
}

http::HttpAnswer healthz(const AgentView& view, const http::HttpRequest&) {
  if (view.tick.counters().ticks == 0) return {503, kText, "starting: no tick yet\n"};
  return {200, kText, "ok: " + std::to_string(view.tick.counters().ticks) + " ticks\n"};
}

std::string age(Duration duration) {
  return std::to_string(std::max(duration, Duration::zero()) / std::chrono::seconds(1)) + " s old";
}
std::string age_of(const inputs::InputState& state, MonoTime now) {
  return state.delivered && state.loaded ? age(now - *state.loaded) : std::string();
}

/// "ok", or the problem and the value in force meanwhile.
std::string how(const inputs::InputState& state, MonoTime now) {
  const std::string age = age_of(state, now);
  if (state.usable) return "ok" + (age.empty() ? "" : ", " + age);
  if (state.loaded) return "previous text in force" + (age.empty() ? "" : ", " + age) + ": " + state.error;
  if (!state.fallback.empty()) return state.fallback + " in force: " + state.error;
  return state.error.empty() ? "no answer yet" : state.error;
}

std::string how(const record::ReportState& reports, MonoTime now) {
  const std::string last =
      reports.last_accepted ? "last report " + age(now - *reports.last_accepted) : "no report yet";
  return reports.last_error.empty() ? last : last + ": " + reports.last_error;
}

/// A notice quotes what tenants have written, and a failure what a server has answered.
std::string line(const std::string& name, const std::string& text) {
  return name + ": " + runtime::printable(text) + "\n";
}

/// The state of an input, and what of it was ignored. Without `details`, no pod is named.
std::string lines_of(const inputs::InputState& state, MonoTime now, bool details) {
  std::string lines = line(state.name, how(state, now));
  if (!state.origin.empty()) lines += line(state.name, state.origin);
  if (state.name == kPods && !details && !state.notices.empty())
    return lines + line(state.name, "notices that name pods: " + std::to_string(state.notices.size()) +
                                        ", shown by evenkeel explain");
  for (const auto& notice : state.notices) lines += line(state.name, notice);
  return lines;
}

/// Whether pods are known, and where there are some that the agent does not manage.
std::string lines_of_pods(const AgentView& view) {
  std::string lines = line(kPods, view.node().pods_known ? "known" : "unknown");
  for (const auto& dir : view.tree().unknown_dirs())
    if (dir.holds_pods) lines += line(kPods, dir.path + ": " + record::kUnmanagedPods);
  return lines;
}

/// Without the Node the agent does less, but services are served.
bool holds_back(const inputs::InputState& state) {
  const bool is_known = (state.loaded && !state.waits) || !state.fallback.empty();
  return state.name != kNode && !is_known;
}

/// Ready once a tick has completed and configuration and pods are known; shows the state of each.
http::HttpAnswer readyz(const AgentView& view, bool details) {
  bool ready = view.tick.counters().ticks > 0 && view.node().pods_known;
  std::string body;
  for (const auto& state : view.inputs.states()) {
    if (state.path.empty()) continue;
    ready = ready && !holds_back(state);
    body += lines_of(state, view.tick.result().now, details);
  }
  body += lines_of_pods(view);
  const auto& advertised = view.lending.advertised();
  body += line("report", advertised ? advertised->why : "nothing is lent");
  if (const auto* usage = view.servers.usage_reports)
    body += line("node-metric", how(*usage, view.tick.result().now));
  if (const auto* topology = view.servers.topology_reports)
    body += line("node-topology", how(*topology, view.tick.result().now));
  for (const auto& listener : view.servers.listeners)
    body += line("endpoint", listener.address + ": " +
                                 (listener.problem.empty() ? "ok" : listener.problem + ", tried again"));
  if (const auto& limitation = view.observer.scan().limitation(); !limitation.empty())
    body += line("watch", limitation);
  if (view.node().scheduler.sched_ext) body += line("scheduler", record::kBpfScheduler);
  if (const auto& why = view.servers.amplification_left_alone; !why.empty())
    body += line("resource-amplification", why);
  if (const auto trouble = view.degraded())
    body += line("degraded", trouble->reason + ": " + trouble->message);
  return {ready ? 200 : 503, kText, (ready ? "ready\n" : "not ready\n") + body};
}

/// ?since=SECONDS: events since that Unix time; ?pod=ns/name: those of that pod.
http::HttpAnswer audit(const AgentView& view, const http::HttpRequest& request) {
  const auto since_text = parameter(request, "since");
  const auto since = whole_number(since_text);
  if (!since_text.empty() && !since) return {400, kText, "since: legal: whole seconds since 1970\n"};
  const auto pod = parameter(request, "pod");
  std::string body = "{\"events\":[";
  bool first = true;
  for (const auto& event : view.recorder.audit().remembered()) {
    if (since && event.unix_seconds < static_cast<double>(*since)) continue;
    if (!pod.empty() && event.pod != pod) continue;
    body += (first ? "" : ",") + event.line;
    first = false;
  }
  return {200, kJson, body + "]}\n"};
}

using Asked = const http::HttpRequest&;
http::HttpAnswer front(Pages&, Asked);

http::HttpAnswer capabilities(Pages& pages, Asked request) {
  const auto& found = pages.capabilities(request.caller);
  if (!found) return {503, kText, "starting: the kernel is not probed yet\n"};
  return {200, kJson, capabilities_json(*found) + "\n"};
}

template <http::HttpAnswer (*page)(const AgentView&, Asked)>
http::HttpAnswer of_view(Pages& pages, Asked request) {
  return page(pages.view(), request);
}
template <std::string (*json)(const AgentView&)>
http::HttpAnswer of_json(Pages& pages, Asked) {
  return {200, kJson, json(pages.view()) + "\n"};
}

enum class Level : std::uint8_t { everyone, details };

struct Page {
  const char* path;
  const char* shows;
  Level level;
  http::HttpAnswer (*answer)(Pages&, Asked);
};
constexpr Page kPages[] = {
    {"/", "this page", Level::everyone, front},
    {"/metrics", "Prometheus metrics", Level::everyone,
     [](Pages& pages, Asked) {
       return http::HttpAnswer{200, "text/plain; version=0.0.4; charset=utf-8", metrics_text(pages.view())};
     }},
    {"/healthz", "whether the agent runs its ticks", Level::everyone, of_view<healthz>},
    {"/readyz", "configuration and pods, each with its state", Level::everyone,
     [](Pages& pages, Asked request) { return readyz(pages.view(), pages.shows_details(request.caller)); }},
    {"/v1/snapshot", "everything that the last tick measured", Level::details, of_json<snapshot_json>},
    {"/v1/explain", "every managed value and why; ?pod=namespace/name", Level::details,
     [](Pages& pages, Asked request) {
       return http::HttpAnswer{200, kJson, explain_json(pages.view(), parameter(request, "pod")) + "\n"};
     }},
    {"/v1/audit", "what was written, restored, refused; ?since=unix-seconds&pod=namespace/name",
     Level::details, of_view<audit>},
    {"/v1/interference", "which pod slows which service down, the evidence, and what the agent does",
     Level::details, of_json<interference_json>},
    {"/v1/objectives", "the figures that services report, and the CPU that they leave to best effort",
     Level::details, of_json<objectives_json>},
    {"/v1/proof", "whether the levers help services on this node", Level::details, of_json<proof_json>},
    {"/v1/capabilities", "what this kernel can do", Level::everyone, capabilities},
};

http::HttpAnswer front(Pages&, Asked) {
  std::string body = "<!doctype html><meta charset=utf-8><title>evenkeel</title><h1>evenkeel</h1><table>";
  for (const auto& page : kPages)
    body += std::string("<tr><td><a href=\"") + page.path + "\">" + page.path + "</a><td>" + page.shows;
  return {200, "text/html; charset=utf-8", body + "</table>\n"};
}

constexpr const char* kNotForYou =
    "this page shows details of pods, which this node does not show here (--listen-details). Ask through the "
    "unix "
    "socket, as root or a member of the group evenkeel: evenkeel explain, or curl --unix-socket "
    "/run/evenkeel/evenkeel.sock http://localhost/...\n";

}  // namespace

http::HttpAnswer Pages::answer(const http::HttpRequest& request) {
  for (const auto& page : kPages) {
    if (request.path != page.path) continue;
    if (page.level == Level::details && !shows_details(request.caller)) return {403, kText, kNotForYou};
    return page.answer(*this, request);
  }
  return {404, kText, "no such page; / lists them\n"};
}

void Pages::probe() { capabilities_ = features::probe(view_.kernel.host, view_.tree()); }

const std::optional<std::vector<features::Capability>>& Pages::capabilities(http::Caller caller) {
  if (caller == http::Caller::root) probe();
  return capabilities_;
}

std::optional<record::NodeProblem> AgentView::degraded() const {
  return record::degraded({inputs.states(), node().pods_known, node().pods_stale, execution.counters()});
}

std::optional<record::NodeProblem> AgentView::contended() const {
  return record::contended(policies.of<contention::ContentionState>().contended);
}

}  // namespace evenkeel::api
