// Tests all levers together, from the snapshot to the kernel: every write is legal, no more is protected than
// exists, everything can be restored at any moment, and a failing file affects no other.
#include "tests/support/scenes/lever_loop.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <set>

#include "cgroup/network/writer.h"
#include "cgroup/resctrl/text.h"
#include "tests/support/rounds.h"

namespace evenkeel::test {
namespace {

constexpr std::int64_t kMemory = std::int64_t{4096} << 20;

/// What the kernel model rejected, except the empty CPU set of v2, which is expected.
std::string refused(LeverLoop& loop) {
  for (const auto& line : loop.kernel.log)
    if (line.find(": E") != std::string::npos) return line;
  if (!loop.broken_network().empty()) return loop.broken_network().front();
  const auto reported = loop.resctrl_report();
  return reported.find(": E") != std::string::npos ? reported : std::string();
}

std::int64_t protected_in_pods(LeverLoop& loop, const char* file) {
  std::int64_t sum = 0;
  for (const auto* cgroup : loop.tree().all())
    if (cgroup->kind == CgroupKind::pod)
      if (const auto text = loop.kernel.text(cgroup->path, file); text != "<missing>")
        sum += std::stoll(text);
  return sum;
}

void expect_same(const std::map<std::string, std::string>& found,
                 const std::map<std::string, std::string>& wanted, const std::string& where) {
  for (const auto& [path, text] : wanted) {
    const auto now = found.find(path);
    ASSERT_TRUE(now != found.end()) << where << path << " has gone";
    ASSERT_EQ(now->second, text) << where << path;
  }
}

class LeverLoops : public testing::TestWithParam<bool> {};

TEST_P(LeverLoops, WritesAreLegalBoundedAndRestored) {
  std::size_t writes = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    LeverLoop loop(GetParam(), seed);
    const auto where = "seed " + std::to_string(seed) + ": ";
    std::mt19937 dice(seed);
    for (int second = 0; second < 30; ++second) {
      if (dice() % 5 == 0) loop.configure();
      if (dice() % 4 == 0) loop.live();
      loop.pass();
      ASSERT_EQ(refused(loop), "") << where << "second " << second;
      for (const char* file : {"memory.min", "memory.low"})
        ASSERT_LE(protected_in_pods(loop, file), kMemory) << where << file;
    }
    writes += loop.kernel.log.size();
    if (seed % 2 == 0) {
      loop.everything_off();
      for (int second = 0; second < 3; ++second) loop.pass();
    } else {
      loop.restore_all();
    }
    ASSERT_EQ(refused(loop), "") << where;
    ASSERT_NO_FATAL_FAILURE(expect_same(loop.files(), loop.originals(), where));
    ASSERT_EQ(loop.journal.size(), 0U) << where;
  }
  EXPECT_GT(writes, 8000U) << "the loops must not be idle";
}

/// Kernel paths that a good first second writes, with the knob.
struct Touched {
  std::string path{};
  Knob knob{};
  CgroupId cgroup{};
};
std::vector<Touched> touched(bool v2, unsigned seed) {
  LeverLoop loop(v2, seed);
  std::vector<Touched> out;
  for (const auto& write : loop.pass().writes)
    if (!write.path.starts_with(network::kNetworkRecords))  // not files: NetworkSharing tests their rejection
      out.push_back({write.path, write.knob, write.cgroup});
  return out;
}

/// A resctrl group by its directory; empty: another lever.
std::string resctrl_group(const std::string& path) {
  const std::string_view top(resctrl::kResctrlDir);
  return path.starts_with(top) ? path.substr(0, path.find('/', top.size() + 1)) : std::string();
}

/// Levers that share rules with the failing one: they may wait for it, the others may not.
bool bound(const Touched& one, const Touched& other) {
  const auto of_one = resctrl_group(one.path), of_other = resctrl_group(other.path);
  if (!of_one.empty() || !of_other.empty()) return of_one == of_other;
  const auto group = [](Knob knob) {
    switch (knob) {
      case Knob::cpu_quota:
      case Knob::cpu_burst:
        return 1;
      case Knob::cpu_shares:
      case Knob::cpu_idle:
        return 2;
      case Knob::cpuset_cpus:
        return 3;
      default:
        return 10 + static_cast<int>(knob);
    }
  };
  return group(one.knob) == group(other.knob);
}

/// The writes and messages of three seconds, each value once.
struct Outcome {
  std::set<std::string> done{}, reported{}, values_reported{};
};
void pass_three_seconds(LeverLoop& loop, const std::string& where, Outcome& out) {
  for (int second = 0; second < 3; ++second) {
    const auto report = loop.pass();
    for (const auto& write : report.writes) out.done.insert(write.path);
    for (const auto& refusal : report.refusals) {
      out.reported.insert(refusal.path);
      const auto value = refusal.path + " " + std::to_string(refusal.cgroup.disk) + " " + refusal.text;
      ASSERT_TRUE(out.values_reported.insert(value).second) << where << "reported twice: " << value;
    }
  }
}

/// A good pass's writes that are unrelated to the failing file.
std::set<std::string> others_of(const Touched& victim, const std::vector<Touched>& good) {
  std::set<std::string> out;
  for (const auto& write : good)
    if (!bound(write, victim) && write.path != victim.path) out.insert(write.path);
  return out;
}
void expect_done(const std::set<std::string>& all, const Outcome& outcome, const std::string& where) {
  for (const auto& path : all)
    EXPECT_TRUE(outcome.done.contains(path)) << where << path << " was not written";
}

void expect_reported(const LeverLoop& loop, const Touched& victim, int code, const Outcome& outcome,
                     const std::string& where) {
  if (code == ENOENT || code == ENODEV) return;  // a missing file is not a failure
  EXPECT_TRUE(outcome.reported.contains(victim.path)) << where << "not reported";
  const auto counted = resctrl_group(victim.path).empty()
                           ? loop.executor.counters().refusals_by_errno.at(code)
                           : loop.resctrl_counters().refusals;
  EXPECT_GT(counted, 0U) << where;
}

void expect_only_this_suffers(LeverLoop& bad, const std::vector<Touched>& good, const Touched& victim,
                              int code, bool on_read) {
  const auto where = victim.path + " " + errno_name(code) + (on_read ? " on read: " : " on write: ");
  const auto fail_with = [&](int error) {
    if (on_read) return bad.fail_reads(victim.path, error);
    bad.fail_writes(victim.path, error);
  };
  fail_with(code);
  const auto fine = others_of(victim, good);
  Outcome outcome;
  ASSERT_NO_FATAL_FAILURE(pass_three_seconds(bad, where, outcome));
  expect_done(fine, outcome, where);
  expect_reported(bad, victim, code, outcome, where);
  // And it can be restored when the file works again, or while it does not.
  if (code % 2 == 0) fail_with(0);
  bad.restore_all();
  auto wanted = bad.originals();
  ASSERT_NO_FATAL_FAILURE(expect_same(bad.files(), wanted, where));
}

TEST_P(LeverLoops, AFailingFileAffectsNoOtherLever) {
  std::size_t cases = 0;
  for (unsigned seed = 0; seed < rounds(3); ++seed) {
    const auto good = touched(GetParam(), seed);
    for (const auto& victim : good)
      for (const int code : {EINVAL, EBUSY, ENOSPC, EIO, ENODEV, ENOENT, EPERM})
        for (const bool on_read : {false, true}) {
          if (on_read && resctrl_group(victim.path) == victim.path) continue;  // directories are not read
          LeverLoop bad(GetParam(), seed);
          ASSERT_NO_FATAL_FAILURE(expect_only_this_suffers(bad, good, victim, code, on_read));
          ++cases;
        }
  }
  EXPECT_GT(cases, rounds(200));
}

INSTANTIATE_TEST_SUITE_P(Kernels, LeverLoops, testing::Bool(),
                         [](const auto& kernel) { return kernel.param ? "v2" : "v1"; });

}  // namespace
}  // namespace evenkeel::test
