// The evidence about levers as text: what is written is read back exactly, under the same conditions only.
#include "agent/history/verdict_checkpoint.h"

#include <gtest/gtest.h>

#include "tests/support/fakes/fake_host.h"

namespace evenkeel::history {
namespace {

const ProofConditions kHere{"6.18.1-amd64", 0xfedcba9876543210};

proof::ProofState learned() {
  proof::ProofState state;
  auto& quota = state.evidence[0];
  for (int i = 0; i < 7; ++i) quota.harms.add(i == 3 ? 5 : 0, 8);
  quota.helps.add(7, 8);
  quota.run = 2;
  quota.trials = 207;
  quota.trials_of_run = 7;
  quota.log_sum = -1.0 / 3;
  quota.log_squares = 0.1;
  quota.logs = 6;
  quota.verdict = proof::Verdict::no_difference;
  state.evidence[4].trials = 1;
  auto& reported = state.reported[0];
  reported.trials = reported.trials_of_run = 3;
  for (int i = 0; i < 3; ++i) reported.harms.add(0, 16);
  reported.verdict = proof::Verdict::harms;
  return state;
}

void expect_equal(const proof::Evidence& one, const proof::Evidence& other) {
  EXPECT_EQ(one.harms, other.harms);
  EXPECT_EQ(one.helps, other.helps);
  EXPECT_EQ(one.run, other.run);
  EXPECT_EQ(one.trials, other.trials);
  EXPECT_EQ(one.trials_of_run, other.trials_of_run);
  EXPECT_EQ(one.log_sum, other.log_sum);
  EXPECT_EQ(one.log_squares, other.log_squares);
  EXPECT_EQ(one.logs, other.logs);
  EXPECT_EQ(one.verdict, other.verdict);
}

TEST(VerdictCheckpoint, IsReadBackExactly) {
  const auto before = learned();
  proof::ProofState after;
  const auto stats = read_verdicts(verdicts_text(before, kHere), kHere, after);
  EXPECT_EQ(stats.models, 3U) << "levers without a trial are not written";
  EXPECT_EQ(stats.corrupt + stats.incompatible, 0U);
  for (std::size_t i = 0; i < proof::kLevers; ++i) {
    expect_equal(before.evidence[i], after.evidence[i]);
    expect_equal(before.reported[i], after.reported[i]);
  }
  EXPECT_EQ(proof::verdict(after, 0), proof::Verdict::harms);
  EXPECT_EQ(proof::deciding(after, 0).feeling, proof::Feeling::reported) << "what decided is told again";
}

/// As it was written before there was evidence by figures.
TEST(VerdictCheckpoint, AnOldOneIsStillRead) {
  proof::ProofState after;
  const auto line = sealed_line("2 6.18.1-amd64 18364758544493064720 cpu-idle 3 2 57 7 0.5 0.25 6 1 2 3 4");
  EXPECT_EQ(read_verdicts(line, kHere, after).models, 1U);
  EXPECT_EQ(after.evidence[3].trials, 57);
  EXPECT_EQ(after.evidence[3].verdict, proof::Verdict::harms);
  EXPECT_EQ(after.reported[3].trials, 0);
}

TEST(VerdictCheckpoint, AnotherKernelOrConfigurationIsForgotten) {
  const auto text = verdicts_text(learned(), kHere);
  for (const ProofConditions& under :
       {ProofConditions{"6.18.2-amd64", kHere.configuration}, ProofConditions{kHere.kernel, 1}}) {
    proof::ProofState after;
    const auto stats = read_verdicts(text, under, after);
    EXPECT_EQ(stats.incompatible, 3U);
    EXPECT_EQ(after.evidence[0].trials, 0);
    EXPECT_EQ(after.reported[0].trials, 0);
  }
}

TEST(VerdictCheckpoint, AKernelOfTheSameReleaseWithFixesIsAnotherOne) {
  test::FakeHost fake;
  fake.file("proc/sys/kernel/osrelease", "6.1.0-18-amd64\n");
  fake.file("proc/sys/kernel/version", "#1 SMP PREEMPT_DYNAMIC Debian 6.1.76-1 (2024-02-01)\n");
  const auto host = *Host::open(fake.root());
  const ProofConditions before{kernel_name(host), 1};
  EXPECT_EQ(before.kernel, "6.1.0-18-amd64_#1_SMP_PREEMPT_DYNAMIC_Debian_6.1.76-1_(2024-02-01)");
  const auto text = verdicts_text(learned(), before);
  proof::ProofState after;
  EXPECT_EQ(read_verdicts(text, before, after).models, 3U);
  fake.file("proc/sys/kernel/version", "#1 SMP PREEMPT_DYNAMIC Debian 6.1.85-1 (2024-04-11)\n");
  EXPECT_EQ(read_verdicts(text, {kernel_name(host), 1}, after).incompatible, 3U);
}

TEST(VerdictCheckpoint, WhatIsLeftOfTheBudgetIsKeptUnderAllConditions) {
  auto before = learned();
  before.budget = std::chrono::seconds(7);
  proof::ProofState after;
  read_verdicts(verdicts_text(before, kHere), {"6.18.2-amd64", 1}, after);
  ASSERT_TRUE(after.budget);
  EXPECT_EQ(*after.budget, std::chrono::seconds(7));
  before.budget = std::chrono::seconds(-1);  // a tick was longer than usual
  read_verdicts(verdicts_text(before, kHere), kHere, after);
  EXPECT_EQ(*after.budget, Duration::zero());
  for (const char* wrong : {"4", "4 -1", "4 x", "4 1e9", "4 1 2", "4 9000000000000"}) {
    proof::ProofState none;
    EXPECT_EQ(read_verdicts(sealed_line(wrong), kHere, none).corrupt, 1U) << wrong;
    EXPECT_FALSE(none.budget) << wrong;
  }
}

TEST(VerdictCheckpoint, AnyNumberOfRunsCanBeSquared) {
  proof::ProofState after;
  const auto line =
      sealed_line("2 6.18.1-amd64 18364758544493064720 cpu-idle 3 641313777777 57 7 0.5 0.25 6 1 2 3 4");
  ASSERT_EQ(read_verdicts(line, kHere, after).models, 1U);
  EXPECT_GT(after.evidence[3].decisive(0.001), 1e26);
}

TEST(VerdictCheckpoint, ADamagedLineCostsOnlyItself) {
  auto text = verdicts_text(learned(), kHere);
  text[20] ^= 1;
  proof::ProofState after;
  const auto stats = read_verdicts(text, kHere, after);
  EXPECT_EQ(stats.corrupt, 1U);
  EXPECT_EQ(stats.models, 2U);
  EXPECT_EQ(after.evidence[0].trials, 0);
  EXPECT_EQ(after.evidence[4].trials, 1);
}

TEST(VerdictCheckpoint, WhatNoTestCanHaveFoundIsRejected) {
  const std::string head = "2 6.18.1-amd64 18364758544493064720 besteffort-quota ";
  for (const char* wrong : {"", "3", "4 1 0 0 0 0 0 1 1 1 1", "-1 1 0 0 0 0 0 1 1 1 1",
                            "3 0 0 0 0 0 0 1 1 1 1", "3 1 -1 0 0 0 0 1 1 1 1", "3 1 0 0 nan 0 0 1 1 1 1",
                            "3 1 0 0 0 inf 0 1 1 1 1", "3 1 0 0 0 0 0 -1 1 1 1", "3 1 0 0 0 0 0 1 1 1",
                            "3 1 0 0 0 0 0 1 1 1 1 1", "3 1 0 0 0 0 0 1 1 1 1e99"}) {
    proof::ProofState after;
    EXPECT_EQ(read_verdicts(sealed_line(head + wrong), kHere, after).corrupt, 1U) << wrong;
    EXPECT_EQ(after.evidence[0].verdict, proof::Verdict::unknown) << wrong;
  }
  proof::ProofState after;
  EXPECT_EQ(read_verdicts(sealed_line(head + "3 1 9 9 0 0 0 1 1 1 1"), kHere, after).models, 1U);
  EXPECT_EQ(after.evidence[0].verdict, proof::Verdict::harms);
}

}  // namespace
}  // namespace evenkeel::history
