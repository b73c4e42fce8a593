#include "agent/cli/setup.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include "agent/document/names.h"
#include "agent/http/http_client.h"
#include "agent/http/http_server.h"

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

int usage_error(const std::string& problem) {
  std::fprintf(stderr, "evenkeel: %s\n", problem.c_str());
  return 2;
}

namespace {

kube::AccessResult api_access(const Flags& flags, const kube::Environment& environment,
                              const std::string& service_account) {
  auto found = flags.kubeconfig.empty() ? kube::in_cluster_access(environment, service_account)
                                        : kube::kubeconfig_access(flags.kubeconfig);
  if (!found.error.empty())
    return {std::nullopt, (flags.kubeconfig.empty() ? "" : "--kubeconfig: ") + found.error};
  if (flags.apiserver.empty()) return found;
  auto server = http::parse_url(flags.apiserver);
  if (!server || !server->secure || !server->path.empty())
    return {std::nullopt, "--apiserver: found '" + flags.apiserver + "'; legal: https://HOST:PORT"};
  if (!found.access)
    return {std::nullopt, "--apiserver: legal with --kubeconfig FILE or in a pod with a service account"};
  found.access->server = server->text();
  return found;
}

/// As for --listen, an IPv6 address may be without brackets: "https://$(HOST_IP):10250" has none.
std::string bracketed(const std::string& url) {
  constexpr std::string_view kSlashes = "//";
  const auto slashes = url.find(kSlashes);
  if (slashes == std::string::npos) return url;
  const auto begin = slashes + kSlashes.size();
  const auto place = http::parse_listen(url.substr(begin)).address;
  return place.host.find(':') == std::string::npos ? url : url.substr(0, begin) + place.text();
}

/// The kubelet accepts the same token or certificate as the API server, with which it checks them.
kube::AccessResult kubelet_access(const Flags& flags, const std::optional<kube::KubeAccess>& api) {
  auto server = http::parse_url(bracketed(flags.kubelet_url));
  if (!server || !server->path.empty())
    return {std::nullopt, "--kubelet-url: found '" + flags.kubelet_url + "'; legal: https://HOST:PORT"};
  kube::KubeAccess out{.server = server->text(), .source = "--kubelet-url"};
  if (!server->secure) return {out, {}};  // the read-only port needs no authentication
  if (api) {
    out.authorities = api->authorities;
    out.certificate = api->certificate;
    out.key = api->key;
    out.token = api->token;
  }
  if (!flags.kubelet_ca.empty()) out.authorities = {{}, flags.kubelet_ca};
  if (!flags.kubelet_token_file.empty()) out.token = {{}, flags.kubelet_token_file};
  out.unverified = flags.kubelet_insecure_tls;
  if (out.unverified) out.authorities = {};
  if (!out.unverified && !out.authorities.given())
    return {std::nullopt,
            "the kubelet's certificate cannot be verified; legal: --kubelet-ca FILE, or --pods api"};
  return {out, {}};
}

/// The kubelet's default for the name of its node.
std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  std::string out(name.data());
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

std::string node_name(const Flags& flags, const kube::Environment& environment) {
  if (!flags.node_name.empty()) return flags.node_name;
  const auto from_environment = environment("NODE_NAME");
  return from_environment.empty() ? host_name() : from_environment;
}

/// The first server that --pods names, and for `auto` the one behind it.
void choose_pods(const Flags& flags, KubeSetup& setup) {
  using Kind = inputs::PodsSource::Kind;
  if (!setup.pods.delivered()) return;
  if (setup.pods.kind != Kind::kubelet && setup.feed.api) {
    setup.feed.pods_node = setup.node_name;
    setup.pods.path = setup.pods.api = kube::KubeFeed::api_pods_url(*setup.feed.api, setup.node_name);
  }
  if (setup.pods.kind == Kind::api) {
    if (!setup.feed.api) setup.error = "--pods api: " + std::string(kNoApiServer);
    return;
  }
  auto kubelet = kubelet_access(flags, setup.feed.api);
  if (kubelet.access) {
    setup.pods.path = kube::KubeFeed::pods_url(*kubelet.access);
    setup.feed.kubelet = std::move(kubelet.access);
    return;
  }
  if (setup.pods.kind == Kind::kubelet) {
    setup.error = "--pods kubelet: " + kubelet.error;
    return;
  }
  setup.missing_reason = kubelet.error;
  if (!setup.feed.api) setup.pods.kind = Kind::cgroup;
}

void choose_nodeslo(const Flags& flags, KubeSetup& setup) {
  if (flags.nodeslo_source != "api") return;
  if (flags.nodeslo_given) {
    setup.error = "--nodeslo-source api: the object is the whole configuration; legal without --nodeslo";
  } else if (!setup.feed.api) {
    setup.error =
        "--nodeslo-source api: no API server is known; legal with --kubeconfig FILE, or in a pod with a "
        "service "
        "account";
  } else {
    setup.feed.nodeslo_name = setup.node_name;
    setup.nodeslo_object = kube::KubeFeed::nodeslo_object(setup.node_name);
  }
}

}  // namespace

std::vector<std::string> host_names(const std::string& node_name) {
  std::vector<std::string> names{host_name()};
  if (!node_name.empty() && node_name != names.front()) names.push_back(node_name);
  return names;
}

std::string process_environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

ApiSetup api_setup(const Flags& flags, const kube::Environment& environment,
                   const std::string& service_account) {
  auto found = api_access(flags, environment, service_account);
  ApiSetup setup{std::move(found.access), node_name(flags, environment), std::move(found.error)};
  if (setup.access && !document::is_dns_subdomain(setup.node_name))
    setup.error = "--node-name: found '" + setup.node_name + "'; legal: small letters, digits, - and .";
  return setup;
}

KubeSetup kube_setup(const Flags& flags, const kube::Environment& environment,
                     const std::string& service_account) {
  KubeSetup setup;
  auto pods = inputs::parse_pods_source(flags.pods);
  auto api = api_setup(flags, environment, service_account);
  setup.error = !pods.error.empty() ? pods.error : api.error;
  if (!setup.error.empty()) return setup;
  setup.pods = std::move(pods.source);
  setup.feed.api = std::move(api.access);
  setup.node_name = std::move(api.node_name);
  setup.feed.pods_interval = flags.pods_interval;
  setup.feed.node_interval = flags.node_interval;
  if (setup.feed.api && flags.node.empty()) setup.feed.node_name = setup.node_name;
  choose_nodeslo(flags, setup);
  if (setup.error.empty()) choose_pods(flags, setup);
  return setup;
}

}  // namespace evenkeel::cli
