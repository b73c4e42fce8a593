// The interface to core scheduling cookies: reads which task has which cookie, and assigns one. Does not
// decide which task gets which. KernelCookies uses prctl(PR_SCHED_CORE); tests use a model of the kernel.
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
    int tasks = 0;  ///< that have it now; a task that has ended meanwhile is no error
    Error error{};  ///< code 0: none; else the first error
  };

  virtual ~CoreCookies() = default;
  /// The cookie of a thread; 0: none. ENODEV: the machine has one thread per core, EINVAL: the kernel has no
  /// cookies.
  virtual Result<std::uint64_t> of(std::int32_t task) = 0;
  /// Assigns a new cookie to these threads. `announced` gets its number before any thread has it, and may
  /// cancel.
  virtual Given create_cookie(std::span<const std::int32_t> to,
                              const std::function<bool(std::uint64_t)>& announced) = 0;
  /// Assigns the cookie of `like` to the others, if it still is `cookie`.
  virtual Given give(std::uint64_t cookie, std::int32_t like, std::span<const std::int32_t> to) = 0;
  virtual Given clear_cookies(std::span<const std::int32_t> from) = 0;
};

/// A message for operators, with the errno's name, for an error of `of`, `create_cookie` or `give`.
std::string describe_cookie_error(const Error& error);

/// Runs each call on a thread of its own, which has to take the cookie itself and ends with it.
class KernelCookies final : public CoreCookies {
 public:
  /// Below a fake root task ids refer to no real task: everything is refused.
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
