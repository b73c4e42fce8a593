// Drops a thread's capabilities for a while.
#pragma once

#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <initializer_list>

namespace evenkeel::test {

/// During its lifetime, this thread has none of these capabilities (CAP_...) in effect.
class WithoutRights {
 public:
  WithoutRights(std::initializer_list<unsigned> rights) {
    auto less = before_;
    for (const unsigned right : rights) less[CAP_TO_INDEX(right)].effective &= ~CAP_TO_MASK(right);
    put(less);
  }
  ~WithoutRights() { put(before_); }
  WithoutRights(const WithoutRights&) = delete;
  WithoutRights& operator=(const WithoutRights&) = delete;

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
  friend bool has_right(unsigned right);
  Rights before_ = get();
};

inline bool has_right(unsigned right) {
  return (WithoutRights::get()[CAP_TO_INDEX(right)].effective & CAP_TO_MASK(right)) != 0;
}

}  // namespace evenkeel::test
