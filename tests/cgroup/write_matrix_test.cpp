// The model of the kernel's rules answers as the kernels do: every row of the matrix, errno and read-back.
#include "tests/support/write_matrix.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdio>

#include "cgroup/kernel_rules.h"
#include "cgroup/result.h"
#include "tests/support/knob_cgroups.h"

namespace evenkeel::test {
namespace {

class ModelKernel final : public MatrixKernel {
 public:
  explicit ModelKernel(bool v2) : rules_({.cpu_v2 = v2, .cpuset_v2 = v2, .online = CpuSet::range(0, 1)}) {
    for (int parent = -1; parent < 2; ++parent) rules_.add({.parent = parent});
  }
  int write(Where where, std::string_view file, std::string_view text) override {
    return rules_.write(static_cast<int>(where), file, text);
  }
  std::string read(Where where, std::string_view file) override {
    return rules_.read(static_cast<int>(where), file).value_or("ENOENT");
  }
  int attach(Where where) override {
    auto& group = rules_.group(static_cast<int>(where));
    if (rules_.effective_cpus(static_cast<int>(where)).empty()) return ENOSPC;
    group.tasks = true;
    return 0;
  }

 private:
  KernelRules rules_;
};

class RealKernel final : public MatrixKernel {
 public:
  explicit RealKernel(KnobCgroups::Version version) : cgroups_(version, "-matrix") {
    cgroups_.make("pod");
    cgroups_.make("pod/ctr");
  }
  int write(Where where, std::string_view file, std::string_view text) override {
    return cgroups_.write(path(where), file, text);
  }
  std::string read(Where where, std::string_view file) override { return cgroups_.read(path(where), file); }
  int attach(Where where) override { return cgroups_.attach(path(where)); }

 private:
  static std::string path(Where where) {
    if (where == Where::top) return "";
    return where == Where::pod ? "pod" : "pod/ctr";
  }
  KnobCgroups cgroups_;
};

void expect_same(const std::vector<MatrixAnswer>& left, const std::vector<MatrixAnswer>& right) {
  ASSERT_EQ(left.size(), right.size());
  for (std::size_t i = 0; i < left.size(); ++i) {
    EXPECT_STREQ(errno_name(left[i].code), errno_name(right[i].code)) << left[i].row;
    EXPECT_EQ(left[i].code, right[i].code) << left[i].row;
    EXPECT_EQ(left[i].after, right[i].after) << left[i].row;
  }
}

std::vector<MatrixAnswer> model_answers(bool v2) {
  return run_matrix(v2 ? v2_scenes() : v1_scenes(), [v2] { return std::make_unique<ModelKernel>(v2); });
}

TEST(WriteMatrix, TheModelOfV1KeepsThePromises) { expect_same(model_answers(false), promised(v1_scenes())); }

TEST(WriteMatrix, TheModelOfV2KeepsThePromises) { expect_same(model_answers(true), promised(v2_scenes())); }

TEST(WriteMatrixLive, TheModelAnswersAsTheRealV1Does) {
  if (const auto why = KnobCgroups::missing(KnobCgroups::Version::v1)) GTEST_SKIP() << *why;
  const auto real =
      run_matrix(v1_scenes(), [] { return std::make_unique<RealKernel>(KnobCgroups::Version::v1); });
  expect_same(model_answers(false), real);
  std::printf("%zu writes compared with the real v1\n", real.size());
}

TEST(WriteMatrixLive, TheModelAnswersAsTheRealV2Does) {
  if (const auto why = KnobCgroups::missing(KnobCgroups::Version::v2)) GTEST_SKIP() << *why;
  const auto real =
      run_matrix(v2_scenes(), [] { return std::make_unique<RealKernel>(KnobCgroups::Version::v2); });
  expect_same(model_answers(true), real);
  std::printf("%zu writes compared with the real v2\n", real.size());
}

}  // namespace
}  // namespace evenkeel::test
