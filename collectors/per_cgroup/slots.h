// Keeps the open files of every cgroup and the state of each between ticks; does the sampler's reading of
// cgroups.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cgroup/base/host.h"
#include "collectors/base/collector.h"
#include "collectors/per_cgroup/files.h"

namespace evenkeel::per_cgroup {

class CgroupSlots {
 public:
  explicit CgroupSlots(const collectors::SamplerOptions& options) : options_(options) {}

  /// Puts the slots in the tree's order; cgroups that stay keep their open files and counters. Uses at most
  /// `limit` descriptors; adds the result to `health`.
  void follow(const tree::CgroupTree& tree, std::size_t limit, collectors::SamplerHealth& health);
  void settings_changed(CgroupId cgroup);
  /// Reads what is due at `tick` into the sample of the same position and id.
  void collect(const Host& host, std::span<char> buffer, std::uint64_t tick, NodeSnapshot& node);
  /// Reads only settings that were never read or have changed. Returns whether any value differs from before.
  bool read_new_settings(const Host& host, std::span<char> buffer, NodeSnapshot& node);
  /// Reads one cgroup's use since the tick before last, without any effect on the next tick.
  collectors::RecentUse recent_use(const Host& host, std::span<char> buffer, CgroupId cgroup);
  /// Every file that collect() reads, with its interval in ticks.
  [[nodiscard]] std::vector<collectors::SamplerRead> reads() const;

 private:
  /// A node has thousands of them.
  struct OpenFile {
    HeldFile file{};
    FilePath path{};
    std::uint8_t row = 0;            ///< of cgroup_files()
    std::uint8_t missing_reads = 0;  ///< 0: it is there; otherwise from 1 to kRetryReads, over and over
  };
  static_assert(sizeof(OpenFile) <= 16);
  struct Slot {
    CgroupId id{};
    std::string path{};       ///< relative to a hierarchy's root
    std::uint64_t inode = 0;  ///< as tree::Cgroup::inode
    int age_ticks = 0;        ///< stops at kGrownUp
    bool settings_changed = false;
    CgroupMemory memory{};
    CgroupMemory before{};  ///< state of the previous tick
    std::vector<OpenFile> files{};
  };
  static Slot open_slot(const tree::CgroupTree& tree, const tree::Cgroup& cgroup);
  [[nodiscard]] FilePlace place_of(const Slot& slot, const OpenFile& open) const;
  [[nodiscard]] std::string path_of(const Slot& slot, const OpenFile& open) const;
  [[nodiscard]] std::optional<bool> has_file(const Slot& slot, const OpenFile& open, const Host& host) const;
  void share(const tree::CgroupTree& tree, std::size_t limit, collectors::SamplerHealth& health);
  [[nodiscard]] bool due(const OpenFile& open, const Slot& slot, std::uint64_t tick) const;
  void read(Slot& slot, OpenFile& open, const Host& host, std::span<char> buffer, CgroupReading& reading);
  Text read_text(const Slot& slot, OpenFile& open, const Host& host, std::span<char> buffer) const;
  Text look_again(const Slot& slot, OpenFile& open, const Host& host, std::span<char> buffer) const;

  collectors::SamplerOptions options_;
  tree::Layout layout_{};
  std::vector<Slot> slots_{};
  std::vector<bool> lacking_{};  ///< rows of cgroup_files() whose setting this kernel does not have
};

}  // namespace evenkeel::per_cgroup
