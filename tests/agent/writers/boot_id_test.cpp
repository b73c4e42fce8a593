// The boot id, by which the journal tells this boot's records from others: it is read, or that is an error.
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include <cerrno>
#include <string>

#include "agent/writers/writers.h"
#include "tests/support/fakes/fake_host.h"

namespace evenkeel::test {
namespace {

constexpr const char* kBootId = "proc/sys/kernel/random/boot_id";

Result<std::string> boot_id_of(const FakeHost& fake) { return writers::boot_id(*Host::open(fake.root())); }

TEST(BootId, LiveIsTheKernels) {
  const auto id = writers::boot_id(*Host::open("/"));
  ASSERT_TRUE(id) << errno_name(id.error().code);
  EXPECT_EQ(id->size(), std::string("11111111-2222-3333-4444-555555555555").size()) << *id;
}

TEST(BootId, IsEmptyOnAFakeRootWithoutTheFile) {
  FakeHost host;
  EXPECT_EQ(*boot_id_of(host), "");
  host.file(kBootId, "11111111\n");
  EXPECT_EQ(*boot_id_of(host), "11111111");
}

TEST(BootId, IsAnErrorWhereItCannotBeRead) {
  FakeHost host;
  host.file(kBootId, "\n");
  EXPECT_EQ(boot_id_of(host).error().code, ENODATA);
  host.remove(kBootId).dir(kBootId);
  EXPECT_EQ(boot_id_of(host).error().code, EISDIR);
  const auto opened = *Host::open(host.root());
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{.rlim_cur = 0, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto id = writers::boot_id(opened);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(id.error().code, EMFILE);
}

TEST(BootId, LiveOnAKernelFileSystemItMustBeThere) {
  FakeHost host;
  host.dir("proc");
  const std::string proc = host.root() + "/proc";
  if (::mount("sysfs", proc.c_str(), "sysfs", MS_RDONLY, nullptr) != 0)
    GTEST_SKIP() << "cannot mount a kernel file system";
  const auto id = boot_id_of(host);
  ::umount2(proc.c_str(), MNT_DETACH);
  ASSERT_FALSE(id) << *id;
  EXPECT_EQ(id.error().code, ENOENT);
}

}  // namespace
}  // namespace evenkeel::test
