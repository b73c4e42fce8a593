// The open files of every cgroup, and what has to be remembered of each from tick to tick. The sampler's
// larger half.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cgroup/base/file.h"
#include "collectors/base/sampling.h"
#include "collectors/per_cgroup/files.h"

namespace evenkeel::per_cgroup {

class CgroupSlots {
 public:
  explicit CgroupSlots(const collectors::SamplerOptions& options) : options_(options) {}

  /// Slots in the order of the tree: cgroups that stay keep their open files and counters. At most `limit`
  /// descriptors; the outcome is added to `health`.
  void follow(const tree::CgroupTree& tree, std::size_t limit, collectors::SamplerHealth& health);
  void settings_changed(CgroupId cgroup);
  /// Reads what is due at `tick` into the sample of the same position and id.
  void collect(const Host& host, std::span<char> buffer, std::uint64_t tick, NodeSnapshot& node);
  /// Reads the settings of cgroups that were never read or whose settings changed, and nothing else. Whether
  /// any is another than before.
  bool read_new_settings(const Host& host, std::span<char> buffer, NodeSnapshot& node);
  /// What happened there since the tick before the last, read now; ticks do not notice.
  collectors::RecentUse recent_use(const Host& host, std::span<char> buffer, CgroupId cgroup);
  /// Every file that collect() reads, with how many ticks pass between two readings of it.
  [[nodiscard]] std::vector<collectors::SamplerRead> reads() const;

 private:
  struct OpenFile {
    const CgroupFile* row = nullptr;
    ReadFile file{};
    Hold hold = Hold::kept;
    bool missing = false;
  };
  struct Slot {
    CgroupId id{};
    int age_ticks = 0;  ///< stops counting when grown up
    bool settings_changed = false;
    CgroupMemory memory{};
    CgroupMemory before{};  ///< as it was one tick earlier
    std::vector<OpenFile> files{};
  };
  static Slot open_slot(const tree::CgroupTree& tree, const tree::Cgroup& cgroup);
  void share(const tree::CgroupTree& tree, std::size_t limit, collectors::SamplerHealth& health);
  [[nodiscard]] bool due(const OpenFile& open, const Slot& slot, std::uint64_t tick) const;
  void read(Slot& slot, OpenFile& open, const Host& host, std::span<char> buffer, CgroupReading& reading);

  collectors::SamplerOptions options_;
  tree::Layout layout_{};
  std::vector<Slot> slots_{};
};

}  // namespace evenkeel::per_cgroup
