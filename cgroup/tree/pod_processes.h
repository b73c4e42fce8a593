// The processes of one pod, and signals to them: the only place of the program that signals what it did not
// start. Reaches nobody outside of the pod's cgroups. May not: decide whose turn it is, or wait.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cgroup/base/host.h"
#include "cgroup/base/writer.h"

namespace evenkeel::tree {

class PodProcesses {
 public:
  /// `dir` is the pod's directory in one hierarchy, relative to the host's root; `inode` says which life of
  /// it is meant. Both must outlive it.
  PodProcesses(const Host& host, KernelFiles& files, std::string dir, std::uint64_t inode)
      : host_(host), files_(files), dir_(std::move(dir)), inode_(inode) {}

  struct Signalled {
    std::size_t sent = 0;
    std::size_t left = 0;    ///< that are there; after SIGKILL those that were born or have not ended yet
    std::size_t hidden = 0;  ///< of another pid namespace: there, but not to be reached from here
    bool ours = false;       ///< this program is among them; then nobody was signalled
  };
  /// Who is there. ENOENT: the pod's cgroup is gone, or is another one.
  [[nodiscard]] Result<Signalled> look() const;
  /// SIGTERM to each.
  Result<Signalled> terminate();
  /// SIGKILL to all at once where the kernel can (cgroup.kill), else to each, in some rounds since they may
  /// fork. What is left is for another call.
  Result<Signalled> kill();

 private:
  struct Group {
    std::string dir{};
    std::vector<int> pids{};
  };
  [[nodiscard]] Result<std::vector<Group>> list() const;
  [[nodiscard]] Result<Signalled> counted(std::size_t sent) const;
  Result<Signalled> signal_each(int signal) const;

  const Host& host_;
  KernelFiles& files_;
  std::string dir_;
  std::uint64_t inode_;
};

}  // namespace evenkeel::tree
