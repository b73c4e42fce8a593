#include "cgroup/features/bpf.h"

#include "cgroup/features/bpf_ability.h"
#include "cgroup/features/kernel.h"

namespace evenkeel::features {
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
  if (why.empty()) why = why_no_cpu_cycles();
  out.push_back(row_of("bpf-counters", why, ""));
}

}  // namespace evenkeel::features
