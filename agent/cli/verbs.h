// The command line: flags and verbs.
#pragma once

#include <optional>
#include <string>

#include "agent/kube/client/access.h"
#include "agent/runtime/log.h"
#include "qos/model/units.h"

namespace evenkeel::cli {

// Parses the command line into values. The only user of CLI11.

enum class Verb : std::uint8_t {
  run,
  check,
  capabilities,
  explain,
  top,
  proof,
  health,
  restore,
  withdraw,
  demo
};

struct Flags {
  Verb verb = Verb::run;
  std::string nodeslo = "/etc/evenkeel/nodeslo.yaml";
  bool nodeslo_given = false;
  std::string nodeslo_source = "file";
  std::string host_root = "/";
  std::string cgroup_root{};
  std::string pods = "auto";
  std::string node{};
  std::string report = "none";
  bool events = false;
  bool node_metric = false;
  bool node_topology = false;
  std::string kubeconfig{};
  std::string apiserver{};
  std::string node_name{};  ///< empty: $NODE_NAME, else the host's name
  Duration node_interval{std::chrono::seconds(60)};
  std::string kubelet_url = "https://127.0.0.1:10250";
  std::string kubelet_ca{};
  std::string kubelet_token_file{};
  bool kubelet_insecure_tls = false;
  Duration pods_interval{std::chrono::seconds(10)};
  std::string listen = "127.0.0.1:9319";
  bool listen_given = false;
  std::string listen_details = "auto";
  bool insecure_listen = false;
  std::string state_dir{};  ///< never empty after parsing
  Duration interval{std::chrono::seconds(1)};
  bool dry_run = false;
  bool force = false;  ///< withdraw
  bool stepped = false;
  bool json = false;  ///< capabilities, explain, proof: JSON instead of text
  runtime::LogFormat log_format = runtime::LogFormat::text;
  runtime::LogLevel log_level = runtime::LogLevel::info;
  std::string pod{};  ///< explain: "namespace/name" or a uid
  Duration top_interval{std::chrono::seconds(2)};
  bool once = false;   ///< top: one frame
  bool ready = false;  ///< health: /readyz instead of /healthz
  // demo
  int demo_seconds = 4;
  int demo_rounds = 3;
  bool demo_quick = false;
  std::string demo_json{};
  std::string demo_service = "auto";
};

struct ParsedFlags {
  Flags flags{};
  /// Set: exit with this status (0 after --help and --version, 2 after a usage error); the text was printed.
  std::optional<int> exit_code{};
};
ParsedFlags parse_flags(int argc, const char* const* argv);

// The verbs of the command line, one function each; returns the exit status (0 success, 1 failure, 2 bad
// usage).

int run_agent(const Flags& flags);
int run_stepped(const Flags& flags);
int run_check(const Flags& flags);
int run_capabilities(const Flags& flags);
int run_explain(const Flags& flags);
int run_top(const Flags& flags);
int run_proof(const Flags& flags);
/// For probes by command: 0 healthy; 1 not, or no agent answers within 5 s.
int run_health(const Flags& flags);
int run_restore(const Flags& flags);
int run_withdraw(const Flags& flags);

// `evenkeel withdraw`: removes the resources that evenkeel advertised from a Node, for uninstalling. Refuses
// while pods request them, since a kubelet that restarts would fail those pods, and while an agent runs here
// that would advertise them again. Does not change anything else on the Node.

struct WithdrawOptions {
  kube::KubeAccess api{};
  std::string node_name{};
  std::string state_dir{};
  bool force = false;    ///< withdraws even if pods request the resources, or the pods are not known
  bool dry_run = false;  ///< only prints what it would do
};
struct WithdrawResult {
  bool done = false;      ///< nothing is advertised (any more), or a dry run found no obstacle
  std::string message{};  ///< for the operator: what was done, or why not and what would help
};
/// Waits for the server for at most 30 s.
WithdrawResult withdraw(const WithdrawOptions& options);

}  // namespace evenkeel::cli
