// A thread that may not load programs into the kernel for a while.
#pragma once

#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>

namespace evenkeel::test {

/// This thread may load no programs into the kernel while it lives.
class WithoutPrograms {
 public:
  WithoutPrograms() {
    auto less = before_;
    constexpr std::array<unsigned, 2> kRights = {CAP_BPF, CAP_SYS_ADMIN};
    for (const unsigned right : kRights) less[CAP_TO_INDEX(right)].effective &= ~CAP_TO_MASK(right);
    put(less);
  }
  ~WithoutPrograms() { put(before_); }
  WithoutPrograms(const WithoutPrograms&) = delete;
  WithoutPrograms& operator=(const WithoutPrograms&) = delete;

 private:
  using Rights = std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3>;
  static Rights get() {
    __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    Rights rights{};
    ::syscall(SYS_capget, &header, rights.data());
    return rights;
  }
  static void put(const Rights& rights) {
    __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    ::syscall(SYS_capset, &header, rights.data());
  }
  Rights before_ = get();
};

}  // namespace evenkeel::test
