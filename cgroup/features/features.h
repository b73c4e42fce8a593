// Probes what this kernel and this machine can do, by reading and by trying, never by version numbers. Leaves
// nothing behind. Does not decide how to use it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cgroup/base/host.h"
#include "cgroup/tree/tree.h"

namespace evenkeel::features {

struct Capability {
  std::string feature{};
  bool works = false;
  std::string why_not{};     ///< empty when it works
  std::string substitute{};  ///< what is used instead; empty: nothing
  std::string detail{};      ///< what was found, for operators ("shortest window 2000 ms"); may be empty
};

/// One row per feature, in a fixed order. Slow (milliseconds): called at start, and on an operator's request.
std::vector<Capability> probe(const Host& host, const tree::CgroupTree& tree);

/// The row of a feature; null: there is none.
Capability* find_row(std::vector<Capability>& all, std::string_view feature);
/// Whether there is such a row, and the feature works.
bool works(const std::vector<Capability>& all, std::string_view feature);

/// The parts of probe(). Each adds the rows of its capabilities.
void probe_kernel(const Host& host, std::vector<Capability>& out);
void probe_sched(const Host& host, std::vector<Capability>& out);
void probe_bpf(const Host& host, const tree::CgroupTree& tree, std::vector<Capability>& out);
void probe_network(const Host& host, const tree::CgroupTree& tree, std::vector<Capability>& out);
/// Only reads; never mounts anything.
void probe_resctrl(const Host& host, std::vector<Capability>& out);
/// `all` has the levers already. Reclaims no memory; it tests with a request for nothing.
void probe_memory(const Host& host, const tree::CgroupTree& tree, std::vector<Capability>& all);
/// `all` has the files' rows already, and gets a note in them of what else a kernel may offer. Looks only:
/// there may be no disk to try a weight or a latency target with.
void probe_disks(const Host& host, const tree::CgroupTree& tree, std::vector<Capability>& all);

/// Tries to open a counter of cycles: of this process, or of all processes on a CPU. 0: it works; else errno.
/// On a host that is only a directory, the answer would be this machine's.
int try_own_cycles();
int try_cpu_cycles(int cpu);
/// The message for an errno with which perf_event_open(2) was refused.
std::string counter_unavailable_reason(int error);

/// Why tracing programs cannot be loaded here; empty: they can. Tries it with an empty program, and does not
/// leave it loaded.
std::string bpf_unavailable_reason(const Host& host);
/// The same for programs that tell tasks apart by the cgroups below this root, that of the cpu controller.
std::string bpf_unavailable_reason(const Host& host, const std::string& cpu_root);
inline constexpr const char* kNoCpuRoot =
    "no hierarchy has the cpu controller, by which tasks are told apart";
/// The message for an errno with which loading a program failed.
std::string bpf_load_problem(int error);

}  // namespace evenkeel::features
