// Tests whether the agent may load BPF programs here, and says why not. Does not leave a program loaded.
#pragma once

#include <string>

#include "cgroup/base/host.h"

namespace evenkeel::features {

/// Why tracing programs cannot be loaded here; empty: they can. Tries it with an empty program.
std::string bpf_unavailable_reason(const Host& host);
/// The same for programs that tell tasks apart by the cgroups below this root, that of the cpu controller.
std::string bpf_unavailable_reason(const Host& host, const std::string& cpu_root);
inline constexpr const char* kNoCpuRoot =
    "no hierarchy has the cpu controller, by which tasks are told apart";
/// The message for an errno with which loading a program failed.
std::string bpf_load_problem(int error);

}  // namespace evenkeel::features
