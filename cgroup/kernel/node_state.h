// What the kernel holds now in the files of all cgroups, as the model of its rules: from the snapshot, and
// from the files themselves where it matters. May not: write.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cgroup/base/writer.h"
#include "cgroup/kernel/planner.h"
#include "cgroup/kernel/rules.h"
#include "cgroup/tree/tree.h"
#include "qos/model/snapshot.h"

namespace evenkeel::kernel {

class NodeState {
 public:
  NodeState(const tree::CgroupTree& tree, KernelFiles& files) : tree_(tree), files_(files) {}

  /// The settings of the snapshot; `on_disks` are the cgroups on disks to know of. A steady call allocates
  /// nothing.
  void take(const NodeSnapshot& node, std::span<const CgroupId> on_disks = {});
  /// The same, by reading every file of every cgroup of the tree.
  void look(std::span<const CgroupId> on_disks = {});

  [[nodiscard]] int index(CgroupId cgroup) const;  ///< -1: not there
  [[nodiscard]] int size() const { return static_cast<int>(groups_.size()); }
  [[nodiscard]] CgroupId id(int group) const { return groups_[at(group)].id; }
  [[nodiscard]] CgroupKind kind(int group) const { return groups_[at(group)].kind; }
  [[nodiscard]] bool hands_off(int group) const { return groups_[at(group)].hands_off; }
  [[nodiscard]] const CpuSet& online() const { return online_; }
  [[nodiscard]] const tree::Layout& layout() const { return tree_.layout(); }

  /// The files as the model has them; index() gives the group.
  KernelRules& now() { return now_; }
  [[nodiscard]] const KernelRules& now() const { return now_; }
  /// Whether the file is there and its value understood.
  [[nodiscard]] bool known(int group, Knob knob) const { return (known_[at(group)] & knob_bit(knob)) != 0; }

  [[nodiscard]] KnobBits known(int group) const { return known_[at(group)]; }

  /// Where the knob's file is; an empty name where this layout has none. Its inode is not filled in.
  [[nodiscard]] KnobFile file(int group, Knob knob) const;
  /// The file's text, without blanks around it, read once between two take() or look(); updates now().
  /// EINVAL (parse): not what a kernel would say.
  Result<std::string> read(int group, Knob knob);
  /// Reads what the snapshot did not know of the groups above and below, since their values bind this one.
  /// Whether anything was learned; each file is tried once.
  bool read_relatives(int group, Knob knob);
  /// Read it again: we wrote it, or something that changes it.
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
  KnobMask asked_{};  ///< what read_relatives() tried
  std::vector<std::pair<CgroupId, int>> by_id_{};
  std::vector<Fresh> fresh_{};
};

}  // namespace evenkeel::kernel
