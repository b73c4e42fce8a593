// Parses the command line into values. The only user of CLI11.
#pragma once

#include <optional>
#include <string>

#include "agent/runtime/log.h"
#include "qos/model/units.h"

namespace evenkeel::cli {

enum class Verb : std::uint8_t { run, check, capabilities, explain, restore, withdraw, demo };

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
  bool insecure_listen = false;
  std::string state_dir{};  ///< never empty after parsing
  Duration interval{std::chrono::seconds(1)};
  bool dry_run = false;
  bool force = false;  ///< withdraw
  bool stepped = false;
  bool json = false;  ///< capabilities, explain: JSON instead of text
  runtime::LogFormat log_format = runtime::LogFormat::text;
  runtime::LogLevel log_level = runtime::LogLevel::info;
  std::string pod{};  ///< explain: "namespace/name"
  // demo
  int demo_seconds = 4;
  int demo_rounds = 3;
  bool demo_quick = false;
  std::string demo_json{};
};

struct ParsedFlags {
  Flags flags{};
  /// Set: exit with this status (0 after --help and --version, 2 after a usage error); the text was printed.
  std::optional<int> exit_code{};
};
ParsedFlags parse_flags(int argc, const char* const* argv);

}  // namespace evenkeel::cli
