// What the kernel holds of single cgroups on their disks, read back for those whose disks matter to somebody.
// Costs nothing where there are none.
// May not: know who limits what, or why.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "cgroup/base/file.h"
#include "cgroup/tree/tree.h"
#include "collectors/base/sampling.h"

namespace evenkeel::devices {

class DiskSettings {
 public:
  explicit DiskSettings(const collectors::SamplerOptions& options) : options_(options) {}

  /// Where the files are from now on.
  void follow(const tree::CgroupTree& tree);
  void settings_changed(CgroupId cgroup);
  /// Reads what is due at `tick` into node.disk_readings: one for each sample that says disks_matter.
  void collect(const Host& host, std::span<char> buffer, std::uint64_t tick, NodeSnapshot& node);
  /// Reads what was never read and what somebody changed, and nothing else.
  void read_new_settings(const Host& host, std::span<char> buffer, NodeSnapshot& node);

 private:
  struct Lever {
    Knob knob{};
    std::string_view name{};
  };
  /// One file with the levers that are in it.
  struct OpenFile {
    ReadFile file{};
    std::vector<Lever> levers{};
  };
  struct Slot {
    CgroupId id{};
    bool fresh = true;  ///< to be read whatever the tick says
    std::vector<OpenFile> files{};
  };
  void match(NodeSnapshot& node);
  [[nodiscard]] bool matches(const NodeSnapshot& node) const;
  [[nodiscard]] Slot open_slot(const CgroupSample& sample) const;
  static void read(Slot& slot, const Host& host, std::span<char> buffer, DiskReading& into);

  collectors::SamplerOptions options_;
  tree::Layout layout_{};
  std::vector<Slot> slots_{};
};

}  // namespace evenkeel::devices
