#include <algorithm>
#include <array>
#include <string>

#include "cgroup/base/host.h"
#include "cgroup/resctrl/text.h"
#include "collectors/base/collector.h"
#include "collectors/devices/devices.h"

namespace evenkeel::devices {
namespace {

// Every monitor reading interrupts a CPU at that cache: metrics are read rarely.
constexpr Duration kMonitorInterval = std::chrono::seconds(10), kSteeringInterval = std::chrono::seconds(2);
constexpr std::size_t kMostMonitors = 1024;

const std::string kRoot = resctrl::kResctrlDir;

/// The files of one group in one cache domain, in the order of ResctrlUse.
struct Monitor {
  std::array<ReadFile, 3> files{};
};

class ResctrlCollector final : public collectors::Collector {
 public:
  void collect(collectors::Tick& tick) override {
    const auto text = schemata_.read(tick.host, tick.buffer);
    if (!text) return forget(tick.node);
    const auto groups = tick.host.listing_sum(kRoot);
    if (tick.node.resctrl == nullptr || *text != seen_ || groups != groups_) look(tick, *text, groups);
    const bool steers = tick.node.slo != nullptr && tick.node.slo->evenkeel.resctrl_dynamic.enable;
    const Duration interval = steers ? kSteeringInterval : kMonitorInterval;
    const auto& measured = tick.node.resctrl_measured;
    if (!monitors_.empty() && (!measured || tick.node.at - *measured >= interval)) measure(tick);
  }

 private:
  void forget(NodeSnapshot& node) {
    node.resctrl.reset();
    node.resctrl_use.clear();
    node.resctrl_measured.reset();
    monitors_.clear();
  }

  void look(collectors::Tick& tick, std::string_view text, std::uint64_t groups) {
    seen_ = text;
    groups_ = groups;
    auto system = read_resctrl(tick.host);
    if (!system) return forget(tick.node);
    if (tick.node.resctrl == nullptr || !(*tick.node.resctrl == *system))
      tick.node.resctrl = std::make_shared<const ResctrlSystem>(std::move(*system));
    find_monitors(tick);
  }

  void find_monitors(collectors::Tick& tick) {
    monitors_.clear();
    tick.node.resctrl_measured.reset();
    tick.node.resctrl_use.clear();
    auto names = tick.host.subdirs(kRoot).value_or(std::vector<std::string>{});
    std::erase_if(names, [](const std::string& name) { return !name.starts_with(resctrl::kResctrlPrefix); });
    if (names.empty()) return;  // no group is managed: nothing to compare
    names.insert(names.begin(), std::string());
    for (const auto& name : names) add_monitors(tick, name);
  }

  void add_monitors(collectors::Tick& tick, const std::string& group) {
    const std::string data = kRoot + (group.empty() ? "" : "/" + group) + "/mon_data";
    const auto domains = tick.host.subdirs(data);
    if (!domains) return;
    for (const auto& name : *domains) {
      const auto domain = resctrl::monitor_domain(name);
      if (!domain || monitors_.size() == kMostMonitors) continue;
      Monitor monitor;
      for (std::size_t i = 0; i < kEvents.size(); ++i)
        monitor.files[i] = ReadFile(data + '/' + name + '/' + kEvents[i], Hold::reopened);
      monitors_.push_back(std::move(monitor));
      tick.node.resctrl_use.push_back({.group = group, .domain = *domain});
    }
  }

  void measure(collectors::Tick& tick) {
    tick.node.resctrl_measured = tick.node.at;
    for (std::size_t i = 0; i < monitors_.size(); ++i) {
      auto& use = tick.node.resctrl_use[i];
      const std::array<std::optional<Bytes>*, 3> into = {&use.occupancy, &use.total_traffic,
                                                         &use.local_traffic};
      for (std::size_t event = 0; event < into.size(); ++event) {
        into[event]->reset();
        const auto text = monitors_[i].files[event].read(tick.host, tick.buffer);
        if (const auto value = text ? resctrl::parse_monitor(*text) : std::nullopt)
          *into[event] = Bytes(*value);
      }
    }
  }

  static constexpr std::array<const char*, 3> kEvents = {"llc_occupancy", "mbm_total_bytes",
                                                         "mbm_local_bytes"};
  ReadFile schemata_{kRoot + "/schemata", Hold::reopened};
  std::string seen_{};
  std::uint64_t groups_ = 0;
  std::vector<Monitor> monitors_{};
};

}  // namespace

// Most machines have no resctrl, which is no fault: it is never reported as off.
extern const collectors::CollectorSpec resctrl_collector;
const collectors::CollectorSpec resctrl_collector{"resctrl",
                                                  {},
                                                  [](const Host&) { return std::size_t{0}; },
                                                  [](const Host&) -> std::unique_ptr<collectors::Collector> {
                                                    return std::make_unique<ResctrlCollector>();
                                                  }};

}  // namespace evenkeel::devices
