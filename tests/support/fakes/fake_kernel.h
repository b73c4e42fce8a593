// A model of the kernel's rules for cgroup files: accepts, refuses, clamps and resets values as a real kernel
// does, and can be made to fail.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cgroup/base/kernel_files.h"
#include "cgroup/kernel/rules.h"
#include "tests/support/fakes/fake_disks.h"

namespace evenkeel::test {

class FakeKernel final : public KernelFiles {
 public:
  /// v1: sys/fs/cgroup/cpu and sys/fs/cgroup/cpuset; v2: sys/fs/cgroup.
  explicit FakeKernel(bool v2, int cpus = 8, bool vendor = false);

  /// Paths of cgroups are relative to a hierarchy's root ("kubepods/besteffort"); create parents first.
  kernel::KernelGroup& make(const std::string& path);
  void remove(const std::string& path);
  [[nodiscard]] kernel::KernelGroup& at(const std::string& path) {
    return rules_.group(groups_.at(path).index);
  }
  [[nodiscard]] bool has(const std::string& path) const { return groups_.count(path) != 0; }
  /// A file's text without the line end; "<missing>" if it does not exist.
  [[nodiscard]] std::string text(const std::string& path, std::string_view file) const;
  /// A write by another process; returns 0 or the errno.
  int other(const std::string& path, std::string_view file, std::string_view text);

  Result<std::string> read(const KnobFile& file) override;
  Result<> write(const KnobFile& file, std::string_view text) override;
  Result<std::uint64_t> inode(const std::string& dir) override;
  Result<> append_subdirs(const std::string& dir, std::string& names) override;

  /// From now on every write to this file ("" = every file) fails with `code`; 0 = no failure.
  void fail_writes(const std::string& path, int code) { failing_[path] = code; }
  void fail_reads(const std::string& path, int code) { unreadable_[path] = code; }
  /// The same for looks at a directory itself (its inode, the names in it).
  void fail_looks(const std::string& dir, int code) { unseen_[dir] = code; }
  /// The plain knobs that its cgroups have.
  [[nodiscard]] KnobBits plain() const { return rules_.kind().plain; }
  /// The disk files of its cgroups; no disks at first.
  FakeDisks disks;
  /// Files of the node itself, by path; each accepts any text.
  std::map<std::string, std::string> node_files{};
  /// All writes, "path <- text" or "path <- text: EINVAL", without the hierarchy's root.
  std::vector<std::string> log{};
  int reads = 0;
  std::string taken();  ///< returns the log, one write per line, and clears it

 private:
  struct Group {
    int index = 0;
    std::uint64_t inode = 0;
  };
  [[nodiscard]] const Group* find(const KnobFile& file) const;
  [[nodiscard]] std::string cgroup_of(const std::string& dir) const;
  bool v2_;
  kernel::KernelRules rules_;
  std::map<std::string, Group> groups_{};
  std::map<std::string, int> failing_{}, unreadable_{}, unseen_{};
  std::uint64_t next_inode_ = 100;
};

}  // namespace evenkeel::test
