// The collector of the disk map: reads it while any disk limit is configured, and again when it may have
// changed.
#include <algorithm>
#include <optional>
#include <string>

#include "collectors/base/collector.h"
#include "collectors/devices/devices.h"

namespace evenkeel::devices {
namespace {

constexpr Duration kGlance = std::chrono::seconds(10);
/// The longest time to notice a change that no listing shows (a volume group that grows).
constexpr Duration kLook = std::chrono::seconds(60);

class DisksCollector final : public collectors::Collector {
 public:
  void collect(collectors::Tick& tick) override {
    const auto wanted = who_asks(tick.node);
    if (wanted == 0) return forget(tick.node);
    const bool changed = wanted != wanted_ || tick.node.disks == nullptr;
    if (!changed && tick.node.at - *glanced_ < kGlance) return;
    const bool volumes = names_volumes(tick.node);
    const auto signature = disks_signature(tick.host, tick.buffer, volumes);
    glanced_ = tick.node.at;
    if (!changed && signature == signature_ && !(look_is_due(tick) && devices_changed(tick))) return;
    wanted_ = wanted;
    signature_ = signature;
    auto map = read_disks(tick.host, tick.buffer, volumes);
    if (tick.node.disks == nullptr || !(*tick.node.disks == map))
      tick.node.disks = std::make_shared<const DiskMap>(std::move(map));
    checked_at_ = tick.node.at;
    devices_ = devices_signature(tick.host, *tick.node.disks, tick.buffer, path_);
  }

 private:
  static std::uint64_t who_asks(const NodeSnapshot& node) {
    const auto* root =
        node.slo && node.slo->qos.cgroup_root_blkio ? &*node.slo->qos.cgroup_root_blkio : nullptr;
    std::uint64_t sum = root != nullptr && root->enable && !root->blocks.empty() ? 1 : 0;
    for (const auto& sample : node.cgroups)
      if (sample.disks_matter) sum = sum * 31 + sample.id.value;
    return sum;
  }
  static bool names_volumes(const NodeSnapshot& node) {
    return std::ranges::any_of(node.pods, [](const PodSample& pod) { return !pod.spec->volumes.empty(); });
  }

  [[nodiscard]] bool look_is_due(const collectors::Tick& tick) const {
    return tick.node.at - *checked_at_ >= kLook;
  }
  bool devices_changed(collectors::Tick& tick) {
    checked_at_ = tick.node.at;
    return devices_signature(tick.host, *tick.node.disks, tick.buffer, path_) != devices_;
  }

  void forget(NodeSnapshot& node) {
    node.disks.reset();
    wanted_ = 0;
  }

  std::uint64_t wanted_ = 0, signature_ = 0, devices_ = 0;
  std::string path_{};
  std::optional<MonoTime> glanced_{}, checked_at_{};
};

}  // namespace

// Nothing is read unless configured, so it is never reported as off.
extern const collectors::CollectorSpec disks_collector;
const collectors::CollectorSpec disks_collector{
    "disks",
    {},
    [](const Host&) { return std::size_t{0}; },
    [](const Host&) -> std::unique_ptr<collectors::Collector> { return std::make_unique<DisksCollector>(); }};

}  // namespace evenkeel::devices
