#include <linux/prctl.h>
#include <pthread.h>
#include <sys/prctl.h>

#include <array>
#include <cerrno>

#include "cgroup/sched/core_sched_writer.h"

namespace evenkeel::sched {
namespace {

/// Task 0 is the calling thread.
int core_sched(unsigned long what, std::int32_t task, std::uint64_t* out = nullptr) {
  return ::prctl(PR_SCHED_CORE, what, task, PR_SCHED_CORE_SCOPE_THREAD, out) == 0 ? 0 : errno;
}

/// 0, or the errno. The carrier thread starts with its creator's cookie, which may be any.
int become_cookieless() {
  std::uint64_t own = 0;
  if (const int code = core_sched(PR_SCHED_CORE_GET, 0, &own); code != 0 || own == 0) return code;
  constexpr std::array<std::int32_t, 2> kNeverHaveOne = {2, 1};  // kthreadd, init
  for (const auto task : kNeverHaveOne) {
    std::uint64_t theirs = 0;
    if (core_sched(PR_SCHED_CORE_GET, task, &theirs) == 0 && theirs == 0)
      return core_sched(PR_SCHED_CORE_SHARE_FROM, task);
  }
  return ESRCH;
}

void hand_out(std::span<const std::int32_t> to, CoreCookies::Given& given) {
  for (const auto task : to) {
    const int code = core_sched(PR_SCHED_CORE_SHARE_TO, task);
    if (code == 0) ++given.tasks;
    if (code != 0 && code != ESRCH && given.error.code == 0) given.error = {code, Op::write, "PR_SCHED_CORE"};
  }
}

/// `prepare` gives the carrier thread its cookie, and returns 0 or the errno.
template <class Prepare>
CoreCookies::Given carry(bool real, std::span<const std::int32_t> to, Prepare prepare) {
  CoreCookies::Given given;
  if (!real) given.error = {EXDEV, Op::write, "PR_SCHED_CORE"};
  if (!real) return given;
  auto work = [&] {
    const int code = prepare(given.cookie);
    given.error = {code, Op::write, "PR_SCHED_CORE"};
    if (code == 0) hand_out(to, given);
  };
  const auto run = [](void* what) -> void* {
    (*static_cast<decltype(work)*>(what))();
    return nullptr;
  };
  pthread_t carrier{};
  if (const int code = ::pthread_create(&carrier, nullptr, run, &work); code != 0) {
    given.error = {code, Op::other, "PR_SCHED_CORE"};
  } else {
    ::pthread_join(carrier, nullptr);
  }
  return given;
}

}  // namespace

std::string describe_cookie_error(const Error& error) {
  const auto because = [&](const char* why) { return std::string(errno_name(error.code)) + ": " + why; };
  switch (error.code) {
    case ENODEV:
      return because("no core of this machine has more than one thread, so no two tasks share one");
    case EINVAL:
      return because("this kernel has no core scheduling (CONFIG_SCHED_CORE)");
    case EPERM:
      return because("asking for other tasks' cookies needs CAP_SYS_PTRACE");
    case EAGAIN:
      return because("the kernel cannot name a cookie before its random numbers are ready");
    case EXDEV:
      return "not tried: the host root is not this machine's";
    case ESRCH:
      return because("the tasks are in another PID namespace: the agent needs the host's");
    default:
      return errno_name(error.code);
  }
}

Result<std::uint64_t> KernelCookies::of(std::int32_t task) {
  if (!real_) return fail(EXDEV, Op::read, "PR_SCHED_CORE");
  std::uint64_t cookie = 0;
  if (const int code = core_sched(PR_SCHED_CORE_GET, task, &cookie); code != 0)
    return fail(code, Op::read, "PR_SCHED_CORE");
  return cookie;
}

CoreCookies::Given KernelCookies::create_cookie(std::span<const std::int32_t> to,
                                                const std::function<bool(std::uint64_t)>& announced) {
  return carry(real_, to, [&](std::uint64_t& cookie) {
    if (const int code = core_sched(PR_SCHED_CORE_CREATE, 0)) return code;
    if (const int code = core_sched(PR_SCHED_CORE_GET, 0, &cookie)) return code;
    if (cookie == 0) return EAGAIN;  // it has one whose number the kernel cannot report: soon after boot
    return announced(cookie) ? 0 : ECANCELED;
  });
}

CoreCookies::Given KernelCookies::give(std::uint64_t cookie, std::int32_t like,
                                       std::span<const std::int32_t> to) {
  return carry(real_, to, [&](std::uint64_t& got) {
    if (const int code = core_sched(PR_SCHED_CORE_SHARE_FROM, like)) return code;
    if (const int code = core_sched(PR_SCHED_CORE_GET, 0, &got)) return code;
    return got == cookie ? 0 : ESRCH;
  });
}

CoreCookies::Given KernelCookies::clear_cookies(std::span<const std::int32_t> from) {
  return carry(real_, from, [](std::uint64_t&) { return become_cookieless(); });
}

}  // namespace evenkeel::sched
