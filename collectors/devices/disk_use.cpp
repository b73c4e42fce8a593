// The collector of what disks do: reads it while "disk-suppress" is on.
#include <algorithm>
#include <memory>
#include <string>

#include "cgroup/base/disk_text.h"
#include "cgroup/base/text.h"
#include "collectors/base/collector.h"
#include "collectors/base/reading.h"
#include "collectors/devices/devices.h"

namespace evenkeel::devices {
namespace {

const std::string kStatistics = "proc/diskstats";
constexpr std::size_t kLargestTable = std::size_t{4} << 20U;
/// The unit of the statistics, whatever the sectors of the disk are (Documentation/block/stat.rst).
constexpr std::int64_t kSectorBytes = 512;
constexpr std::int64_t kMostMilliseconds = INT64_MAX / 1'000'000;
/// As often as the stall of services for disks is read.
constexpr Duration kEvery = std::chrono::seconds(5);

bool is_whole_disk(const DiskMap& map, DiskNumber number) {
  return std::ranges::any_of(map.devices, [number](const DiskMap::Name& name) {
    return std::ranges::find(name.disks, number) != name.disks.end();
  });
}

/// The sum of those two fields "key=number" of a line; absent: one is missing.
std::optional<std::int64_t> sum_of(std::string_view line, std::string_view a, std::string_view b) {
  std::optional<std::int64_t> first, second;
  Scanner scan(line);
  for (auto word = scan.word(); !word.empty(); word = scan.word()) {
    Scanner field(word);
    if (field.eat(a)) first = field.number();
    if (field.eat(b)) second = field.number();
  }
  std::int64_t sum = 0;
  if (!first || !second || *first < 0 || *second < 0 || __builtin_add_overflow(*first, *second, &sum))
    return std::nullopt;
  return sum;
}

class DiskUseCollector final : public collectors::Collector {
 public:
  void follow(const tree::CgroupTree& tree) override {
    const auto& layout = tree.layout();
    root_ = layout.v2(Controller::blkio) ? layout.root(Controller::blkio) : std::string();
    statistics_of_besteffort_ = HeldFile(Hold::reopened);
  }

  void collect(collectors::Tick& tick) override {
    NodeSnapshot& node = tick.node;
    const bool wanted = node.slo && node.slo->evenkeel.disk_suppress.enable && node.disks != nullptr;
    if (!wanted) return forget(node);
    if (node.disk_use_read && node.at - *node.disk_use_read < kEvery) return;
    if (!read_disk_use(tick.host, tick.buffer, *node.disks, node.disk_use)) return forget(node);
    node.disk_use_read = node.at;
    const auto* besteffort = node.cgroup(node.besteffort);
    if (root_.empty() || besteffort == nullptr) return;
    const auto text =
        statistics_of_besteffort_.read(tick.host, {root_, besteffort->path, "io.stat"}, tick.buffer);
    if (text) add_besteffort_use(*text, node.disk_use);
  }

 private:
  static void forget(NodeSnapshot& node) {
    node.disk_use.clear();
    node.disk_use_read.reset();
  }

  std::string root_{};  ///< of the hierarchy that counts by disk; empty: cgroup v1
  HeldFile statistics_of_besteffort_{Hold::reopened};
};

}  // namespace

std::optional<DiskUse> parse_disk_use(std::string_view line) {
  Scanner scan(line);
  const auto major = scan.number(), minor = scan.number();
  const bool named = !scan.word().empty();
  // Requests, those merged, sectors and milliseconds, of reads and then of writes; requests on their way;
  // milliseconds with at least one (Documentation/admin-guide/iostats.rst).
  std::array<std::int64_t, 10> fields{};
  for (auto& field : fields) {
    const auto number = scan.number();
    if (!number || *number < 0) return std::nullopt;
    field = *number;
  }
  const auto disk = major && minor ? device_number(*major, *minor) : std::nullopt;
  if (!disk || !named) return std::nullopt;
  DiskUse out{.disk = *disk};
  std::int64_t sectors = 0, bytes = 0;
  if (__builtin_add_overflow(fields[2], fields[6], &sectors) ||
      __builtin_mul_overflow(sectors, kSectorBytes, &bytes) || fields[9] > kMostMilliseconds)
    return std::nullopt;
  for (const std::size_t i : {0U, 1U, 4U, 5U})
    if (__builtin_add_overflow(out.requests, fields[i], &out.requests)) return std::nullopt;
  out.moved = Bytes(bytes);
  out.busy = std::chrono::milliseconds(fields[9]);
  return out;
}

bool read_disk_use(const Host& host, std::span<char> buffer, const DiskMap& map, std::vector<DiskUse>& out) {
  out.clear();
  return collectors::for_each_line(host, kStatistics, buffer, kLargestTable, [&](std::string_view line) {
    const auto use = parse_disk_use(line);
    if (use && is_whole_disk(map, use->disk)) out.push_back(*use);
  });
}

void add_besteffort_use(std::string_view io_stat, std::vector<DiskUse>& out) {
  // Best effort has done nothing on a disk that is not in the text.
  for (DiskUse& use : out) use.besteffort_moved = Bytes{};
  for_each_disk(io_stat, [&](DiskNumber disk, std::string_view rest) {
    const auto use = std::ranges::find(out, disk, &DiskUse::disk);
    if (use == out.end()) return;
    const auto moved = sum_of(rest, "rbytes=", "wbytes=");
    use->besteffort_moved = moved ? std::optional(Bytes(*moved)) : std::nullopt;
  });
}

extern const collectors::CollectorSpec disk_use_collector;
const collectors::CollectorSpec disk_use_collector{"disk-use",
                                                   {},
                                                   [](const Host&) { return std::size_t{0}; },
                                                   [](const Host&) -> std::unique_ptr<collectors::Collector> {
                                                     return std::make_unique<DiskUseCollector>();
                                                   }};

}  // namespace evenkeel::devices
