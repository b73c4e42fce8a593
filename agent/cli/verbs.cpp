#include "agent/cli/verbs.h"

#include <unistd.h>

#include <iostream>

#include "agent/api/pages.h"
#include "agent/cli/rights.h"
#include "agent/cli/setup.h"
#include "agent/config/schema_read.h"
#include "agent/pods/pod_list.h"
#include "agent/runtime/files.h"
#include "agent/writers/writers.h"
#include "cgroup/features/features.h"

namespace evenkeel::cli {

int run_check(const Flags& flags) {
  const auto text = runtime::read_text_file(flags.nodeslo);
  if (!text) return usage_error(flags.nodeslo + ": cannot be read");
  std::optional<NodeObject> node;
  if (!flags.node.empty()) {
    const auto object = runtime::read_text_file(flags.node);
    if (!object) return usage_error(flags.node + ": cannot be read");
    auto parsed = pods::parse_node(*object, flags.node);
    if (!parsed.problems.empty()) return usage_error(parsed.problems.front().text());
    node = std::move(parsed.node);
  }
  const auto config = config::parse_nodeslo(*text, flags.nodeslo, node ? &node->labels : nullptr);
  (config.problems.empty() ? std::cout : std::cerr) << config::render_check(config);
  if (!config.problems.empty()) return 2;
  for (const auto& right : needed_rights(config.slo)) std::cout << "rights: " << right << '\n';
  std::cout << "optional: " << optional_right() << '\n';
  return 0;
}

int run_capabilities(const Flags& flags) {
  const auto host = Host::open(flags.host_root);
  if (!host) return usage_error("host root " + flags.host_root + ": " + errno_name(host.error().code));
  auto layout = tree::detect_layout(*host, flags.cgroup_root);
  if (!layout) return usage_error("no cgroup file system below " + flags.host_root);
  tree::CgroupTree tree(*host, std::move(*layout));
  tree.scan();
  const auto capabilities = features::probe(*host, tree);
  std::cout << (flags.json ? api::capabilities_json(capabilities) + "\n"
                           : api::capabilities_text(capabilities));
  return 0;
}

int run_restore(const Flags& flags) {
  const runtime::SystemWallClock wall;
  runtime::Log log(STDERR_FILENO, flags.log_format, flags.log_level, &wall);
  auto restored =
      writers::restore_offline({.host_root = flags.host_root, .state_dir = flags.state_dir}, log, wall);
  if (!restored.error.empty()) {
    std::cerr << "evenkeel: " << restored.error << '\n';
    return 1;
  }
  std::cout << "restored " << restored.report.writes.size() << " values, left "
            << restored.report.foreign.size() << " that another process has set since, "
            << restored.report.refusals.size() << " refused\n";
  if (restored.unread > 0)
    std::cerr << "evenkeel: " << restored.unread
              << " lines of the journal could not be read, their values are "
              << "not restored; they are in " << flags.state_dir
              << "/journal.damaged: remove it when you have seen to it\n";
  if (!restored.stale.empty())
    std::cerr << "evenkeel: the journal in " << flags.state_dir
              << " could not be brought up to date: " << restored.stale
              << "; run this again when that directory can be written\n";
  return restored.report.refusals.empty() && restored.unread == 0 && restored.stale.empty() ? 0 : 1;
}

int run_withdraw(const Flags& flags) {
  auto setup = api_setup(flags, process_environment, kServiceAccount);
  if (setup.error.empty() && !setup.access) setup.error = kNoApiServer;
  if (!setup.error.empty()) return usage_error(setup.error);
  const auto withdrawn =
      withdraw({*setup.access, setup.node_name, flags.state_dir, flags.force, flags.dry_run});
  (withdrawn.done ? std::cout : std::cerr << "evenkeel: ") << withdrawn.message << '\n';
  return withdrawn.done ? 0 : 1;
}

}  // namespace evenkeel::cli
