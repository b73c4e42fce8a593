#include "agent/cli/setup.h"

#include <cstdio>

#include "agent/api/pages.h"

namespace evenkeel::cli {

AgentOptions agent_options(const Flags& flags, const inputs::PodsSource& pods,
                           const ServerSources& delivered) {
  return {.host_root = flags.host_root,
          .cgroup_root = flags.cgroup_root,
          .state_dir = flags.state_dir,
          .inputs = {.nodeslo = flags.nodeslo,
                     .nodeslo_optional = !flags.nodeslo_given,
                     .nodeslo_object = delivered.nodeslo_object,
                     .pods = pods,
                     .node = flags.node,
                     .cpu_manager_state = flags.host_root + "/var/lib/kubelet/cpu_manager_state",
                     .node_url = delivered.node_url,
                     .pods_interval = flags.pods_interval,
                     .node_interval = flags.node_interval,
                     .by_text = flags.stepped},
          .dry_run = flags.dry_run,
          .stepped = flags.stepped};
}

Endpoint open_endpoint(const Flags& flags, const Agent& agent) {
  const auto parsed = http::parse_listen(flags.listen);
  if (!parsed.error.empty()) return {nullptr, {}, parsed.error, 2};
  if (!parsed.address.loopback() && !flags.insecure_listen) {
    return {nullptr,
            {},
            "found an address that is not loopback; legal: a loopback address, or --insecure-listen besides",
            2};
  }
  auto opened = http::HttpServer::open(parsed.address, [&agent](const http::HttpRequest& request) {
    return api::answer_page(agent.view(), request);
  });
  return {std::move(opened.server), parsed.address, std::move(opened.error), 1};
}

int usage_error(const std::string& problem) {
  std::fprintf(stderr, "evenkeel: %s\n", problem.c_str());
  return 2;
}

}  // namespace evenkeel::cli
