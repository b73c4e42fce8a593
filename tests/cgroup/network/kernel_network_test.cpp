// The kernel's network where no thread can be created: the unit has a limit of tasks, and whoever forks
// without end takes all that a machine has.
#include "cgroup/network/kernel_network.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <cerrno>
#include <cstddef>
#include <utility>

namespace evenkeel::test {
namespace {

/// No thread finds room for its stack.
class NoThreads {
 public:
  NoThreads() {
    constexpr std::size_t kMoreThanThereIs = std::size_t{1} << 62U;
    pthread_attr_t huge;
    ::pthread_getattr_default_np(&before_);
    ::pthread_attr_init(&huge);
    ::pthread_attr_setstacksize(&huge, kMoreThanThereIs);
    ::pthread_setattr_default_np(&huge);
    ::pthread_attr_destroy(&huge);
  }
  ~NoThreads() {
    ::pthread_setattr_default_np(&before_);
    ::pthread_attr_destroy(&before_);
  }
  NoThreads(const NoThreads&) = delete;
  NoThreads& operator=(const NoThreads&) = delete;

 private:
  pthread_attr_t before_{};
};

TEST(LiveKernelNetwork, WithoutAThreadRulesAreRefusedAndTheProcessGoesOn) {
  const Host host = std::move(*Host::open("/"));
  network::KernelNetworkPort port(host);
  Result<> tried;
  {
    const NoThreads none;
    tried = port.try_rules();
  }
  ASSERT_FALSE(tried);
  if (tried.error().code != EAGAIN) GTEST_SKIP() << "not reached here: " << errno_name(tried.error().code);
  EXPECT_EQ(tried.error().op, Op::other);
}

}  // namespace
}  // namespace evenkeel::test
