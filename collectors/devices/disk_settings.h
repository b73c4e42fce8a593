// Reads back the kernel's per-disk settings of those cgroups whose disk limits or latencies are managed;
// costs nothing if there are none. Does not know which policy limits what, or why.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cgroup/base/host.h"
#include "cgroup/tree/tree.h"
#include "collectors/base/collector.h"

namespace evenkeel::devices {

class DiskSettings {
 public:
  explicit DiskSettings(const collectors::SamplerOptions& options) : options_(options) {}

  /// The tree changed: where the files are.
  void follow(const tree::CgroupTree& tree);
  void settings_changed(CgroupId cgroup);
  /// Reads what is due at `tick` into node.disk_readings, one for each sample with disks_matter.
  void collect(const Host& host, std::span<char> buffer, std::uint64_t tick, NodeSnapshot& node);
  /// Reads only files that are new or were changed by another process.
  void read_new_settings(const Host& host, std::span<char> buffer, NodeSnapshot& node);

 private:
  struct Lever {
    Knob knob{};
    std::string_view name{};
  };
  /// One file of each cgroup, and the settings in it.
  struct FileRow {
    Controller controller{};
    std::string_view name{};
    std::vector<Lever> levers{};
  };
  struct Slot {
    CgroupId id{};
    std::string path{};             ///< relative to a hierarchy's root
    bool fresh = true;              ///< to be read at the next tick, due or not
    std::vector<HeldFile> files{};  ///< in the order of rows_
  };
  void match(NodeSnapshot& node);
  [[nodiscard]] bool matches(const NodeSnapshot& node) const;
  [[nodiscard]] Slot open_slot(const CgroupSample& sample) const;
  void read(Slot& slot, const Host& host, std::span<char> buffer, DiskReading& into) const;

  collectors::SamplerOptions options_;
  tree::Layout layout_{};
  std::vector<FileRow> rows_{};
  std::vector<Slot> slots_{};
};

}  // namespace evenkeel::devices
