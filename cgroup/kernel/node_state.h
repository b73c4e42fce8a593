// What the kernel holds now in the files of all cgroups, as a model of its rules: from the snapshot, and from
// the files themselves where needed. Does not write.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cgroup/base/kernel_files.h"
#include "cgroup/kernel/rules.h"
#include "cgroup/tree/tree.h"
#include "qos/model/snapshot.h"

namespace evenkeel::kernel {

class NodeState {
 public:
  NodeState(const tree::CgroupTree& tree, KernelFiles& files) : tree_(tree), files_(files) {}

  /// Takes the settings of the snapshot; `on_disks` are the ids of cgroups on disks to include. A steady call
  /// allocates nothing.
  void take(const NodeSnapshot& node, std::span<const CgroupId> on_disks = {});
  /// The same, by reading every file of every cgroup of the tree.
  void look(std::span<const CgroupId> on_disks = {});

  [[nodiscard]] int index(CgroupId cgroup) const;  ///< -1: not in the model
  [[nodiscard]] int size() const { return static_cast<int>(groups_.size()); }
  [[nodiscard]] CgroupId id(int group) const { return groups_[at(group)].id; }
  [[nodiscard]] CgroupKind kind(int group) const { return groups_[at(group)].kind; }
  [[nodiscard]] bool hands_off(int group) const { return groups_[at(group)].hands_off; }
  [[nodiscard]] const CpuSet& online() const { return online_; }

  /// The model's state of the files; index() gives the group.
  KernelRules& now() { return now_; }
  [[nodiscard]] const KernelRules& now() const { return now_; }
  /// Whether the file exists and its value was parsed.
  [[nodiscard]] bool known(int group, Knob knob) const { return (known_[at(group)] & knob_bit(knob)) != 0; }

  [[nodiscard]] KnobBits known(int group) const { return known_[at(group)]; }

  /// The knob's file; an empty name where this layout has none. Its inode is not filled in.
  [[nodiscard]] KnobFile file(int group, Knob knob) const;
  /// The file's text, without blanks around it, read once between two calls of take() or look(); updates
  /// now(). EINVAL (parse): the kernel would not write it.
  Result<std::string> read(int group, Knob knob);
  /// Reads what the snapshot lacked of the ancestors and descendants, since their values bind this group.
  /// Returns whether any value was added; each file is tried once.
  bool read_relatives(int group, Knob knob);
  /// Reads the file again after a write to it, or to a file that affects it.
  Result<std::string> read_again(int group, Knob knob);

 private:
  struct Group {
    CgroupId id{};
    CgroupKind kind = CgroupKind::pod;
    bool hands_off = false;
  };
  struct Fresh {
    int group = 0;
    Knob knob{};
    std::string text{};
  };
  static std::size_t at(int group) { return static_cast<std::size_t>(group); }
  void restart(const CpuSet& online);
  void add(const Group& group, int parent);
  void index_groups();
  void take_plain(int group, const PlainSettings& settings);
  void add_disks(std::span<const CgroupId> on_disks);
  void take_disk(int group, const DiskReading& reading);

  const tree::CgroupTree& tree_;
  KernelFiles& files_;
  CpuSet online_{};
  KernelRules now_{KernelKind{}};
  std::vector<Group> groups_{};
  KnobMask known_{};
  KnobMask requested_{};  ///< files that read_relatives() tried
  std::vector<std::pair<CgroupId, int>> by_id_{};
  std::vector<Fresh> fresh_{};
};

}  // namespace evenkeel::kernel
