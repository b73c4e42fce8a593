// The seam between deciding and touching for core scheduling: who has which cookie, and giving one. The real
// one asks prctl(PR_SCHED_CORE); tests put a model of the kernel here. May not: decide who gets which.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "cgroup/base/host.h"
#include "cgroup/base/result.h"

namespace evenkeel::sched {

class CoreCookies {
 public:
  struct Given {
    std::uint64_t cookie = 0;
    int tasks = 0;  ///< that have it now; who has ended meanwhile is no error
    Error error{};  ///< code 0: none; else the first one
  };

  virtual ~CoreCookies() = default;
  /// Of a thread; 0: none. ENODEV: the machine has one thread per core, EINVAL: the kernel knows no cookies.
  virtual Result<std::uint64_t> of(std::int32_t task) = 0;
  /// A new cookie for these threads. `announced` hears which before anybody has it, and may call it off.
  virtual Given create_cookie(std::span<const std::int32_t> to,
                              const std::function<bool(std::uint64_t)>& announced) = 0;
  /// The cookie that `like` has, if it still is `cookie`.
  virtual Given give(std::uint64_t cookie, std::int32_t like, std::span<const std::int32_t> to) = 0;
  virtual Given clear_cookies(std::span<const std::int32_t> from) = 0;
};

/// For people, with the errno's name; of an error that `of` or a giving call has told.
std::string describe_cookie_error(const Error& error);

/// Each call is done by a thread of its own, which ends with the cookie that it had to take itself.
class KernelCookies final : public CoreCookies {
 public:
  /// Below a fake root numbers of tasks mean nobody: then everything is refused.
  explicit KernelCookies(const Host& host) : real_(host.on_kernel_fs("proc")) {}
  Result<std::uint64_t> of(std::int32_t task) override;
  Given create_cookie(std::span<const std::int32_t> to,
                      const std::function<bool(std::uint64_t)>& announced) override;
  Given give(std::uint64_t cookie, std::int32_t like, std::span<const std::int32_t> to) override;
  Given clear_cookies(std::span<const std::int32_t> from) override;

 private:
  bool real_;
};

}  // namespace evenkeel::sched
