// The compiled programs of collectors/bpf/*.bpf.c as byte arrays to load into the kernel: see
// bpf/programs.cmake.
#pragma once

#include <span>

namespace evenkeel::bpf {

extern const std::span<const unsigned char> cpu_counters_object;
extern const std::span<const unsigned char> run_queue_object;

}  // namespace evenkeel::bpf
