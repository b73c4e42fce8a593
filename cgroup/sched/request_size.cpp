#include <linux/capability.h>
#include <linux/sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "cgroup/sched/request_size_writer.h"

namespace evenkeel::sched {
namespace {

constexpr const char* kOperation = "sched_setattr";
constexpr std::int32_t kKthreadd = 2;  ///< asks for nothing, as all kernel threads of its class

/// struct sched_attr without utilization clamps, which stay as they are when they are not given.
struct Attributes {
  std::uint32_t size = sizeof(Attributes);
  std::uint32_t policy = 0;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime = 0, deadline = 0, period = 0;
};
static_assert(sizeof(Attributes) == 48, "SCHED_ATTR_SIZE_VER0");

bool is_fair(std::uint32_t policy) {
  return policy == SCHED_NORMAL || policy == SCHED_BATCH || policy == SCHED_IDLE;
}

/// 0, or the errno.
int read_attributes(std::int32_t task, Attributes& out) {
  if (::syscall(SYS_sched_getattr, task, &out, sizeof out, 0) != 0) return errno;
  return is_fair(out.policy) && out.runtime != 0 ? 0 : ENOTSUP;
}

bool may_set_all() {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {};
  if (::syscall(SYS_capget, &header, data) != 0) return false;
  return (data[CAP_TO_INDEX(CAP_SYS_NICE)].effective & CAP_TO_MASK(CAP_SYS_NICE)) != 0;
}

}  // namespace

const TaskSetting::Names& RequestSizes::names() const {
  static constexpr Names kNames{.record = "/request-size-",
                                .setting = "request size",
                                .tasks = "tasks",
                                .v2_file = "/cgroup.threads",
                                .v1_file = "/tasks"};
  return kNames;
}

Result<std::int64_t> RequestSizes::value_of(std::int32_t task) {
  const auto size = of(task);
  return size ? Result<std::int64_t>(size->count()) : tl::unexpected(size.error());
}

std::optional<std::int64_t> RequestSizes::kernels_own_value() {
  const auto own = kernels_own();
  return own ? std::optional(own->count()) : std::nullopt;
}

std::string RequestSizes::text_of(std::int64_t value) const {
  return std::to_string(std::chrono::duration_cast<std::chrono::microseconds>(Duration(value)).count()) +
         " us";
}

Result<Duration> KernelRequestSizes::of(std::int32_t task) {
  if (!real_) return fail(EXDEV, Op::read, kOperation);
  Attributes attributes;
  if (const int code = read_attributes(task, attributes); code != 0) return fail(code, Op::read, kOperation);
  return Duration(static_cast<std::int64_t>(attributes.runtime));
}

Result<> KernelRequestSizes::set(std::int32_t task, Duration size) {
  if (!real_) return fail(EXDEV, Op::write, kOperation);
  Attributes attributes;
  if (const int code = read_attributes(task, attributes); code != 0) return fail(code, Op::write, kOperation);
  attributes.size = sizeof attributes;
  attributes.flags &= SCHED_FLAG_RESET_ON_FORK;
  attributes.runtime = static_cast<std::uint64_t>(size.count());
  if (::syscall(SYS_sched_setattr, task, &attributes, 0) != 0) return fail(errno, Op::write, kOperation);
  return {};
}

Result<Duration> KernelRequestSizes::kernels_own() { return of(kKthreadd); }

std::string request_size_problem(const Host& host) {
  if (auto why = pid_namespace_problem(host); !why.empty()) return why;
  Attributes own;
  if (const int code = read_attributes(0, own); code != 0)
    return "this kernel has no request sizes (Linux 6.12 has them)";
  return may_set_all() ? "" : "setting those of other users' tasks needs CAP_SYS_NICE";
}

}  // namespace evenkeel::sched
