// The collector of the default route's interface: reads it while network sharing is enabled.
#include <charconv>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "cgroup/base/text.h"
#include "collectors/base/collector.h"
#include "collectors/base/reading.h"
#include "collectors/devices/devices.h"
#include "qos/io/policies.h"

namespace evenkeel::devices {

namespace {

constexpr std::size_t kLargestTable = std::size_t{16} << 20U;
/// include/uapi/linux/route.h
constexpr std::uint32_t kUp = 0x1, kReject = 0x200;
constexpr std::string_view kLoopback = "lo";

std::optional<std::uint32_t> hex(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool usable(std::string_view link, std::optional<std::uint32_t> flags) {
  return flags && (*flags & kUp) != 0 && (*flags & kReject) == 0 && !link.empty() && link != kLoopback &&
         link.find('/') == std::string_view::npos;
}

bool is_zero(std::string_view text) {
  return !text.empty() && text.find_first_not_of('0') == std::string_view::npos;
}

/// Of our own network namespace: queueing disciplines are put on its interfaces only.
struct Table {
  const char* path;
  std::optional<DefaultRoute> (*read)(std::string_view line);
};
constexpr Table kTables[] = {{"proc/net/route", &read_route}, {"proc/net/ipv6_route", &read_route6}};

/// Puts the interface's name into `name`; false: the table has no default route.
bool default_link(const Host& host, std::span<char> buffer, std::string& path, const Table& table,
                  std::string& name) {
  auto lowest = std::numeric_limits<std::uint64_t>::max();
  path = table.path;
  collectors::for_each_line(host, path, buffer, kLargestTable, [&](std::string_view line) {
    const auto route = table.read(line);
    if (!route || route->metric >= lowest) return;
    lowest = route->metric;
    name = route->link;
  });
  return lowest != std::numeric_limits<std::uint64_t>::max();
}

}  // namespace

std::optional<DefaultRoute> read_route(std::string_view line) {
  Scanner scan(line);
  DefaultRoute out{.link = scan.word()};
  const auto destination = scan.word();
  scan.word();  // gateway
  const auto flags = hex(scan.word());
  scan.word();  // references
  scan.word();  // uses
  const auto metric = whole_number(scan.word());
  const auto mask = scan.word();
  if (!usable(out.link, flags) || !is_zero(destination) || !is_zero(mask) || !metric || *metric < 0)
    return std::nullopt;
  out.metric = static_cast<std::uint32_t>(*metric);
  return out;
}

std::optional<DefaultRoute> read_route6(std::string_view line) {
  Scanner scan(line);
  const auto destination = scan.word();
  const auto prefix = scan.word();
  scan.word();  // source
  scan.word();  // its prefix
  scan.word();  // gateway
  const auto metric = hex(scan.word());
  scan.word();  // references
  scan.word();  // uses
  const auto flags = hex(scan.word());
  const DefaultRoute out{.link = scan.word(), .metric = metric.value_or(0)};
  if (!usable(out.link, flags) || !is_zero(destination) || !is_zero(prefix) || !metric) return std::nullopt;
  return out;
}

bool read_link(const Host& host, std::span<char> buffer, std::string& path, NetworkLink& out) {
  if (!default_link(host, buffer, path, kTables[0], out.name) &&
      !default_link(host, buffer, path, kTables[1], out.name))
    return false;
  const auto number_in = [&](std::string_view file) {
    path.assign("sys/class/net/").append(out.name).append(file);
    return whole_number(trimmed(collectors::first_part(host, path, buffer)));
  };
  const auto index = number_in("/ifindex");
  if (!index || *index <= 0 || *index > std::numeric_limits<int>::max()) return false;
  out.index = static_cast<int>(*index);
  constexpr std::int64_t kMega = 1000000, kFastest = 10000000;  // 10 Tbit/s
  const auto megabits = number_in("/speed");                    // -1 or an error: unknown
  out.speed.reset();
  if (megabits && *megabits > 0 && *megabits <= kFastest) out.speed = BitRate(*megabits * kMega);
  return true;
}

namespace {

constexpr Duration kCheckInterval = std::chrono::seconds(10);

class NetworkCollector final : public collectors::Collector {
 public:
  void collect(collectors::Tick& tick) override {
    if (!tick.node.slo || !io::shares_network(*tick.node.slo)) return forget(tick.node);
    if (checked_at_ && tick.node.at - *checked_at_ < kCheckInterval) return;
    checked_at_ = tick.node.at;
    if (!read_link(tick.host, tick.buffer, path_, now_)) return tick.node.network.reset();
    if (!tick.node.network || !(*tick.node.network == now_))
      tick.node.network = std::make_shared<const NetworkLink>(now_);
  }

 private:
  void forget(NodeSnapshot& node) {
    node.network.reset();
    checked_at_.reset();
  }

  NetworkLink now_{};
  std::string path_{};
  std::optional<MonoTime> checked_at_{};
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
