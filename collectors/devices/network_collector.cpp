// The collector of the default route's interface: reads it while network sharing is enabled.
#include <memory>
#include <optional>
#include <string>

#include "collectors/base/collector.h"
#include "collectors/devices/network.h"
#include "qos/io/network.h"

namespace evenkeel::devices {
namespace {

constexpr Duration kCheckInterval = std::chrono::seconds(10);

class NetworkCollector final : public collectors::Collector {
 public:
  void collect(collectors::Tick& tick) override {
    if (!tick.node.slo || !io::shares_network(*tick.node.slo)) return forget(tick.node);
    if (looked_ && tick.node.at - *looked_ < kCheckInterval) return;
    looked_ = tick.node.at;
    if (!read_link(tick.host, tick.buffer, path_, now_)) return tick.node.network.reset();
    if (!tick.node.network || !(*tick.node.network == now_))
      tick.node.network = std::make_shared<const NetworkLink>(now_);
  }

 private:
  void forget(NodeSnapshot& node) {
    node.network.reset();
    looked_.reset();
  }

  NetworkLink now_{};
  std::string path_{};
  std::optional<MonoTime> looked_{};
};

}  // namespace

// Nothing is read unless configured, so it is never reported as off.
extern const collectors::CollectorSpec network_collector;
const collectors::CollectorSpec network_collector{"network",
                                                  {},
                                                  [](const Host&) { return std::size_t{0}; },
                                                  [](const Host&) -> std::unique_ptr<collectors::Collector> {
                                                    return std::make_unique<NetworkCollector>();
                                                  }};

}  // namespace evenkeel::devices
