// Whether programs of ours may run in the kernel here (BPF), and why not, in words.
// May not: load any that stays.
#pragma once

#include <string>

#include "cgroup/base/host.h"

namespace evenkeel::features {

/// Why tracing programs cannot be loaded here; empty: they can. Tries it with one that does nothing.
std::string bpf_unavailable_reason(const Host& host);
/// The same of programs that tell tasks apart by the cgroups below this root, that of the cpu controller.
std::string bpf_unavailable_reason(const Host& host, const std::string& cpu_root);
inline constexpr const char* kNoCpuRoot =
    "no hierarchy has the cpu controller, by which tasks are told apart";
/// The sentence of an errno with which loading a program failed.
std::string bpf_load_problem(int error);

}  // namespace evenkeel::features
