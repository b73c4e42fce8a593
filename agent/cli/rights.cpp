#include "agent/cli/rights.h"

#include <string_view>
#include <tuple>

#include "qos/registry.h"

namespace evenkeel::cli {
namespace {

struct Right {
  std::string_view policy;
  const char* name;  ///< of the overlay and the drop-in
};
constexpr Right kRights[] = {
    {"system-settings", "system-settings"}, {"core-sched", "core-sched"},
    {"request-size", "request-size"},       {"network-qos", "network"},
    {"interference", "run-queue"},
};

std::string line(std::string_view feature, const char* name) {
  return std::string(feature) + " needs more rights: overlay or systemd drop-in " + name;
}

/// The brake needs BPF for one of its two ways to notice only.
bool needs_run_queue(const BrakeSettings& brake) { return brake.enable && brake.run_queue; }

}  // namespace

std::vector<std::string> needed_rights(const NodeSlo& slo) {
  std::vector<std::string> out;
  const auto ask = [&](const auto* policy) {
    for (const Right& right : kRights)
      if (right.policy == policy->name && policy->enabled(slo)) out.push_back(line(right.policy, right.name));
  };
  std::apply([&](const auto*... each) { (ask(each), ...); }, decide::kPolicies);
  if (needs_run_queue(slo.evenkeel.brake)) out.push_back(line("brake.runQueue", "run-queue"));
  if (slo.evenkeel.kill_without_api) out.push_back(line("killWithoutApi", "kill-without-api"));
  return out;
}

}  // namespace evenkeel::cli
