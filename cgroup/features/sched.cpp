#include "cgroup/features/sched.h"

#include "cgroup/executor/file_writer.h"
#include "cgroup/sched/core_cookies.h"
#include "cgroup/sched/sched_feature_writer.h"

namespace evenkeel::features {
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
  auto asked = cookies.of(kSelf);
  if (asked) asked = cookies.of(kInit);
  out.works = asked.has_value();
  if (!out.works) out.why_not = sched::describe_cookie_error(asked.error());
  return out;
}

}  // namespace

void probe_sched(const Host& host, std::vector<Capability>& out) {
  out.push_back(sched_features(host));
  out.push_back(core_sched(host));
}

}  // namespace evenkeel::features
