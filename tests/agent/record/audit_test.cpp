// The audit log where the disk or the descriptors give out: lines are counted, none is torn, and it goes on.
#include "agent/record/audit.h"

#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/state_dir.h"

namespace evenkeel {
namespace {
namespace fs = std::filesystem;

class AuditOnDisk : public ::testing::Test {
 protected:
  void record(record::Audit& audit, int count, std::size_t bytes = 100, MonoTime now = {}) const {
    const std::string why(bytes, 'w');
    for (int i = 0; i < count; ++i) audit.record({.kind = "write", .path = "p", .why = why}, now);
  }
  [[nodiscard]] std::vector<std::string> lines(const std::string& name = "audit.jsonl") const {
    std::vector<std::string> out;
    std::ifstream in(dir_.path + '/' + name);
    for (std::string line; std::getline(in, line);) out.push_back(line);
    return out;
  }
  /// Lines that are not a whole JSON object, and those in which two were joined.
  [[nodiscard]] std::size_t torn() const {
    std::size_t count = 0;
    for (const auto& line : lines())
      if (!line.starts_with("{") || !line.ends_with("}") || line.find("}{") != std::string::npos) ++count;
    return count;
  }
  test::StateDir dir_{};
  static constexpr MonoTime kStart = MonoTime(std::chrono::hours(1));
  static constexpr MonoTime kLater = kStart + record::Audit::kLookEvery;
};

TEST_F(AuditOnDisk, WithoutDescriptorsLinesAreCountedAndTheNextOnesGoOn) {
  auto audit = *record::Audit::open(dir_.path, nullptr);
  std::size_t count = 0;
  for (; fs::file_size(dir_.path + "/audit.jsonl") <= record::Audit::kRotateBytes; ++count)
    record(audit, 1, 10000);
  ASSERT_FALSE(fs::exists(dir_.path + "/audit.jsonl.1")) << "the next line rotates";
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{.rlim_cur = 0, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  record(audit, 3);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(audit.lost(), 3U);
  record(audit, 2);
  EXPECT_EQ(audit.lost(), 3U);
  EXPECT_EQ(lines().size(), 2U);
  EXPECT_EQ(lines("audit.jsonl.1").size(), count);
}

TEST_F(AuditOnDisk, LiveOnAFullDiskNoTwoLinesBecomeOne) {
  if (::mount("tmpfs", dir_.path.c_str(), "tmpfs", 0, "size=16k") != 0)
    GTEST_SKIP() << "cannot mount a small disk";
  {
    auto audit = *record::Audit::open(dir_.path, nullptr);
    record(audit, 200);
    const auto lost = audit.lost();
    EXPECT_GT(lost, 50U);
    EXPECT_EQ(::mount("tmpfs", dir_.path.c_str(), "tmpfs", MS_REMOUNT, "size=64k"), 0);
    record(audit, 10);
    EXPECT_EQ(audit.lost(), lost);
    EXPECT_EQ(lines().size(), 210 - lost + torn());
    EXPECT_LE(torn(), 1U);
  }
  ::umount2(dir_.path.c_str(), MNT_DETACH);
}

TEST_F(AuditOnDisk, WhatCannotBeRotatedGrowsToTwiceItsSizeAndIsRotatedLater) {
  auto audit = *record::Audit::open(dir_.path, nullptr);
  fs::create_directory(dir_.path + "/audit.jsonl.1");
  record(audit, 830, 10000);
  EXPECT_EQ(audit.lost(), 0U);
  record(audit, 100, 10000);
  EXPECT_GT(audit.lost(), 70U);
  EXPECT_LT(fs::file_size(dir_.path + "/audit.jsonl"), 2 * record::Audit::kRotateBytes + 20000);
  const auto lost = audit.lost();
  fs::remove(dir_.path + "/audit.jsonl.1");
  record(audit, 5);
  EXPECT_EQ(audit.lost(), lost);
  EXPECT_EQ(lines().size(), 5U);
}

// As logrotate does it: by a new name, after which the file may be there again (create) or not.
TEST_F(AuditOnDisk, AFileThatWasRenamedIsLeftWithinASecond) {
  auto audit = *record::Audit::open(dir_.path, nullptr);
  record(audit, 1, 100, kStart);
  fs::rename(dir_.path + "/audit.jsonl", dir_.path + "/rotated");
  record(audit, 2, 100, kLater - std::chrono::milliseconds(1));  // looks no more often than that
  EXPECT_EQ(lines("rotated").size(), 3U);
  record(audit, 4, 100, kLater);
  EXPECT_EQ(lines("rotated").size(), 3U);
  EXPECT_EQ(lines().size(), 4U);
  fs::rename(dir_.path + "/audit.jsonl", dir_.path + "/rotated");
  std::ofstream(dir_.path + "/audit.jsonl").close();
  record(audit, 5, 100, kLater + record::Audit::kLookEvery);
  EXPECT_EQ(lines("rotated").size(), 4U);
  EXPECT_EQ(lines().size(), 5U);
  EXPECT_EQ(audit.lost(), 0U);
}

// The size of the file that was renamed does not make the new one be rotated at once.
TEST_F(AuditOnDisk, ALargeFileThatWasRenamedOrCutOffIsNotRotatedAgain) {
  auto audit = *record::Audit::open(dir_.path, nullptr);
  const auto fill = [&](MonoTime now) {
    while (fs::file_size(dir_.path + "/audit.jsonl") <= record::Audit::kRotateBytes)
      record(audit, 1, 10000, now);
  };
  fill(kStart);
  fs::rename(dir_.path + "/audit.jsonl", dir_.path + "/rotated");
  record(audit, 1, 100, kLater);
  EXPECT_EQ(lines().size(), 1U);
  fill(kLater);
  fs::resize_file(dir_.path + "/audit.jsonl", 0);  // copytruncate
  record(audit, 2, 100, kLater + record::Audit::kLookEvery);
  EXPECT_EQ(lines().size(), 2U);
  EXPECT_FALSE(fs::exists(dir_.path + "/audit.jsonl.1"));
  EXPECT_EQ(audit.lost(), 0U);
}

TEST_F(AuditOnDisk, LiveOnAReadOnlyDiskAStartSaysSo) {
  if (::mount("tmpfs", dir_.path.c_str(), "tmpfs", MS_RDONLY, nullptr) != 0)
    GTEST_SKIP() << "cannot mount a disk";
  const auto audit = record::Audit::open(dir_.path, nullptr);
  ASSERT_FALSE(audit);
  EXPECT_EQ(audit.error().code, EROFS);
  ::umount2(dir_.path.c_str(), MNT_DETACH);
}

TEST_F(AuditOnDisk, ALineThatWasTornByACrashIsEnded) {
  std::ofstream(dir_.path + "/audit.jsonl") << "{\"kind\":\"wri";
  auto audit = *record::Audit::open(dir_.path, nullptr);
  record(audit, 1);
  ASSERT_EQ(lines().size(), 2U);
  EXPECT_TRUE(lines()[1].starts_with("{")) << lines()[1];
}

}  // namespace
}  // namespace evenkeel
