// A program that the kernel refuses gives an error and an explanation, and no output of libbpf or the
// verifier.
#include <elf.h>
#include <gtest/gtest.h>
#include <linux/bpf.h>

#include <cstring>
#include <vector>

#include "cgroup/features/features.h"
#include "collectors/bpf/program.h"

namespace evenkeel::test {
namespace {

/// One of the programs that we have.
std::vector<unsigned char> object() { return {bpf::run_queue_object.begin(), bpf::run_queue_object.end()}; }

template <class T>
T at(const std::vector<unsigned char>& bytes, std::size_t offset) {
  T out{};
  std::memcpy(&out, bytes.data() + offset, sizeof out);
  return out;
}

/// Every program starts with a read beyond its stack, which every verifier refuses.
std::vector<unsigned char> refused_object() {
  auto bytes = object();
  const bpf_insn beyond{.code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_0, .src_reg = BPF_REG_10};
  const auto header = at<Elf64_Ehdr>(bytes, 0);
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    const auto section = at<Elf64_Shdr>(bytes, header.e_shoff + i * sizeof(Elf64_Shdr));
    if ((section.sh_flags & SHF_EXECINSTR) != 0 && section.sh_size >= sizeof beyond)
      std::memcpy(bytes.data() + section.sh_offset, &beyond, sizeof beyond);
  }
  return bytes;
}

class LiveBpfProgram : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = features::bpf_unavailable_reason(*Host::open("/")); !why.empty())
      GTEST_SKIP() << why;
  }
  /// Captures all output in `said_`.
  Result<bpf::BpfProgram> load(const std::vector<unsigned char>& bytes) {
    testing::internal::CaptureStderr();
    testing::internal::CaptureStdout();
    auto loaded = bpf::BpfProgram::load({.name = "evenkeel_test", .object = bytes});
    said_ = testing::internal::GetCapturedStderr() + testing::internal::GetCapturedStdout();
    return loaded;
  }
  std::string said_{};
};

TEST_F(LiveBpfProgram, OursIsLoaded) {
  const auto loaded = load(object());
  EXPECT_TRUE(loaded) << errno_name(loaded.error().code);
  EXPECT_EQ(said_, "");
}

TEST_F(LiveBpfProgram, ARefusalByTheVerifierGivesAnExplanation) {
  const auto loaded = load(refused_object());
  ASSERT_FALSE(loaded);
  EXPECT_EQ(said_, "");
  EXPECT_EQ(features::bpf_load_problem(loaded.error().code),
            "EACCES: this kernel's verifier, or a security module, refuses the program");
  EXPECT_EQ(loaded.error().file, std::string("evenkeel_test"));
}

TEST_F(LiveBpfProgram, AnInvalidObjectGivesAnExplanation) {
  auto half = object();
  half.resize(half.size() / 2);
  for (const auto& bytes : {half, std::vector<unsigned char>(100, 'x'), std::vector<unsigned char>()}) {
    const auto loaded = load(bytes);
    ASSERT_FALSE(loaded);
    EXPECT_EQ(said_, "");
    const auto why = features::bpf_load_problem(loaded.error().code);
    EXPECT_NE(why.find(": this kernel "), std::string::npos) << why;
    EXPECT_LT(why.size(), 100U) << why;
  }
}

}  // namespace
}  // namespace evenkeel::test
