// A journal in a directory of the test's own, and its text.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "cgroup/executor/journal.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {

class JournalOnDisk : public ::testing::Test {
 protected:
  [[nodiscard]] Result<executor::Journal> open(const char* boot = kBoot) const {
    return executor::Journal::open(state_, boot);
  }
  [[nodiscard]] std::string text() const { return file("journal"); }
  [[nodiscard]] std::string file(const char* name) const {
    std::ifstream in(state_ + '/' + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void write(std::string_view content) const {
    std::ofstream(state_ + "/journal", std::ios::binary | std::ios::trunc) << content;
  }
  static executor::JournalEntry quota(const std::string& dir, std::string original) {
    return {.dir = "sys/fs/cgroup/cpu/" + dir,
            .inode = 42,
            .knob = Knob::cpu_quota,
            .file = "cpu.cfs_quota_us",
            .original = std::move(original)};
  }
  StateDir dir_{};
  const std::string& state_ = dir_.path;
};

}  // namespace evenkeel::test
