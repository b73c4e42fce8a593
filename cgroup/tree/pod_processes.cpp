#include "cgroup/tree/pod_processes.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <span>

#include "cgroup/base/result.h"
#include "cgroup/base/text.h"

namespace evenkeel::tree {
namespace {

constexpr const char* kProcs = "cgroup.procs";
constexpr std::size_t kMostGroups = 1000;  // a runtime in a pod creates some cgroups of its own, not
                                           // thousands
constexpr std::size_t kAtOnce = 64;        // limit of simultaneously open descriptors
constexpr int kRounds = 3;

std::vector<int> pids_in(std::string_view text) {
  std::vector<int> pids;
  Scanner scan(text);
  while (!scan.done())
    if (const auto pid = whole_number(scan.line())) pids.push_back(static_cast<int>(*pid));
  return pids;
}

bool contains(const std::vector<int>& pids, int pid) { return std::ranges::find(pids, pid) != pids.end(); }

struct HeldProcess {
  int pid = 0;
  Fd process{};  ///< none where the kernel has no pidfd (before 5.3)
};

/// Processes that exited meanwhile are left out.
std::vector<HeldProcess> hold(std::span<const int> pids) {
  std::vector<HeldProcess> held;
  for (const int pid : pids) {
    Fd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    if (!process && errno != ENOSYS) continue;
    held.push_back({pid, std::move(process)});
  }
  return held;
}

bool send(const HeldProcess& held, int signal) {
  if (held.process) return ::syscall(SYS_pidfd_send_signal, held.process.get(), signal, nullptr, 0) == 0;
  return ::kill(held.pid, signal) == 0;
}

}  // namespace

/// Parents before children. Checks the inode each time: a directory of the same name may belong to another
/// pod.
Result<std::vector<PodProcesses::Group>> PodProcesses::list() const {
  const auto inode = host_.inode(dir_);
  if (!inode) return tl::unexpected(inode.error());
  if (*inode != inode_) return fail(ENOENT, Op::list, kProcs);
  std::vector<Group> groups{{dir_, {}}};
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto text = files_.read({.dir = groups[i].dir, .name = kProcs});
    if (!text && vanished(text.error()) && i > 0) continue;
    // A threaded cgroup of v2 lists no processes; they are listed in its ancestor.
    if (!text && text.error().code != EOPNOTSUPP) return tl::unexpected(text.error());
    if (text) groups[i].pids = pids_in(*text);
    const auto below = host_.subdirs(groups[i].dir);
    if (!below) continue;
    for (const auto& name : *below)
      if (groups.size() < kMostGroups) groups.push_back({groups[i].dir + '/' + name, {}});
  }
  return groups;
}

Result<PodProcesses::Signalled> PodProcesses::counted(std::size_t sent) const {
  const auto groups = list();
  if (!groups) return tl::unexpected(groups.error());
  Signalled out{.sent = sent};
  for (const Group& group : *groups)
    for (const int pid : group.pids) {
      ++out.left;
      if (pid <= 1) ++out.hidden;
      out.ours = out.ours || pid == ::getpid();
    }
  return out;
}

Result<PodProcesses::Signalled> PodProcesses::look() const { return counted(0); }

// A pid alone may belong to another process by the time it is signalled. If a pidfd is held, and its pid is
// then still listed here, the pidfd's process is either the listed one or dead.
Result<PodProcesses::Signalled> PodProcesses::signal_each(int signal) const {
  const auto groups = list();
  if (!groups) return tl::unexpected(groups.error());
  std::size_t sent = 0;
  for (const Group& group : *groups) {
    for (std::size_t first = 0; first < group.pids.size(); first += kAtOnce) {
      const std::size_t count = std::min(kAtOnce, group.pids.size() - first);
      const auto held = hold(std::span(group.pids).subspan(first, count));
      const auto text = files_.read({.dir = group.dir, .name = kProcs});
      const auto still = text ? pids_in(*text) : std::vector<int>();
      for (const HeldProcess& one : held)
        if (one.pid > 1 && one.pid != ::getpid() && contains(still, one.pid)) sent += send(one, signal);
    }
  }
  return counted(sent);
}

Result<PodProcesses::Signalled> PodProcesses::terminate() {
  const auto before = look();
  if (!before || before->ours) return before;
  return signal_each(SIGTERM);
}

Result<PodProcesses::Signalled> PodProcesses::kill() {
  const auto before = look();
  if (!before || before->ours || before->left == 0) return before;
  if (files_.write({.dir = dir_, .name = "cgroup.kill", .inode = inode_}, "1")) return counted(before->left);
  Signalled all;
  for (int round = 0; round < kRounds; ++round) {
    const auto now = signal_each(SIGKILL);
    if (!now) return now;
    all = {now->sent + all.sent, now->left, now->hidden, now->ours};
    if (now->left == 0) break;
  }
  return all;
}

}  // namespace evenkeel::tree
