// The collector of node-wide kernel settings that evenkeel may change.
#include <array>
#include <string>
#include <vector>

#include "cgroup/base/host.h"
#include "cgroup/kernel/knob_files.h"
#include "collectors/base/collector.h"

namespace evenkeel::node {
namespace {

constexpr std::array<std::string_view, 1> kFiles = {"proc/sys/vm/min_free_kbytes"};
// They change rarely, and the executor reads a setting again before it writes.
constexpr int kEveryTicks = 10;

struct Setting {
  Knob knob{};
  ReadFile file{};
};

/// Those that exist on this kernel.
std::vector<Setting> settings(const Host& host) {
  std::vector<Setting> out;
  for (const auto& lever : knob_table()) {
    if (!is_of_node(lever.knob)) continue;
    const auto path = std::string(lever.node_dir) + '/' + std::string(lever.v1_file);
    if (host.exists(path)) out.push_back({lever.knob, ReadFile(path, Hold::kept)});
  }
  return out;
}

class NodeSettingsCollector final : public collectors::Collector {
 public:
  explicit NodeSettingsCollector(const Host& host) : settings_(settings(host)) {}

  void collect(collectors::Tick& tick) override {
    if (age_ticks_++ % kEveryTicks != 0) return;
    for (auto& setting : settings_) {
      const auto text = setting.file.read(tick.host, tick.buffer);
      const auto value = text ? kernel::parse_value(setting.knob, *text, tree::Layout{}) : std::nullopt;
      tick.node.node.settings.set(setting.knob, value ? std::optional(plain_number(*value)) : std::nullopt);
    }
  }

 private:
  std::vector<Setting> settings_;
  int age_ticks_ = 0;
};

}  // namespace

extern const collectors::CollectorSpec node_settings_collector;
const collectors::CollectorSpec node_settings_collector{
    "node-settings", kFiles, [](const Host& host) { return settings(host).size(); },
    [](const Host& host) -> std::unique_ptr<collectors::Collector> {
      return std::make_unique<NodeSettingsCollector>(host);
    }};

}  // namespace evenkeel::node
