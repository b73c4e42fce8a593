#include <array>

#include "cgroup/base/file.h"
#include "cgroup/base/text.h"
#include "collectors/base/collector.h"
#include "collectors/node/parsers.h"

namespace evenkeel::node {
namespace {

constexpr std::array<std::string_view, 3> kFiles = {"sys/devices/system/cpu/online", "proc/cpuinfo",
                                                    "proc/stat"};

std::optional<CpuSet> cpus_of_online(std::string_view text) {
  const auto cpus = CpuSet::parse(trimmed(text));
  return cpus && !cpus->empty() ? cpus : std::nullopt;
}

/// Keeps NodeSnapshot::topology up to date; while no CPU goes on- or offline, a tick costs one small read and
/// a comparison.
class Topology final : public collectors::Collector {
 public:
  void collect(collectors::Tick& tick) override {
    const auto online = online_now(tick);
    if (!online)
      known_ = CpuTopology{};
    else if (*online != known_.online)
      known_ = read_topology(tick.host, *online);
    auto& seen = tick.node.topology;
    if (seen.online != known_.online || seen.cpus.size() != known_.cpus.size()) seen = known_;
  }

 private:
  std::optional<CpuSet> online_now(collectors::Tick& tick) {
    using Parse = std::optional<CpuSet> (*)(std::string_view);
    constexpr std::array<Parse, 3> kParse = {cpus_of_online, cpus_of_cpuinfo, cpus_of_stat};
    for (std::size_t i = 0; i < files_.size(); ++i) {
      const auto text = files_[i].read(tick.host, tick.buffer);
      if (!text) continue;
      if (auto cpus = kParse[i](*text)) return cpus;
    }
    return std::nullopt;
  }
  // The two fallback files are never opened if the first exists, and are rarely worth a descriptor elsewhere.
  std::array<ReadFile, 3> files_ = {ReadFile(std::string(kFiles[0]), Hold::kept),
                                    ReadFile(std::string(kFiles[1]), Hold::reopened),
                                    ReadFile(std::string(kFiles[2]), Hold::reopened)};
  CpuTopology known_{};
};

}  // namespace

extern const collectors::CollectorSpec topology_collector;
const collectors::CollectorSpec topology_collector{
    "topology", kFiles, [](const Host&) { return std::size_t{1}; },
    [](const Host&) -> std::unique_ptr<collectors::Collector> { return std::make_unique<Topology>(); }};

}  // namespace evenkeel::node
