#include "cgroup/features_bpf.h"

#include "cgroup/bpf_ability.h"

namespace evenkeel {

void probe_bpf(const Host& host, const CgroupTree& tree, std::vector<Capability>& out) {
  Capability row{"bpf-run-queue", false, why_no_bpf(host), "", ""};
  if (row.why_not.empty() && tree.layout().root(Controller::cpu).empty())
    row.why_not = "no hierarchy has the cpu controller, by which tasks are told apart";
  row.works = row.why_not.empty();
  if (!row.works) row.substitute = "pressure of the CPU, which does not say who had it";
  out.push_back(std::move(row));
}

}  // namespace evenkeel
