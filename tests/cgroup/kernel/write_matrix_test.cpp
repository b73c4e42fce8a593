// The model of the kernel's rules answers as the kernels do: every row of the matrix, errno and read-back.
#include "tests/support/fakes/write_matrix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "cgroup/base/result.h"
#include "cgroup/kernel/rules.h"
#include "tests/support/live/knob_cgroups.h"

namespace evenkeel::test {
namespace {

using Version = KnobCgroups::Version;

class ModelKernel final : public MatrixKernel {
 public:
  explicit ModelKernel(Version version) : rules_(kind_of(version)) {
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
  static kernel::KernelKind kind_of(Version version) {
    const bool v2 = version == Version::v2;
    return {.cpu_v2 = v2,
            .cpuset_v2 = v2,
            .memory_v2 = v2,
            .online = CpuSet::range(0, 1),
            .plain = kernel::mainline_plain_knobs(v2)};
  }
  kernel::KernelRules rules_;
};

class RealKernel final : public MatrixKernel {
 public:
  explicit RealKernel(Version version) : cgroups_(version, "-matrix") {
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

std::span<const MatrixScene> scenes(Version version) {
  return version == Version::v2 ? v2_scenes() : v1_scenes();
}
template <class Kernel>
std::vector<MatrixAnswer> answers(Version version) {
  return run_matrix(scenes(version), [version] { return std::make_unique<Kernel>(version); });
}
void expect_promised_answers(Version version) {
  expect_same(answers<ModelKernel>(version), promised(scenes(version)));
}

void compare_with_the_real(Version version) {
  if (const auto why = KnobCgroups::missing(version)) GTEST_SKIP() << *why;
  const auto model = answers<ModelKernel>(version);
  auto real = answers<RealKernel>(version);
  // Newer kernels (seen: 6.12) say that an idle group's weight is 1, older ones (6.1) 0. It cannot be set
  // meanwhile.
  for (std::size_t i = 0; i < std::min(real.size(), model.size()); ++i)
    if (model[i].row.starts_with("weight and idle: ctr/cpu.weight ") && model[i].after == "0" &&
        real[i].after == "1")
      real[i].after = "0";
  expect_same(model, real);
  std::printf("%zu writes compared with the real kernel\n", real.size());
}

TEST(WriteMatrix, TheModelOfV1KeepsThePromises) { expect_promised_answers(Version::v1); }
TEST(WriteMatrix, TheModelOfV2KeepsThePromises) { expect_promised_answers(Version::v2); }
TEST(WriteMatrixLive, TheModelAnswersAsTheRealV1Does) { compare_with_the_real(Version::v1); }
TEST(WriteMatrixLive, TheModelAnswersAsTheRealV2Does) { compare_with_the_real(Version::v2); }

}  // namespace
}  // namespace evenkeel::test
