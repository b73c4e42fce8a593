// Tests the predictor's checkpoint across files, reboots and file corruption.
#include "agent/history/prediction_checkpoint.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "agent/runtime/files.h"
#include "cgroup/base/text.h"
#include "tests/support/malformed.h"
#include "tests/support/state_dir.h"

namespace evenkeel {
namespace {

using namespace literals;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr PredictionSettings kSettings{};
constexpr history::Moment kNow{MonoTime(hours(500)), 1'767'225'600};

history::Moment later(history::Moment moment, seconds by) {
  return {moment.mono + by, moment.unix_seconds + by.count()};
}

/// A day and a half of twenty pods with different load patterns.
lending::PeakPredictor learned(unsigned seed) {
  std::mt19937 random(seed);
  std::lognormal_distribution<double> noise(0, 0.7);
  lending::PeakPredictor predictor;
  for (auto at = kNow.mono - hours(36); at <= kNow.mono; at += minutes(10)) {
    lending::TrainingRound round{.node = Usage{16000_mcpu, 32768_MiB}, .pods = {}};
    for (int i = 0; i < 20; ++i)
      round.pods.push_back({.uid = "pod-" + std::to_string(i),
                            .priority_class = i % 3 == 0 ? PriorityClass::batch : PriorityClass::prod,
                            .usage = {MilliCpu(static_cast<int>(noise(random) * 300 * (i + 1))),
                                      Bytes(static_cast<std::int64_t>(noise(random) * 1e8 * (i + 1)))}});
    predictor.train(round, kSettings, at);
  }
  return predictor;
}

void expect_same_predictions(const lending::PeakPredictor& a, const lending::PeakPredictor& b) {
  ASSERT_EQ(a.models().size(), b.models().size());
  for (const auto& [key, model] : a.models()) {
    for (const double level : {0.0, 0.1, 0.5, 0.9, 0.95, 0.98, 1.0})
      EXPECT_EQ(a.predict(key, {level, level}), b.predict(key, {level, level})) << key << ' ' << level;
    ASSERT_NE(b.find(key), nullptr);
    EXPECT_EQ(b.find(key)->since, model.since) << key;
  }
}

TEST(PredictionCheckpoint, ReadBackItPredictsTheSame) {
  for (unsigned seed = 0; seed < 5; ++seed) {
    const auto before = learned(seed);
    lending::PeakPredictor after;
    const auto read =
        history::read_checkpoint(history::checkpoint_text(before, kNow), kNow, kSettings, after);
    EXPECT_EQ(read.models, before.models().size());
    EXPECT_EQ(read.corrupt + read.expired, 0U);
    expect_same_predictions(before, after);
    for (const auto& [key, model] : before.models()) {
      EXPECT_EQ(after.find(key)->cpu.weights(), model.cpu.weights()) << "to the last bit";
      EXPECT_EQ(after.find(key)->memory.weights(), model.memory.weights());
      EXPECT_EQ(after.find(key)->cpu.total(), model.cpu.total());
    }
    EXPECT_EQ(history::checkpoint_text(after, kNow), history::checkpoint_text(before, kNow));
  }
}

TEST(PredictionCheckpoint, SurvivesAReboot) {
  const auto before = learned(1);
  const auto text = history::checkpoint_text(before, kNow);
  const history::Moment rebooted{MonoTime(seconds(20)), kNow.unix_seconds + 12 * 3600};
  lending::PeakPredictor after;
  history::read_checkpoint(text, rebooted, kSettings, after);
  const auto& old = before.find("pod-7")->cpu;
  EXPECT_NEAR(after.find("pod-7")->cpu.total(), old.total() / 2, old.total() * 1e-5) << "half a day off";
  EXPECT_EQ(after.predict("pod-7"), before.predict("pod-7"));
  EXPECT_EQ(rebooted.mono - after.find("pod-7")->since, hours(48));
  // New measurements must have the right weight beside the old ones.
  after.train({.node = {}, .pods = {{.uid = "pod-7", .usage = {1_mcpu, 1_B}}}}, kSettings,
              rebooted.mono + hours(12));
  EXPECT_NEAR(after.find("pod-7")->cpu.total(), old.total() / 4 + 1, old.total() * 1e-5);
}

TEST(PredictionCheckpoint, AWallClockSetBackLosesNothing) {
  const auto before = learned(1);
  lending::PeakPredictor after;
  const history::Moment confused{MonoTime(seconds(20)), 60};
  history::read_checkpoint(history::checkpoint_text(before, kNow), confused, kSettings, after);
  EXPECT_EQ(after.find("pod-7")->cpu.total(), before.find("pod-7")->cpu.total());
  EXPECT_EQ(after.find("pod-7")->since, confused.mono);
  // A checkpoint saved under such a clock must be readable too.
  lending::PeakPredictor again;
  EXPECT_EQ(
      history::read_checkpoint(history::checkpoint_text(after, confused), confused, kSettings, again).corrupt,
      0U);
}

TEST(PredictionCheckpoint, ModelsThatAreTooOldAreDropped) {
  const auto text = history::checkpoint_text(learned(1), kNow);
  lending::PeakPredictor after;
  const auto read = history::read_checkpoint(text, later(kNow, hours(24 * 90)), kSettings, after);
  EXPECT_EQ(read.expired, 27U);
  EXPECT_EQ(read.models + read.corrupt, 0U);
  EXPECT_TRUE(after.models().empty());
}

TEST(PredictionCheckpoint, HistogramsOfOneResourceAlone) {
  lending::PeakPredictor before;
  before.train({.node = {},
                .pods = {{.uid = "a", .usage = {.cpu = 500_mcpu}}, {.uid = "b", .usage = {.memory = 9_MiB}}}},
               kSettings, kNow.mono);
  lending::PeakPredictor after;
  history::read_checkpoint(history::checkpoint_text(before, kNow), kNow, kSettings, after);
  EXPECT_EQ(after.predict("a"), (Usage{.cpu = 539_mcpu}));
  EXPECT_EQ(after.predict("b").cpu, std::nullopt);
  EXPECT_EQ(after.predict("b"), before.predict("b"));
}

// --- file corruption
// -----------------------------------------------------------------------------------

TEST(PredictionCheckpoint, ATornWriteCostsTheLinesBehindTheTear) {
  const auto text = history::checkpoint_text(learned(2), kNow);
  for (std::size_t size = 0; size < text.size(); size += 97) {
    const auto torn = std::string_view(text).substr(0, size);
    lending::PeakPredictor after;
    const auto read = history::read_checkpoint(torn, kNow, kSettings, after);
    const auto whole_lines = static_cast<std::size_t>(std::count(torn.begin(), torn.end(), '\n'));
    EXPECT_EQ(read.models, whole_lines);
    EXPECT_EQ(read.corrupt, torn.empty() || torn.ends_with('\n') ? 0U : 1U);
  }
}

TEST(PredictionCheckpoint, AChangedByteCostsItsLine) {
  const auto text = history::checkpoint_text(learned(3), kNow);
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    auto damaged = text;
    auto& byte = damaged[random() % damaged.size()];
    if (byte == '\n') continue;
    byte = static_cast<char>(byte ^ static_cast<char>(1 + random() % 127));
    if (byte == '\n') continue;
    lending::PeakPredictor after;
    const auto read = history::read_checkpoint(damaged, kNow, kSettings, after);
    EXPECT_EQ(read.corrupt, 1U);
    EXPECT_EQ(read.models, 26U);
  }
}

TEST(PredictionCheckpoint, ABlockOfZerosCostsItsLines) {
  auto text = history::checkpoint_text(learned(3), kNow);
  ASSERT_GT(text.size(), 8192U);
  std::fill_n(text.begin() + 4096, 4096, '\0');
  lending::PeakPredictor after;
  const auto read = history::read_checkpoint(text, kNow, kSettings, after);
  EXPECT_GT(read.models, 0U);
  EXPECT_EQ(read.corrupt, 1U) << "all the zeros are one line";
}

TEST(PredictionCheckpoint, ThroughTheDisk) {
  const test::StateDir state;
  runtime::StateFile file(state.path + "/prediction");
  const auto before = learned(4);
  file.begin(history::checkpoint_text(before, kNow));
  ASSERT_TRUE(file.finish());
  lending::PeakPredictor after;
  history::read_checkpoint(*runtime::read_state_file(file.path()), kNow, kSettings, after);
  expect_same_predictions(before, after);
}

TEST(PredictionCheckpoint, AForeignFileUsesBoundedMemory) {
  lending::PeakPredictor few;
  few.train({.node = {}, .pods = {{.uid = "p", .usage = {.cpu = 1_mcpu}}}}, kSettings, kNow.mono);
  std::string text;
  for (int i = 0; i < 5000; ++i)
    text += history::model_line("pod-" + std::to_string(i), *few.find("p"), kNow);
  lending::PeakPredictor after;
  EXPECT_EQ(history::read_checkpoint(text, kNow, kSettings, after).models, history::kMostModels);
}

// --- one line
// ------------------------------------------------------------------------------------------------

std::string sealed(const std::string& body) { return checksum_text(body) + ' ' + body; }

TEST(PredictionCheckpointLine, HasTheDocumentedFormat) {
  const auto read =
      history::parse_model_line(sealed("1 ab-C9 1767220000 1767225540 0:1.5,157:2 1767225000 -"), kNow);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->key, "ab-C9");
  EXPECT_EQ(kNow.mono - read->model.since, seconds(5600));
  EXPECT_EQ(kNow.mono - read->model.cpu.as_of(), seconds(60));
  EXPECT_EQ(read->model.cpu.weights()[0], 1.5F);
  EXPECT_EQ(read->model.cpu.weights()[157], 2.0F);
  EXPECT_EQ(kNow.mono - read->model.memory.as_of(), seconds(600));
  EXPECT_TRUE(read->model.memory.empty());
}

TEST(PredictionCheckpointLine, RejectsEveryMalformedLine) {
  ASSERT_TRUE(history::parse_model_line(sealed("1 p 1 2 0:1 3 0:1"), kNow));
  for (const auto* body : {"",
                           "1",
                           "1 p",
                           "1 p 1 2 0:1 3",
                           "2 p 1 2 0:1 3 0:1",
                           "1 p 1 2 0:1 3 0:1 4",
                           "1 p/q 1 2 0:1 3 0:1",
                           "1 @nobody 1 2 0:1 3 0:1",
                           "1 a_b 1 2 0:1 3 0:1",
                           "1 p -1 2 0:1 3 0:1",
                           "1 p 1.5 2 0:1 3 0:1",
                           "1 p x 2 0:1 3 0:1",
                           "1 p 1 253402300800 0:1 3 0:1",
                           "1 p 1 99999999999999999999 0:1 3 0:1",
                           "1 p 1 2 158:1 3 0:1",
                           "1 p 1 2 0:1 3 205:1",
                           "1 p 1 2 0:0 3 0:1",
                           "1 p 1 2 0:-1 3 0:1",
                           "1 p 1 2 0:nan 3 0:1",
                           "1 p 1 2 0:inf 3 0:1",
                           "1 p 1 2 0:1e10 3 0:1",
                           "1 p 1 2 0:1e-60 3 0:1",
                           "1 p 1 2 0: 3 0:1",
                           "1 p 1 2 :1 3 0:1",
                           "1 p 1 2 0 3 0:1",
                           "1 p 1 2 0:1, 3 0:1",
                           "1 p 1 2 ,0:1 3 0:1",
                           "1 p 1 2 1:1,0:1 3 0:1",
                           "1 p 1 2 0:1,0:1 3 0:1",
                           "1 p 1 2 0:1;1:1 3 0:1",
                           "1 p 1 2 -0:1 3 0:1",
                           "1 p 1 2 18446744073709551616:1 3 0:1",
                           "1 p 1 2 -- 3 0:1"})
    EXPECT_FALSE(history::parse_model_line(sealed(body), kNow)) << body;
  EXPECT_FALSE(history::parse_model_line(sealed("1 " + std::string(129, 'p') + " 1 2 0:1 3 0:1"), kNow));
  for (const auto& text : test::malformed_texts()) EXPECT_FALSE(history::parse_model_line(text, kNow));
  const auto good = sealed("1 p 1 2 0:1 3 0:1");
  for (const auto text : test::truncations(good)) EXPECT_FALSE(history::parse_model_line(text, kNow));
}

TEST(PredictionCheckpointLine, AModelIsSmallOnDiskToo) {
  const auto predictor = learned(5);
  const auto text = history::checkpoint_text(predictor, kNow);
  EXPECT_LT(text.size() / predictor.models().size(), 2048U);
  // The worst case: every bucket of both histograms in use.
  lending::DecayingHistogram<lending::kCpuScale>::Weights cpu{};
  lending::DecayingHistogram<lending::kMemoryScale>::Weights memory{};
  cpu.fill(1.2345678e-3F);
  memory.fill(1.2345678e-3F);
  const lending::PeakModel full{.cpu = {cpu, kNow.mono}, .memory = {memory, kNow.mono}, .since = kNow.mono};
  EXPECT_LT(history::model_line(std::string(36, 'u'), full, kNow).size(), 6144U);
}

}  // namespace
}  // namespace evenkeel
