// `evenkeel run --stepped`: standard input drives the clock; one line in, one line out. Does not read the
// wall clock.
#include <poll.h>
#include <unistd.h>

#include <array>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/api/metrics.h"
#include "agent/api/pages.h"
#include "agent/cli/endpoint.h"
#include "agent/cli/setup.h"
#include "agent/cli/verbs.h"
#include "agent/document/units_text.h"
#include "agent/runtime/json.h"
#include "agent/runtime/log.h"

namespace evenkeel::cli {
namespace {

struct Stepper {
  runtime::SteppedClock& clock;
  Agent& agent;
  reporting::Reporting reporting;  ///< to nowhere: the amounts are only on the answers
  Duration interval;
  MonoTime last_tick{};

  /// However far time advances, one tick runs at the new time, when the files are read.
  std::string advance(Duration by) {
    clock.advance(by);
    if (clock.now() - last_tick < interval) return api::tick_line({.now = clock.now()}, agent.view());
    last_tick = clock.now();
    const tick::TickResult& result = agent.tick(clock.now());
    agent.lend(clock.now());
    std::string line = api::tick_line(result, agent.view());
    reporting.report(clock.now());
    return line;
  }
};

/// Reads lines of standard input; serves the endpoint (if configured) while it waits for one.
class Lines {
 public:
  explicit Lines(std::vector<http::HttpServer*> servers) : servers_(std::move(servers)) {
    wait_.push_back({STDIN_FILENO, POLLIN, 0});
    for (const auto* server : servers_) wait_.push_back({server->fd(), POLLIN, 0});
  }
  std::optional<std::string> next() {
    for (;;) {
      if (const auto end = text_.find('\n'); end != std::string::npos) {
        std::string line = text_.substr(0, end);
        text_.erase(0, end + 1);
        return line;
      }
      if (!more()) return std::nullopt;
    }
  }

 private:
  bool more() {
    if (::poll(wait_.data(), wait_.size(), -1) < 0) return errno == EINTR;
    for (std::size_t i = 0; i < servers_.size(); ++i)
      if (wait_[i + 1].revents != 0) servers_[i]->process_events();
    if (wait_[0].revents == 0) return true;
    std::array<char, 4096> chunk{};
    const auto got = ::read(STDIN_FILENO, chunk.data(), chunk.size());
    if (got > 0) text_.append(chunk.data(), static_cast<std::size_t>(got));
    return got > 0 || (got < 0 && errno == EINTR);
  }
  std::vector<http::HttpServer*> servers_;
  std::vector<pollfd> wait_{};  ///< standard input, then the servers
  std::string text_{};
};

std::string bad_line(const Stepper& stepper, const std::string& line) {
  std::string out;
  runtime::Json json(out);
  json.begin_object().member("now", runtime::seconds(stepper.clock.now()));
  json.key("errors")
      .begin_array()
      .begin_object()
      .member("path", "")
      .member("op", "command")
      .member("errno", "EINVAL");
  json.member("why", "found '" + line + "'; legal: advance DURATION, metrics, explain, quit");
  json.end_object().end_array().end_object();
  return out;
}

std::string answer(Stepper& stepper, const std::string& line) {
  constexpr std::string_view kAdvance = "advance ";
  if (line == "metrics") return api::metrics_text(stepper.agent.view()) + "# EOF";
  if (line == "explain") return api::explain_json(stepper.agent.view());
  if (line.starts_with(kAdvance))
    if (const auto by = document::parse_duration(line.substr(kAdvance.size())); by && *by > Duration::zero())
      return stepper.advance(*by);
  return bad_line(stepper, line);
}

}  // namespace

int run_stepped(const Flags& flags) {
  runtime::SteppedClock clock;
  runtime::Log log(STDERR_FILENO, flags.log_format, flags.log_level, nullptr);
  auto pods = inputs::parse_pods_source(flags.pods);
  using Kind = inputs::PodsSource::Kind;
  if (pods.source.kind == Kind::kubelet || pods.source.kind == Kind::api)
    pods.error = "--pods " + flags.pods +
                 ": a server has a clock of its own; legal with --stepped: file:PATH, cgroup, none";
  if (flags.nodeslo_source != "file")
    pods.error = "--nodeslo-source api: a server has a clock of its own; legal with --stepped: file";
  if (!pods.error.empty()) return usage_error(pods.error);
  for (const auto& [flag, requested] :
       {std::pair{"--node-metric", flags.node_metric}, {"--node-topology", flags.node_topology}})
    if (requested)
      return usage_error(std::string(flag) + ": a server has a clock of its own; not legal with --stepped");
  if (pods.source.kind == Kind::automatic) pods.source.kind = Kind::cgroup;
  auto created = Agent::create(agent_options(flags, pods.source, {}), log, clock, nullptr);
  if (!created.agent) {
    std::cerr << "evenkeel: " << created.error << '\n';
    return created.exit_code;
  }
  Stepper stepper{clock, *created.agent, {{}, created.agent->parts().lender, log}, flags.interval};
  const auto addresses = flags.listen_given ? endpoint_addresses(flags) : EndpointAddresses{};
  if (!addresses.error.empty()) return usage_error(addresses.error);
  Endpoint endpoint(addresses, host_names(flags.node_name), {*created.agent, clock, log});
  if (const auto problem = endpoint.open(); !problem.empty()) return usage_error("--listen: " + problem);
  Lines lines(endpoint.servers());
  for (auto line = lines.next(); line && *line != "quit"; line = lines.next()) {
    if (!line->empty()) std::cout << answer(stepper, *line) << std::endl;
    if (created.agent->parts().tick.counters().ticks == 1) endpoint.probe();
  }
  const auto last = created.agent->stop(clock.now());
  std::cout << api::tick_line(last, created.agent->view()) << std::endl;
  return last.report.refusals.empty() ? 0 : 1;
}

}  // namespace evenkeel::cli
