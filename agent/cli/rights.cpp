#include "agent/cli/rights.h"

#include <algorithm>
#include <string_view>
#include <tuple>

#include "agent/http/http_server.h"
#include "agent/http/url.h"
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
/// The base of the DaemonSet has the right already, or cannot use the feature.
std::string line_of_unit(std::string_view feature, const char* name) {
  return std::string(feature) + " needs more rights: systemd drop-in " + name;
}

/// The brake needs BPF for one of its two ways to notice only.
bool needs_run_queue(const BrakeSettings& brake) { return brake.enable && brake.run_queue; }

/// The other names of disks are read from /sys/block.
bool names_disk_by_link(const std::optional<BlkioQos>& blkio) {
  return blkio && blkio->enable && std::ranges::any_of(blkio->blocks, [](const Block& block) {
           return block.type == BlockType::device && block.name.starts_with("/dev/disk/");
         });
}
bool needs_disk_names(const QosStrategy& qos) {
  return names_disk_by_link(qos.cgroup_root_blkio) || names_disk_by_link(qos.lsr.blkio) ||
         names_disk_by_link(qos.ls.blkio) || names_disk_by_link(qos.be.blkio) ||
         names_disk_by_link(qos.system.blkio);
}

/// A pod has an address of its own, which the unit's filter of addresses does not know.
bool is_elsewhere(const Objective& objective) {
  const std::string& text = objective.prometheus.url;
  const auto url = http::parse_url(text);
  const bool here = url && (url->host == "localhost" || http::ListenAddress{.host = url->host}.on_host());
  return !text.empty() && !here;
}

}  // namespace

std::vector<std::string> needed_rights(const NodeSlo& slo) {
  std::vector<std::string> out;
  const auto ask = [&](const auto* policy) {
    for (const Right& right : kRights)
      if (right.policy == policy->name && policy->enabled(slo)) out.push_back(line(right.policy, right.name));
  };
  std::apply([&](const auto*... each) { (ask(each), ...); }, decide::kPolicies);
  if (needs_run_queue(slo.evenkeel.brake)) out.push_back(line("brake.runQueue", "run-queue"));
  if (needs_disk_names(slo.qos)) out.push_back(line("a disk's name in /dev/disk", "disk-names"));
  if (std::ranges::any_of(slo.evenkeel.objectives, is_elsewhere))
    out.push_back(line_of_unit("an objective that is scraped from another address", "remote"));
  if (slo.evenkeel.kill_without_api) out.push_back(line_of_unit("killWithoutApi", "kill-without-api"));
  return out;
}

std::string optional_right() {
  return "with the overlay or systemd drop-in name-writers, a foreign write is logged with the name of its "
         "writer";
}

}  // namespace evenkeel::cli
