#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <map>

#include "agent/cli/verbs.h"
#include "agent/document/units_text.h"
#include "agent/runtime/version.h"

namespace evenkeel::cli {
namespace {

constexpr const char* kAbout =
    "evenkeel: lets batch work use the CPU and memory that services have reserved but do not use, and keeps "
    "the services' latency unaffected.";

/// A different host root has its own state directory, so that a test tree never uses the machine's own
/// journal.
std::string default_state_dir(const std::string& host_root) {
  std::error_code error;
  auto canonical = std::filesystem::weakly_canonical(host_root, error).string();
  if (canonical.size() > 1 && canonical.back() == '/') canonical.pop_back();
  if (canonical == "/") return "/var/lib/evenkeel";
  std::string name;
  for (const char c : canonical) name += c == '/' ? '-' : c;
  return "/var/lib/evenkeel/host" + name;
}

std::string env_name(std::string_view flag) {
  std::string out = "EVENKEEL_";
  for (const char c : flag.substr(flag.find("--") + 2))
    out += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

CLI::Option* option(CLI::App* verb, const std::string& flag, std::string& into, const std::string& help) {
  return verb->add_option(flag, into, help)->envname(env_name(flag))->capture_default_str();
}

struct Texts {
  std::string interval = "1s";
  std::string top_interval = "2s";
  std::string pods_interval = "10s";
  std::string node_interval = "60s";
  std::string log_format = "text";
  std::string log_level = "info";
};

void add_state_flag(CLI::App* verb, Flags& flags) {
  option(verb, "--state-dir", flags.state_dir,
         "directory of journal and audit log (default /var/lib/evenkeel)");
}

void add_host_flags(CLI::App* verb, Flags& flags) {
  option(verb, "--host-root", flags.host_root, "directory beneath which proc/ and sys/ are read and written");
  option(verb, "--cgroup-root", flags.cgroup_root,
         "the kubelet's --cgroup-root: the cgroup that contains kubepods");
  add_state_flag(verb, flags);
}

void add_log_flags(CLI::App* verb, Texts& texts) {
  option(verb, "--log-format", texts.log_format, "text or json")->check(CLI::IsMember({"text", "json"}));
  option(verb, "--log-level", texts.log_level, "lowest level that is logged")
      ->check(CLI::IsMember({"debug", "info", "warning", "error"}));
}

void add_api_flags(CLI::App* verb, Flags& flags) {
  option(verb, "--kubeconfig", flags.kubeconfig,
         "kubeconfig file for the API server (default: the pod's service account, if there is one)");
  option(verb, "--apiserver", flags.apiserver,
         "address of the API server instead of the configured one, https://HOST:PORT");
  option(verb, "--node-name", flags.node_name,
         "the node's name in the cluster (default: $NODE_NAME, else the host's name)");
}

void add_kube_flags(CLI::App* run, Flags& flags, Texts& texts) {
  option(run, "--kubelet-url", flags.kubelet_url,
         "address from which the kubelet's pod list is read, https://HOST:PORT");
  option(run, "--kubelet-ca", flags.kubelet_ca,
         "CA file for the kubelet's certificate, PEM (default: the API server's CA)");
  option(run, "--kubelet-token-file", flags.kubelet_token_file,
         "token file for the kubelet (default: the API server's token)");
  run->add_flag("--kubelet-insecure-tls", flags.kubelet_insecure_tls,
                "do not verify the certificate of the server at --kubelet-url")
      ->envname(env_name("--kubelet-insecure-tls"));
  option(run, "--pods-interval", texts.pods_interval, "time between two reads of the kubelet's pod list");
  add_api_flags(run, flags);
  option(run, "--node-interval", texts.node_interval,
         "time between two reads of the Node object from the API server (without --node)");
}

void add_run(CLI::App* run, Flags& flags, Texts& texts) {
  option(run, "--nodeslo", flags.nodeslo, "configuration file, reloaded when it changes");
  option(run, "--nodeslo-source", flags.nodeslo_source,
         "source of the configuration: file (--nodeslo), or api (the node's NodeSLO object, watched)")
      ->check(CLI::IsMember({"file", "api"}));
  add_host_flags(run, flags);
  option(run, "--pods", flags.pods,
         "source of the pod list: auto (the kubelet if it answers, else api, else cgroup), kubelet, api (the "
         "API server, watched), file:PATH (v1 PodList, JSON or YAML), cgroup, none");
  option(run, "--node", flags.node,
         "file with a v1 Node object (JSON or YAML) for capacity, allocatable, labels and annotations");
  option(run, "--report", flags.report,
         "where to advertise the resources that batch pods may use: none, node-status, file:PATH");
  run->add_flag("--events", flags.events,
                "create Kubernetes Events on pods (evictions, values refused or left to another process, "
                "antagonists) and on the Node (contention, harmful levers)")
      ->envname(env_name("--events"));
  run->add_flag("--node-metric", flags.node_metric,
                "report the resource use of the node and its pods in the status of Koordinator's NodeMetric")
      ->envname(env_name("--node-metric"));
  run->add_flag(
         "--node-topology", flags.node_topology,
         "report CPUs, their pools and NUMA nodes in the NodeResourceTopology, for Koordinator's scheduler")
      ->envname(env_name("--node-topology"));
  add_kube_flags(run, flags, texts);
  option(run, "--listen", flags.listen,
         "addresses of the endpoint: ADDRESS:PORT,unix:/PATH; or none. Not given: also the unit's socket");
  option(
      run, "--listen-details", flags.listen_details,
      "who sees pages with details of pods: socket (callers of the unix socket), loopback (these and callers "
      "from a loopback address), all, or auto (socket if --listen has one, else loopback)")
      ->check(CLI::IsMember({"auto", "socket", "loopback", "all"}));
  run->add_flag("--insecure-listen", flags.insecure_listen,
                "allow --listen on a non-loopback address, without TLS");
  option(run, "--interval", texts.interval, "time between two ticks");
  run->add_flag("--dry-run", flags.dry_run, "write nothing; log what would be written");
  run->add_flag(
      "--stepped", flags.stepped,
      "test mode, time advances by commands on standard input: 'advance 1s', 'metrics', 'explain', 'quit'");
  add_log_flags(run, texts);
}

void add_demo(CLI::App* demo, Flags& flags) {
  demo->add_option("--seconds", flags.demo_seconds, "length of one phase in seconds")
      ->capture_default_str()
      ->check(CLI::Range(2, 600));
  demo->add_option("--rounds", flags.demo_rounds, "number of repetitions of the phases; medians are shown")
      ->capture_default_str()
      ->check(CLI::Range(1, 100));
  demo->add_option(
          "--service", flags.demo_service,
          "what batch work runs beside: builtin, redis (the installed one), or auto (redis if installed)")
      ->capture_default_str()
      ->check(CLI::IsMember({"auto", "builtin", "redis"}));
  demo->add_flag("--quick", flags.demo_quick, "one short round, as a smoke test");
  demo->add_option("--json", flags.demo_json, "also write the figures to this file as JSON");
}

constexpr const char* kAskedListen =
    "endpoint of the running agent; not given: /run/evenkeel/evenkeel.sock if there is one, then the port";

struct VerbRow {
  Verb verb;
  const char* name;
  const char* about;
};
constexpr VerbRow kVerbs[] = {
    {Verb::run, "run", "run the agent"},
    {Verb::check, "check", "validate a NodeSLO file; print the effective values and where each comes from"},
    {Verb::capabilities, "capabilities",
     "list the features of this kernel and hardware: available or not, why not, substitute"},
    {Verb::explain, "explain", "show why every managed value is what it is (queries the running agent)"},
    {Verb::top, "top", "show node, levers and pods in the terminal, live (queries the running agent)"},
    {Verb::health, "health", "exit with 0 if the running agent is healthy, else with 1 and the reason"},
    {Verb::proof, "proof", "show whether the levers help services on this node (queries the running agent)"},
    {Verb::restore, "restore", "restore every value in the journal, without a running agent"},
    {Verb::withdraw, "withdraw",
     "remove the advertised resources from the Node; refuses while pods request them"},
    {Verb::demo, "demo", "run a co-location experiment: alone, unmanaged, under a plain quota, managed"},
};

void add_check(CLI::App* check, Flags& flags) {
  // One option with two names: either wins over the environment, and both are one too many.
  option(check, "file,--nodeslo", flags.nodeslo, "the NodeSLO file, once: as FILE or as --nodeslo FILE");
  option(check, "--node", flags.node,
         "file with a v1 Node object (JSON or YAML), whose labels choose among nodeStrategies");
}

void add_capabilities(CLI::App* capabilities, Flags& flags) {
  add_host_flags(capabilities, flags);
  capabilities->add_flag("--json", flags.json, "JSON instead of a table");
}

constexpr const char* kAsking[] = {"explain", "top", "proof", "health"};

/// The commands that query the running agent.
void add_asking(CLI::App& app, Flags& flags, Texts& texts) {
  for (const char* verb : kAsking) option(app.get_subcommand(verb), "--listen", flags.listen, kAskedListen);
  CLI::App* const explain = app.get_subcommand("explain");
  explain->add_option("pod", flags.pod, "only this pod: NAMESPACE/NAME or uid");
  explain->add_flag("--json", flags.json, "JSON instead of sentences");
  app.get_subcommand("proof")->add_flag("--json", flags.json, "JSON instead of a table");
  CLI::App* const top = app.get_subcommand("top");
  // Without a variable: EVENKEEL_INTERVAL is the agent's, also for a command inside of its container.
  top->add_option("--interval", texts.top_interval, "time between two frames")->capture_default_str();
  top->add_flag("--once", flags.once, "print one frame and end");
  app.get_subcommand("health")->add_flag("--ready", flags.ready, "whether it is ready (/readyz)");
}

void add_withdraw(CLI::App* withdraw, Flags& flags) {
  add_api_flags(withdraw, flags);
  add_state_flag(withdraw, flags);
  withdraw->add_flag("--force", flags.force,
                     "even while pods request them: the next restart of the kubelet fails those pods");
  withdraw->add_flag("--dry-run", flags.dry_run, "only print what would be removed");
}

void add_verbs(CLI::App& app, Flags& flags, Texts& texts) {
  app.require_subcommand(1);
  for (const auto& row : kVerbs) app.add_subcommand(row.name, row.about);
  add_run(app.get_subcommand("run"), flags, texts);
  add_check(app.get_subcommand("check"), flags);
  add_capabilities(app.get_subcommand("capabilities"), flags);
  add_asking(app, flags, texts);
  add_host_flags(app.get_subcommand("restore"), flags);
  add_log_flags(app.get_subcommand("restore"), texts);
  add_withdraw(app.get_subcommand("withdraw"), flags);
  add_demo(app.get_subcommand("demo"), flags);
}

/// Present: the exit status to end with; the output was printed.
std::optional<int> parse(CLI::App& app, int argc, const char* const* argv) {
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::Success& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    app.exit(e);
    return 2;
  }
}

void note_what_was_given(const CLI::App& app, Flags& flags) {
  for (const auto& row : kVerbs)
    if (app.got_subcommand(row.name)) flags.verb = row.verb;
  const auto* run = app.get_subcommand("run");
  flags.nodeslo_given = run->get_option("--nodeslo")->count() > 0;
  flags.listen_given = run->get_option("--listen")->count() > 0;
  for (const char* verb : kAsking)
    flags.listen_given |= app.get_subcommand(verb)->get_option("--listen")->count() > 0;
}

struct DurationFlag {
  const char* name;
  std::string Texts::*text;
  Duration Flags::*into;
  Duration least;
  const char* legal;
};
constexpr DurationFlag kDurations[] = {
    {"--interval", &Texts::interval, &Flags::interval, std::chrono::milliseconds(10),
     "a duration of at least 10ms, for example 1s"},
    {"--interval", &Texts::top_interval, &Flags::top_interval, std::chrono::seconds(1),
     "a duration of at least 1s, for example 2s"},
    {"--pods-interval", &Texts::pods_interval, &Flags::pods_interval, std::chrono::seconds(1),
     "a duration of at least 1s, for example 10s"},
    {"--node-interval", &Texts::node_interval, &Flags::node_interval, std::chrono::seconds(1),
     "a duration of at least 1s, for example 60s"},
};

std::string finish(Flags& flags, const Texts& texts) {
  for (const auto& row : kDurations) {
    const auto& text = texts.*row.text;
    const auto duration = document::parse_duration(text);
    if (!duration || *duration < row.least) return row.name + (": found '" + text) + "'; legal: " + row.legal;
    flags.*row.into = *duration;
  }
  flags.log_format = texts.log_format == "json" ? runtime::LogFormat::json : runtime::LogFormat::text;
  const std::map<std::string, runtime::LogLevel> levels = {{"debug", runtime::LogLevel::debug},
                                                           {"info", runtime::LogLevel::info},
                                                           {"warning", runtime::LogLevel::warning},
                                                           {"error", runtime::LogLevel::error}};
  flags.log_level = levels.at(texts.log_level);
  if (flags.state_dir.empty()) flags.state_dir = default_state_dir(flags.host_root);
  return {};
}

}  // namespace

ParsedFlags parse_flags(int argc, const char* const* argv) {
  ParsedFlags parsed;
  Texts texts;
  CLI::App app(kAbout, "evenkeel");
  app.set_version_flag("--version", runtime::kVersion);
  add_verbs(app, parsed.flags, texts);
  parsed.exit_code = parse(app, argc, argv);
  if (parsed.exit_code) return parsed;

  note_what_was_given(app, parsed.flags);
  if (const auto mistake = finish(parsed.flags, texts); !mistake.empty()) {
    std::fprintf(stderr, "%s\n", mistake.c_str());
    parsed.exit_code = 2;
  }
  return parsed;
}

}  // namespace evenkeel::cli
