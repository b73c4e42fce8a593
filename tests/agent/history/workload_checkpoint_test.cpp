// Tests the workloads' checkpoint across files, reboots, other CPUs and file corruption.
#include "agent/history/workload_checkpoint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "qos/interference/roster.h"
#include "tests/support/malformed.h"

namespace evenkeel {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

constexpr history::Moment kNow{MonoTime(hours(500)), 1'767'225'600};
const history::MeasurementMethod kHere{"Some(R) CPU @ 2.10GHz", RunQueueSource::bpf, seconds(60),
                                       seconds(10)};

detector::Normal random_normal(std::mt19937& random) {
  std::uniform_real_distribution<double> part(0, 1);
  return {.level = part(random) * 4 - 2,
          .spread = part(random) / 3,
          .autocorrelation = part(random) * 0.9,
          .weight = 100 + 1000 * part(random),
          .as_of = kNow.mono - seconds(random() % 3600)};
}

interference::InterferenceState learned(unsigned seed) {
  std::mt19937 random(seed);
  interference::InterferenceState state;
  for (int i = 0; i < 40; ++i) {
    interference::Workload workload{.key = "shop/web-" + std::to_string(i) + "/server",
                                    .image = "registry/web:1." + std::to_string(i)};
    for (auto& normal : workload.normal)
      if (random() % 4 != 0) normal = random_normal(random);
    state.workloads.push_back(workload);
  }
  state.workloads.push_back({.key = "host/my database", .image = ""});
  state.workloads.back().normal[2] = random_normal(random);
  return state;
}

TEST(WorkloadCheckpoint, StallsOfTheLastDayAreKept) {
  interference::InterferenceState state;
  state.workloads.push_back({.key = "shop/web/server", .image = "web:1"});
  detector::StallDay& day = state.workloads[0].stalled_lately;
  day.add(0, 100, kNow.mono - hours(30));
  day.add(0, 7, kNow.mono - hours(20));
  day.add(2, 0.25, kNow.mono - hours(1));
  day.add(0, 3, kNow.mono);
  EXPECT_EQ(day.sum(kNow.mono), (detector::StallSeconds{10, 0, 0.25}));
  const auto text = history::workloads_text(state, kHere, kNow);
  // After a reboot: the monotonic clock restarts.
  const history::Moment later{MonoTime(seconds(90)), kNow.unix_seconds + 3600};
  interference::InterferenceState other;
  const auto read = history::read_workloads(text, kHere, later, other);
  EXPECT_EQ(read.corrupt, 0U);
  ASSERT_EQ(other.workloads.size(), 1U);
  EXPECT_EQ(other.workloads[0].key, "shop/web/server");
  EXPECT_EQ(other.workloads[0].stalled_lately.sum(later.mono), (detector::StallSeconds{10, 0, 0.25}));
  EXPECT_EQ(other.workloads[0].stalled_lately.sum(later.mono + hours(21))[0], 3);
  EXPECT_EQ(other.workloads[0].stalled_lately.sum(later.mono + hours(24)), detector::StallSeconds{});
}

TEST(WorkloadCheckpoint, ACorruptHourIsSkipped) {
  const history::HourlyStall hour{.workload = "a/b/c", .at = kNow.mono, .seconds = {1, 2, 3}};
  const auto line = history::stalled_line(hour, kNow);
  const auto read = history::parse_stalled_line(line, kNow);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->workload, "a/b/c");
  EXPECT_EQ(read->seconds, hour.seconds);
  for (std::size_t i = 0; i < line.size() - 1; ++i) {
    auto spoiled = line;
    spoiled[i] = static_cast<char>(spoiled[i] ^ 1);
    EXPECT_FALSE(history::parse_stalled_line(spoiled, kNow)) << spoiled;
  }
  EXPECT_FALSE(history::parse_stalled_line(sealed_line("stalled a/b/c - 1767225600 1 -2 3"), kNow));
  EXPECT_FALSE(history::parse_stalled_line(sealed_line("stalled a/b/c - 1767225600 1 nan 3"), kNow));
  EXPECT_FALSE(history::parse_stalled_line(sealed_line("stalled a/b/c - 1767225600 1 2"), kNow));
}

/// The same workload in another state; null: it has none.
const interference::Workload* same_in(const interference::InterferenceState& state,
                                      const interference::Workload& workload) {
  const auto found = std::ranges::find_if(state.workloads, [&](const interference::Workload& one) {
    return one.key == workload.key && one.image == workload.image;
  });
  return found == state.workloads.end() ? nullptr : &*found;
}

std::size_t normals_of(const interference::InterferenceState& state) {
  std::size_t count = 0;
  for (const auto& workload : state.workloads)
    count += static_cast<std::size_t>(
        std::ranges::count_if(workload.normal, [](const auto& n) { return n.has_value(); }));
  return count;
}

TEST(WorkloadCheckpoint, ReadBackItIsTheSame) {
  for (unsigned seed = 0; seed < 5; ++seed) {
    const auto before = learned(seed);
    const auto text = history::workloads_text(before, kHere, kNow);
    interference::InterferenceState after;
    const auto read = history::read_workloads(text, kHere, kNow, after);
    EXPECT_EQ(read.models, normals_of(before));
    EXPECT_EQ(read.corrupt + read.expired + read.incompatible, 0U);
    for (const interference::Workload& workload : before.workloads) {
      const interference::Workload* back = same_in(after, workload);
      ASSERT_NE(back, nullptr) << workload.key;
      for (std::size_t i = 0; i < kSignals; ++i)
        EXPECT_EQ(back->normal[i], workload.normal[i]) << workload.key;
    }
  }
}

TEST(WorkloadCheckpoint, BaselinesOfAnotherMethodAreDropped) {
  const auto before = learned(1);
  history::MeasurementMethod by = kHere;
  const auto read_by = [&](RunQueueSource waits) {
    interference::InterferenceState after;
    by.waits = waits;
    history::read_workloads(history::workloads_text(before, kHere, kNow), by, kNow, after);
    std::array<std::size_t, kSignals> known{};
    for (const interference::Workload& workload : after.workloads)
      for (std::size_t i = 0; i < kSignals; ++i) known[i] += workload.normal[i] ? 1 : 0;
    return known;
  };
  const auto all = read_by(RunQueueSource::bpf);
  EXPECT_GT(*std::ranges::min_element(all), 20U);
  EXPECT_EQ(read_by(RunQueueSource::none), (std::array<std::size_t, kSignals>{all[0], all[1], 0, 0, 0}));
  EXPECT_EQ(read_by(RunQueueSource::schedstat), read_by(RunQueueSource::none));
  by.stall_window = seconds(1);
  EXPECT_EQ(read_by(RunQueueSource::bpf), (std::array<std::size_t, kSignals>{all[0], all[1], 0, 0, 0}));
}

TEST(WorkloadCheckpoint, CycleCountsOfOtherCpusAreDropped) {
  const auto before = learned(1);
  interference::InterferenceState after;
  const auto read = history::read_workloads(history::workloads_text(before, kHere, kNow),
                                            {"Another CPU", kHere.waits}, kNow, after);
  EXPECT_GT(read.incompatible, 0U);
  EXPECT_EQ(read.models + read.incompatible, normals_of(before));
  for (const interference::Workload& workload : after.workloads) {
    EXPECT_FALSE(workload.normal[0] || workload.normal[1]) << workload.key;
    const interference::Workload* taught = same_in(before, workload);
    ASSERT_NE(taught, nullptr);
    for (std::size_t i = 2; i < kSignals; ++i)
      EXPECT_EQ(workload.normal[i], taught->normal[i]) << "waits hold";
  }
}

TEST(WorkloadCheckpoint, AgesContinueAcrossAReboot) {
  interference::InterferenceState before;
  before.workloads.push_back({.key = "a/b/c", .image = "i"});
  before.workloads[0].normal[2] =
      detector::Normal{.level = -3, .spread = 0.2, .weight = 100, .as_of = kNow.mono};
  const auto text = history::workloads_text(before, kHere, kNow);
  const auto after_days = [&](int days) {
    interference::InterferenceState after;
    const history::Moment rebooted{MonoTime(seconds(20)), kNow.unix_seconds + std::int64_t{days} * 86400};
    const auto read = history::read_workloads(text, kHere, rebooted, after);
    EXPECT_EQ(read.models + read.expired, 1U);
    if (read.models == 0) return 0.0;
    interference::Victim victim{};
    victim.of(Signal::run_queue_wait) = detector::VictimWatch(Signal::run_queue_wait);
    interference::teach(victim, after.workloads[0], false, rebooted.mono, {});
    return victim.of(Signal::run_queue_wait).model().normal().value_or(detector::Normal{}).weight;
  };
  EXPECT_NEAR(after_days(0), 100, 1e-6);
  EXPECT_NEAR(after_days(1), 50, 0.01) << "a day is the half life";
  EXPECT_NEAR(after_days(4), 6.25, 0.01) << "known, but not trusted";
  EXPECT_EQ(after_days(5), 0) << "fresh samples make a better one";
  EXPECT_EQ(after_days(40'000), 0);
  EXPECT_NEAR(after_days(-3), 100, 1e-6) << "a wall clock that was set back takes nothing away";
}

// --- file corruption
// -----------------------------------------------------------------------------------

TEST(WorkloadCheckpointProperty, ATornWriteCostsTheLinesBehindTheTear) {
  const auto text = history::workloads_text(learned(2), kHere, kNow);
  for (std::size_t size = 0; size < text.size(); size += 13) {
    const auto torn = std::string_view(text).substr(0, size);
    interference::InterferenceState after;
    const auto read = history::read_workloads(torn, kHere, kNow, after);
    const bool only_the_end = text[size] == '\n';
    const auto whole = static_cast<std::size_t>(std::ranges::count(torn, '\n')) + (only_the_end ? 1 : 0);
    EXPECT_EQ(read.models, whole);
    EXPECT_EQ(read.corrupt, only_the_end || torn.empty() || torn.ends_with('\n') ? 0U : 1U);
  }
}

TEST(WorkloadCheckpointProperty, AChangedByteCostsItsLine) {
  const auto text = history::workloads_text(learned(3), kHere, kNow);
  const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    auto damaged = text;
    auto& byte = damaged[random() % damaged.size()];
    const char changed = static_cast<char>(byte ^ static_cast<char>(1 + random() % 127));
    if (byte == '\n' || changed == '\n') continue;
    byte = changed;
    interference::InterferenceState after;
    const auto read = history::read_workloads(damaged, kHere, kNow, after);
    EXPECT_EQ(read.corrupt, 1U);
    EXPECT_EQ(read.models, lines - 1);
  }
}

TEST(WorkloadCheckpoint, AForeignFileUsesBoundedMemory) {
  std::string text;
  for (int i = 0; i < 9000; ++i)
    text += history::normal_line({.workload = "n/o/" + std::to_string(i),
                                  .image = "i",
                                  .by = "bpf@10000ms",
                                  .signal = Signal::run_queue_wait,
                                  .normal = {.level = -3, .spread = 0.1, .weight = 50, .as_of = kNow.mono}},
                                 kNow);
  interference::InterferenceState after;
  history::read_workloads(text, kHere, kNow, after);
  EXPECT_EQ(after.workloads.size(), interference::kMaxWorkloads);
}

// --- one line
// ------------------------------------------------------------------------------------------------

bool reads(std::string_view body) { return history::parse_normal_line(sealed_line(body), kNow).has_value(); }

TEST(WorkloadCheckpointLine, HasTheDocumentedFormat) {
  const auto read = history::parse_normal_line(
      sealed_line("1 shop/web/server reg/web:2 Some%20CPU cpi 1767225540 0.25 0.125 0.5 300"), kNow);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->workload, "shop/web/server");
  EXPECT_EQ(read->image, "reg/web:2");
  EXPECT_EQ(read->by, "Some CPU");
  EXPECT_EQ(read->signal, Signal::cpi);
  EXPECT_EQ(read->normal, (detector::Normal{0.25, 0.125, 0.5, 300, kNow.mono - seconds(60)}));
}

TEST(WorkloadCheckpointLine, AnyWordReadsBack) {
  for (const std::string word : {"", "-", "a b", "50%", "%20", "line\nend", "\xff\x01", "ümlaut", "a/b/c"}) {
    const history::WorkloadBaseline one{"w" + word, word, word, Signal::cpi, {0, 0, 0, 1, kNow.mono}};
    const auto line = history::normal_line(one, kNow);
    EXPECT_EQ(std::ranges::count(line, '\n'), 1);
    const auto back = history::parse_normal_line(line, kNow);
    ASSERT_TRUE(back) << line;
    EXPECT_EQ(back->workload, one.workload);
    EXPECT_EQ(back->image, word);
    EXPECT_EQ(back->by, word);
  }
}

TEST(WorkloadCheckpointLine, RejectsEveryMalformedLine) {
  ASSERT_TRUE(reads("1 w - - cpi 2 0.1 0.1 0.1 9"));
  for (const auto* body : {"",
                           "1",
                           "2 w - - cpi 2 0.1 0.1 0.1 9",
                           "1 w - - cpi 2 0.1 0.1 0.1",
                           "1 w - - cpi 2 0.1 0.1 0.1 9 9",
                           "1 - - - cpi 2 0.1 0.1 0.1 9",
                           "1 w% - - cpi 2 0.1 0.1 0.1 9",
                           "1 w%2 - - cpi 2 0.1 0.1 0.1 9",
                           "1 w%2g - - cpi 2 0.1 0.1 0.1 9",
                           "1 w - - ipc 2 0.1 0.1 0.1 9",
                           "1 w - - cpi -2 0.1 0.1 0.1 9",
                           "1 w - - cpi x 0.1 0.1 0.1 9",
                           "1 w - - cpi 2 nan 0.1 0.1 9",
                           "1 w - - cpi 2 inf 0.1 0.1 9",
                           "1 w - - cpi 2 51 0.1 0.1 9",
                           "1 w - - cpi 2 0.1 -0.1 0.1 9",
                           "1 w - - cpi 2 0.1 0.1 1.1 9",
                           "1 w - - cpi 2 0.1 0.1 0.1 -9",
                           "1 w - - cpi 2 0.1 0.1 0.1 1e13",
                           "1 w - - cpi 2 0.1 0.1 0.1 9x"})
    EXPECT_FALSE(reads(body)) << body;
  for (const auto& text : test::malformed_texts()) EXPECT_FALSE(history::parse_normal_line(text, kNow));
  const auto good = sealed_line("1 w - - cpi 2 0.1 0.1 0.1 9");
  for (const auto text : test::truncations(good)) EXPECT_FALSE(history::parse_normal_line(text, kNow));
}

}  // namespace
}  // namespace evenkeel
