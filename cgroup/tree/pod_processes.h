// Lists and signals the processes of one pod: the only place of the program that signals processes it did not
// start. Signals no process outside the pod's cgroups. Does not decide which pod is evicted, and does not
// wait.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cgroup/base/host.h"
#include "cgroup/base/kernel_files.h"

namespace evenkeel::tree {

class PodProcesses {
 public:
  /// `dir` is the pod's directory in one hierarchy, relative to the host's root; `inode` identifies it if the
  /// path is reused. Both references must outlive it.
  PodProcesses(const Host& host, KernelFiles& files, std::string dir, std::uint64_t inode)
      : host_(host), files_(files), dir_(std::move(dir)), inode_(inode) {}

  struct Signalled {
    std::size_t sent = 0;
    std::size_t left = 0;    ///< processes found; after SIGKILL those that were forked or have not exited yet
    std::size_t hidden = 0;  ///< in another PID namespace: cannot be signalled from here
    bool ours = false;       ///< this program is among them; then no process was signalled
  };
  /// The processes now. ENOENT: the pod's cgroup is gone, or was recreated.
  [[nodiscard]] Result<Signalled> look() const;
  /// Sends SIGTERM to each.
  Result<Signalled> terminate();
  /// Sends SIGKILL to all at once where the kernel can (cgroup.kill), else to each, in several rounds since
  /// they may fork. What is left needs another call.
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
