#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/fanotify.h>
#include <sys/syscall.h>

#include "cgroup/executor/file_writer.h"
#include "cgroup/features/features.h"
#include "cgroup/reclaim/pressure_trigger.h"
#include "cgroup/sched/core_sched_writer.h"
#include "cgroup/sched/oom_score.h"
#include "cgroup/sched/request_size_writer.h"
#include "cgroup/sched/sched_feature_writer.h"

namespace evenkeel::features {

namespace {

void probe_triggers(const Host& host, std::vector<Capability>& out) {
  constexpr Duration kFast = std::chrono::milliseconds(500);
  const auto shortest = reclaim::shortest_window(host, std::chrono::milliseconds(50));
  if (!shortest) {
    out.push_back({"psi-trigger", false,
                   std::string("/proc/pressure/cpu: ") + errno_name(shortest.error().code),
                   "pressure totals, read in every tick", ""});
    out.push_back({"psi-trigger-500ms", false, "no pressure triggers at all", "", ""});
    return;
  }
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(*shortest).count();
  const auto found = "shortest window " + std::to_string(milliseconds) + " ms";
  out.push_back({"psi-trigger", true, "", "", found});
  // Without CAP_SYS_RESOURCE windows are multiples of 2 s (Linux 6.5 and later; before, opening is refused).
  const bool fast = *shortest <= kFast;
  out.push_back({"psi-trigger-500ms", fast, fast ? "" : "EINVAL: shorter windows need CAP_SYS_RESOURCE",
                 fast ? "" : found, ""});
}

int try_cycles(int task, int cpu) {
  perf_event_attr attr{};
  attr.size = sizeof attr;
  attr.type = PERF_TYPE_HARDWARE;
  attr.config = PERF_COUNT_HW_CPU_CYCLES;
  attr.disabled = 1;
  attr.exclude_kernel = 1;
  const Fd fd(static_cast<int>(::syscall(SYS_perf_event_open, &attr, task, cpu, -1, PERF_FLAG_FD_CLOEXEC)));
  return fd ? 0 : errno;
}

void probe_counters(std::vector<Capability>& out) {
  const int error = try_own_cycles();
  out.push_back({"perf-cycles", error == 0, error == 0 ? "" : counter_unavailable_reason(error),
                 error == 0 ? "" : "pressure and throttling instead of cycles per instruction", ""});
}

void probe_fanotify(std::vector<Capability>& out) {
  const Fd fd(::fanotify_init(FAN_CLASS_NOTIF | FAN_NONBLOCK | FAN_CLOEXEC, O_RDONLY | O_CLOEXEC));
  const std::string why = fd ? "" : std::string(errno_name(errno)) + ": needs CAP_SYS_ADMIN";
  out.push_back({"fanotify", static_cast<bool>(fd), why,
                 fd ? "" : "inotify and read-back: foreign writes are seen but not named", ""});
}

}  // namespace

int try_own_cycles() { return try_cycles(0, -1); }
int try_cpu_cycles(int cpu) { return try_cycles(-1, cpu); }

std::string counter_unavailable_reason(int error) {
  if (error == ENOENT || error == ENODEV || error == EOPNOTSUPP)
    return std::string(errno_name(error)) + ": the machine has no counters (usual in a virtual machine)";
  if (error == EACCES || error == EPERM)
    return std::string(errno_name(error)) + ": needs CAP_PERFMON or a lower kernel.perf_event_paranoid";
  return errno_name(error);
}

void probe_kernel(const Host& host, std::vector<Capability>& out) {
  if (host.root() != "/") {
    for (const char* feature : {"psi-trigger", "psi-trigger-500ms", "perf-cycles", "fanotify"})
      out.push_back({feature, false, "not tried: the host root is " + host.root(), "", ""});
    return;
  }
  probe_triggers(host, out);
  probe_counters(out);
  probe_fanotify(out);
}

namespace {

Capability sched_features(const Host& host) {
  Capability out{"sched-features", false, "", "", ""};
  const auto file = sched::sched_features_file(host);
  if (file.empty()) {
    out.why_not = host.exists("sys/kernel/debug/sched") ? "this kernel shows none below /sys/kernel/debug"
                                                        : "debugfs is not mounted at /sys/kernel/debug";
  } else if (const auto writable = executor::may_write(host, file); !writable) {
    out.why_not = "/" + file + " is not writable here: " + errno_name(writable.error().code);
  } else {
    out.works = true;
    out.detail = "/" + file;
  }
  return out;
}

/// Init has every privilege: a process that may read its cookie may read every task's.
Capability core_sched(const Host& host) {
  constexpr std::int32_t kSelf = 0, kInit = 1;
  Capability out{"core-sched", false, "", "", ""};
  sched::KernelCookies cookies(host);
  auto cookie = cookies.of(kSelf);
  if (cookie) cookie = cookies.of(kInit);
  out.works = cookie.has_value();
  if (!out.works) out.why_not = sched::describe_cookie_error(cookie.error());
  return out;
}

Capability request_size(const Host& host) {
  Capability out{"request-size", false, sched::request_size_problem(host), "", ""};
  out.works = out.why_not.empty();
  if (!out.works) {
    out.substitute = "on EEVDF kernels no CFS quota: weights, or CPU sets";
  } else if (const auto own = sched::KernelRequestSizes(host).kernels_own()) {
    const auto microseconds = std::chrono::duration_cast<std::chrono::microseconds>(*own).count();
    out.detail = "the kernel's own: " + std::to_string(microseconds) + " us";
  }
  return out;
}

Capability oom_score(const Host& host) {
  Capability out{"oom-score-adj", false, sched::oom_score_problem(host), "", ""};
  out.works = out.why_not.empty();
  return out;
}

/// A BPF scheduler decides alone: what the agent writes for the CPU may have no effect.
Capability fair_class(const Host& host) {
  const auto state = host.slurp("sys/kernel/sched_ext/state");
  if (!state || trimmed(*state) != "enabled") return {"fair-class", true, "", "", ""};
  const auto name = host.slurp("sys/kernel/sched_ext/root/ops");
  const std::string loaded = name ? std::string(trimmed(*name)) : "unnamed";
  return {"fair-class", false,
          "the BPF scheduler " + loaded +
              " (sched_ext) is loaded: shares, quotas, cpu.idle and request sizes may be inert",
          "", ""};
}

}  // namespace

void probe_sched(const Host& host, std::vector<Capability>& out) {
  out.push_back(sched_features(host));
  out.push_back(core_sched(host));
  out.push_back(request_size(host));
  out.push_back(oom_score(host));
  out.push_back(fair_class(host));
}

}  // namespace evenkeel::features
