#include "cgroup/executor/file_writer.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>

#include "tests/support/fakes/fake_host.h"

namespace evenkeel::test {
namespace {

class FileWriterOnAFakeHost : public ::testing::Test {
 protected:
  FileWriterOnAFakeHost() {
    fake_.file("sys/fs/cgroup/cpu/pod/cpu.shares", "1024\n");
    fake_.file("etc/secret", "untouched");
  }
  FakeHost fake_{};
  Host host_ = std::move(*Host::open(fake_.root()));
  executor::FileWriter files_{host_};
  KnobFile shares_{.dir = "sys/fs/cgroup/cpu/pod", .name = "cpu.shares"};
};

TEST_F(FileWriterOnAFakeHost, ReplacesTheWholeContent) {
  ASSERT_TRUE(files_.write(shares_, "2"));
  EXPECT_EQ(fake_.read("sys/fs/cgroup/cpu/pod/cpu.shares"), "2\n");
  EXPECT_EQ(*files_.read(shares_), "2\n");
}

TEST_F(FileWriterOnAFakeHost, NeverMakesAFile) {
  const auto burst = files_.write({.dir = shares_.dir, .name = "cpu.cfs_burst_us"}, "0");
  ASSERT_FALSE(burst);
  EXPECT_EQ(burst.error().code, ENOENT);
  EXPECT_STREQ(burst.error().file, "cpu.cfs_burst_us");
  EXPECT_FALSE(fake_.exists("sys/fs/cgroup/cpu/pod/cpu.cfs_burst_us"));
}

TEST_F(FileWriterOnAFakeHost, AnotherLifeOfTheDirectoryIsNotTouched) {
  auto meant = shares_;
  meant.inode = *files_.inode(shares_.dir);
  ASSERT_TRUE(files_.write(meant, "512"));
  ++meant.inode;
  EXPECT_EQ(files_.write(meant, "2").error().code, ENOENT);
  EXPECT_EQ(files_.read(meant).error().code, ENOENT);
  EXPECT_EQ(*files_.read(shares_), "512\n");
}

TEST_F(FileWriterOnAFakeHost, LinksLeadNowhereOutOfTheRoot) {
  FakeHost outside;
  outside.file("cpu.shares", "1024\n");
  fake_.link("sys/fs/cgroup/cpu/evil", outside.root());
  fake_.link("sys/fs/cgroup/cpu/up", "../../../../../../.." + outside.root());
  for (const char* dir : {"sys/fs/cgroup/cpu/evil", "sys/fs/cgroup/cpu/up"})
    EXPECT_EQ(files_.write({.dir = dir, .name = "cpu.shares"}, "2").error().code, ENOENT) << dir;
  EXPECT_EQ(outside.read("cpu.shares"), "1024\n");
}

TEST_F(FileWriterOnAFakeHost, ALinkInThePlaceOfTheFileIsRefused) {
  fake_.link("sys/fs/cgroup/cpu/pod/cpu.idle", "/etc/secret");
  EXPECT_EQ(files_.write({.dir = shares_.dir, .name = "cpu.idle"}, "1").error().code, ELOOP);
  EXPECT_EQ(fake_.read("etc/secret"), "untouched");
}

TEST_F(FileWriterOnAFakeHost, ALinkedHierarchyInsideTheRootWorks) {
  fake_.link("sys/fs/cgroup/cpuacct", "/sys/fs/cgroup/cpu");
  EXPECT_TRUE(files_.write({.dir = "sys/fs/cgroup/cpuacct/pod", .name = "cpu.shares"}, "7"));
  EXPECT_EQ(*files_.read(shares_), "7\n");
}

TEST_F(FileWriterOnAFakeHost, ANameIsNotAPath) {
  for (const char* name : {"", "../pod/cpu.shares", "/etc/secret"})
    EXPECT_EQ(files_.write({.dir = shares_.dir, .name = name}, "2").error().code, EINVAL) << name;
  EXPECT_EQ(fake_.read("etc/secret"), "untouched");
}

TEST_F(FileWriterOnAFakeHost, WhatIsGoneIsEnoent) {
  fake_.remove("sys/fs/cgroup/cpu/pod");
  EXPECT_TRUE(vanished(files_.write(shares_, "2").error()));
  EXPECT_TRUE(vanished(files_.read(shares_).error()));
  EXPECT_TRUE(vanished(files_.inode(shares_.dir).error()));
}

TEST_F(FileWriterOnAFakeHost, AFileWithoutAnEndIsNotReadForEver) {
  fake_.file("sys/fs/cgroup/cpu/pod/cpu.shares", std::string(2U << 20U, '7'));
  EXPECT_EQ(files_.read(shares_).error().code, EFBIG);
}

}  // namespace
}  // namespace evenkeel::test
