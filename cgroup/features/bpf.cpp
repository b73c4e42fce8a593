#include <linux/bpf.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>

#include "cgroup/base/result.h"
#include "cgroup/features/features.h"
#include "cgroup/tree/layout.h"

namespace evenkeel::features {

namespace {

/// Loads "return 0" as a raw tracepoint: needs the same privileges as the agent's own programs.
int try_program() {
  const std::array<bpf_insn, 2> code = {bpf_insn{.code = BPF_ALU64 | BPF_MOV | BPF_K},
                                        bpf_insn{.code = BPF_JMP | BPF_EXIT}};
  bpf_attr attr{};
  attr.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT;
  attr.insns = reinterpret_cast<std::uintptr_t>(code.data());
  attr.insn_cnt = code.size();
  attr.license = reinterpret_cast<std::uintptr_t>("GPL");
  const Fd fd(static_cast<int>(::syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof attr)));
  return fd ? 0 : errno;
}

}  // namespace

std::string bpf_load_problem(int error) {
  switch (error) {
    case EPERM:
      return "EPERM: the kernel wants CAP_BPF and CAP_PERFMON for it";
    case EACCES:
      return "EACCES: this kernel's verifier, or a security module, refuses the program";
    case ENOSYS:
      return "ENOSYS: this kernel is built without BPF";
    case ENOENT:
    case ESRCH:
      return std::string(errno_name(error)) +
             ": this kernel does not describe a tracepoint or a structure that is needed";
    case ENOMEM:
      return "ENOMEM: there is no memory for its tables";
    default:
      return std::string(errno_name(error)) + ": this kernel does not take the program";
  }
}

std::string bpf_unavailable_reason(const Host& host) {
  if (host.root() != "/" && !host.on_kernel_fs("sys/fs/cgroup"))
    return "not tried: the host root is " + host.root();
  if (const int error = try_program(); error != 0) return bpf_load_problem(error);
  if (!host.exists("sys/kernel/btf/vmlinux"))
    return "no /sys/kernel/btf/vmlinux: this kernel is built without CONFIG_DEBUG_INFO_BTF";
  return {};
}

std::string bpf_unavailable_reason(const Host& host, const std::string& cpu_root) {
  if (cpu_root.empty()) return kNoCpuRoot;
  if (!host.on_kernel_fs(cpu_root)) return "not tried: /" + cpu_root + " is not the kernel's";
  return bpf_unavailable_reason(host);
}

namespace {

Capability row_of(const char* feature, std::string why_not, const char* substitute) {
  Capability row{feature, why_not.empty(), std::move(why_not), "", ""};
  if (!row.works) row.substitute = substitute;
  return row;
}

/// Tests the first CPU only; its result counts for all.
std::string why_no_cpu_cycles() {
  const int error = try_cpu_cycles(0);
  return error == 0 ? std::string() : counter_unavailable_reason(error);
}

}  // namespace

void probe_bpf(const Host& host, const tree::CgroupTree& tree, std::vector<Capability>& out) {
  std::string why = bpf_unavailable_reason(host);
  if (why.empty() && tree.layout().root(Controller::cpu).empty()) why = kNoCpuRoot;
  out.push_back(row_of("bpf-run-queue", why, "pressure of the CPU, which does not say who had it"));
  const std::string no_cycles = why_no_cpu_cycles();
  if (why.empty()) why = no_cycles;
  out.push_back(row_of("bpf-counters", why, no_cycles.empty() ? "containers are counted in turn" : ""));
}

}  // namespace evenkeel::features
