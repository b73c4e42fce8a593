// Turns flags into the agent's options, for `run` and the stepped mode.
#pragma once

#include <memory>
#include <string>

#include "agent/agent.h"
#include "agent/cli/flags.h"
#include "agent/http/http_server.h"

namespace evenkeel::cli {

/// What servers deliver instead of files. Empty: the Node object comes from --node (if given), the NodeSLO
/// from --nodeslo.
struct ServerSources {
  std::string node_url{}, nodeslo_object{};
};
AgentOptions agent_options(const Flags& flags, const inputs::PodsSource& pods,
                           const ServerSources& delivered);

/// The endpoint of --listen.
struct Endpoint {
  std::unique_ptr<http::HttpServer> server{};
  http::ListenAddress address{};
  std::string error{};
  int exit_code = 0;  ///< when there is no server: 2 for bad usage, 1 for a port that cannot be opened
};
Endpoint open_endpoint(const Flags& flags, const Agent& agent);

/// Prints the problem to standard error; returns 2.
int usage_error(const std::string& problem);

}  // namespace evenkeel::cli
