#include "agent/cli/rights.h"

#include <algorithm>
#include <string_view>
#include <tuple>

#include "agent/http/http_server.h"
#include "agent/http/url.h"
#include "qos/registry.h"

namespace evenkeel::cli {
namespace {

/// Who needs more than the base: the DaemonSet an overlay, the systemd unit a drop-in, or both.
enum class Needs : std::uint8_t { both, overlay, drop_in };

struct Right {
  std::string_view policy;
  const char* name;  ///< of the overlay and the drop-in
  Needs needs = Needs::both;
};
constexpr Right kRights[] = {
    {"system-settings", "system-settings"},
    {"core-sched", "core-sched"},
    {"request-size", "request-size"},
    {"network-qos", "network"},
    {"oom-score-adj", "oom-score-adj", Needs::overlay},
};

std::string line(std::string_view feature, const char* name, Needs needs = Needs::both) {
  constexpr const char* kWhere[] = {"overlay or systemd drop-in ", "overlay ", "systemd drop-in "};
  return std::string(feature) + " needs more rights: " + kWhere[static_cast<int>(needs)] + name;
}

/// The brake needs BPF for one of its two ways to notice only.
bool needs_run_queue(const BrakeSettings& brake) { return brake.enable && brake.run_queue; }

/// Whether a disk is named in a way of which `is` is true.
bool names_disk(const QosStrategy& qos, bool (*is)(const Block&)) {
  const auto in = [&](const std::optional<BlkioQos>& blkio) {
    return blkio && blkio->enable && std::ranges::any_of(blkio->blocks, is);
  };
  return in(qos.cgroup_root_blkio) || in(qos.lsr.blkio) || in(qos.ls.blkio) || in(qos.be.blkio) ||
         in(qos.system.blkio);
}
/// The other names of disks are read from /sys/block.
bool is_link(const Block& block) {
  return block.type == BlockType::device && block.name.starts_with("/dev/disk/");
}

/// The policy is on for pods that ask for a part of their own; the configuration asks for classes.
bool limits_cache(const QosStrategy& qos) {
  const auto in = [](const std::optional<ResctrlQos>& resctrl) { return resctrl && resctrl->enable; };
  return in(qos.lsr.resctrl) || in(qos.ls.resctrl) || in(qos.be.resctrl);
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
      if (right.policy == policy->name && policy->enabled(slo))
        out.push_back(line(right.policy, right.name, right.needs));
  };
  std::apply([&](const auto*... each) { (ask(each), ...); }, decide::kPolicies);
  const auto& interference = slo.evenkeel.interference;
  if (interference.enable && (interference.run_queue || interference.counters))
    out.push_back(line("interference", "run-queue"));
  if (needs_run_queue(slo.evenkeel.brake)) out.push_back(line("brake.runQueue", "run-queue"));
  if (limits_cache(slo.qos)) out.push_back(line("resctrl", "resctrl", Needs::overlay));
  if (names_disk(slo.qos, is_link)) out.push_back(line("a disk's name in /dev/disk", "disk-names"));
  if (slo.evenkeel.contention.enable && slo.evenkeel.contention.taint)
    out.push_back(line("contention.taint", "node-taint", Needs::overlay));
  if (std::ranges::any_of(slo.evenkeel.objectives, is_elsewhere))
    out.push_back(line("an objective that is scraped from another address", "remote", Needs::drop_in));
  if (slo.evenkeel.kill_without_api)
    out.push_back(line("killWithoutApi", "kill-without-api", Needs::drop_in));
  return out;
}

std::string optional_right() {
  return "with the overlay or systemd drop-in name-writers, a foreign write is logged with the name of its "
         "writer";
}

}  // namespace evenkeel::cli
