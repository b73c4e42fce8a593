#include "cgroup/base/host.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/fakes/fake_host.h"

namespace evenkeel {
namespace {

using test::FakeHost;

Host open_host(const FakeHost& fake) { return std::move(*Host::open(fake.root())); }

TEST(Host, ReadsBeneathItsRootOnly) {
  FakeHost fake;
  fake.file("proc/stat", "cpu 1\n");
  const auto host = open_host(fake);
  EXPECT_EQ(*host.slurp("proc/stat"), "cpu 1\n");
  EXPECT_EQ(host.slurp("proc/nothing").error().code, ENOENT);
  EXPECT_EQ(host.absolute("proc/stat"), fake.root() + "/proc/stat");
  EXPECT_TRUE(host.exists("proc"));
  EXPECT_FALSE(host.exists("sys"));
}

TEST(Host, TheWayUpEndsAtTheRoot) {
  FakeHost fake;
  fake.file("etc/passwd", "inside\n");
  const auto host = open_host(fake);
  EXPECT_EQ(*host.slurp("../../../../etc/passwd"), "inside\n");
}

TEST(Host, AnAbsoluteLinkStartsAtTheRootNotAtTheMachines) {
  FakeHost fake;
  fake.file("etc/hostname", "fake\n").link("sys/link", "/etc/hostname").link("sys/out", "/proc/self/status");
  const auto host = open_host(fake);
  EXPECT_EQ(*host.slurp("sys/link"), "fake\n");
  EXPECT_FALSE(host.exists("sys/out")) << "the machine's /proc is not this host's";
}

TEST(Host, MagicLinksAreNotFollowed) {
  const auto host = std::move(*Host::open("/"));
  EXPECT_FALSE(host.open_read("proc/self/exe"));
  EXPECT_TRUE(host.open_read("proc/self/stat"));
}

TEST(Host, ListsDirectoriesAndFilesApartAndSorted) {
  FakeHost fake;
  fake.dir("d/b").dir("d/a").file("d/y", "").file("d/x", "").link("d/l", "a");
  const auto host = open_host(fake);
  EXPECT_EQ(*host.subdirs("d"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(*host.files("d"), (std::vector<std::string>{"l", "x", "y"}));
  EXPECT_EQ(host.subdirs("none").error().code, ENOENT);
  EXPECT_EQ(host.subdirs("d/x").error().code, ENOTDIR);
}

TEST(Host, ALongListingIsWhole) {
  FakeHost fake;
  for (int i = 0; i < 1500; ++i) fake.dir("d/some-longer-directory-name-" + std::to_string(i));
  EXPECT_EQ(open_host(fake).subdirs("d")->size(), 1500u);
}

TEST(Host, NamesAreAppendedWithANulBehindEach) {
  FakeHost fake;
  fake.dir("d/a").dir("d/b").file("d/x", "");
  const auto host = open_host(fake);
  std::string names = "before";
  ASSERT_TRUE(host.append_subdirs("d", names));
  using namespace std::string_literals;
  EXPECT_TRUE(names == "beforea\0b\0"s || names == "beforeb\0a\0"s) << names;
  EXPECT_EQ(host.append_subdirs("none", names).error().code, ENOENT);
}

TEST(Host, InodesInAListingAreThoseOfTheDirectories) {
  FakeHost fake;
  fake.dir("d/a").dir("d/b");
  const auto host = open_host(fake);
  const auto listed = host.subdirs_with_inodes("d");
  ASSERT_TRUE(listed);
  ASSERT_EQ(listed->size(), 2u);
  for (const auto& dir : *listed) EXPECT_EQ(dir.inode, *host.inode("d/" + dir.name));
  const auto machine = std::move(*Host::open("/"));
  const auto groups = machine.subdirs_with_inodes("sys/fs/cgroup/memory");
  if (!groups) return;
  for (const auto& dir : *groups) EXPECT_EQ(dir.inode, *machine.inode("sys/fs/cgroup/memory/" + dir.name));
}

TEST(Host, KnowsAKernelsFileSystemFromAPlainOne) {
  FakeHost fake;
  fake.dir("proc");
  EXPECT_FALSE(open_host(fake).on_kernel_fs("proc"));
  const auto machine = std::move(*Host::open("/"));
  EXPECT_TRUE(machine.on_kernel_fs("proc"));
  EXPECT_TRUE(machine.on_kernel_fs("sys"));
  EXPECT_FALSE(machine.on_kernel_fs("not/there"));
}

TEST(Host, WhatIsTooBigToBeAKernelFileIsRefused) {
  FakeHost fake;
  fake.file("big", std::string((1 << 20) + 1, 'x')).file("most", std::string(1 << 20, 'x'));
  const auto host = open_host(fake);
  EXPECT_EQ(host.slurp("big").error().code, EFBIG);
  EXPECT_EQ(host.slurp("most")->size(), 1u << 20);
}

TEST(Host, ARootThatIsNoDirectoryIsRefused) {
  EXPECT_EQ(Host::open("/proc/self/stat").error().code, ENOTDIR);
  EXPECT_EQ(Host::open("/not/there").error().code, ENOENT);
  EXPECT_EQ(Host::open("/proc///")->absolute("stat"), "/proc/stat");
}

}  // namespace
}  // namespace evenkeel
