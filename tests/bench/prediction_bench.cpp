// Benchmarks the peak predictor with five hundred pods: memory, a training round, a checkpoint, a restart.
#include <malloc.h>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <random>

#include "agent/history/prediction_checkpoint.h"
#include "agent/runtime/files.h"
#include "tests/support/alloc_guard.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {

constexpr int kPods = 500, kHours = 36;
constexpr PredictionSettings kSettings{};
constexpr MonoTime kStart{std::chrono::hours(100)};

/// CPU time, unaffected by other load on the machine.
template <class F>
double milliseconds(F&& f) {
  const auto from = std::clock();
  f();
  return 1e3 * static_cast<double>(std::clock() - from) / CLOCKS_PER_SEC;
}

lending::TrainingRound first_round() {
  lending::TrainingRound round{.node = Usage{MilliCpu(128000), Bytes(1LL << 40)}, .pods = {}};
  for (int i = 0; i < kPods; ++i)
    round.pods.push_back({.uid = "11111111-aaaa-bbbb-cccc-000000000" + std::to_string(100 + i),
                          .priority_class = PriorityClass::prod});
  return round;
}

void next_round(lending::TrainingRound& round, std::mt19937& random) {
  std::lognormal_distribution<double> noise(0, 0.5);
  for (auto& pod : round.pods)
    pod.usage = {MilliCpu(static_cast<int>(250 * noise(random))),
                 Bytes(static_cast<int>(3e8 * noise(random)))};
}

void run() {
  std::mt19937 random(1);
  auto round = first_round();
  next_round(round, random);
  lending::PeakPredictor predictor;
  const auto heap_before = ::mallinfo2().uordblks;
  predictor.train(round, kSettings, kStart);
  const auto heap = ::mallinfo2().uordblks - heap_before;
  const auto models = predictor.models().size();
  std::printf("%d pods, %zu models of %zu bytes; with uid and map node %zu bytes each\n", kPods, models,
              lending::kBytesPerModel, heap / models);
  double training = 0;
  auto now = kStart;
  const AllocGuard guard;
  for (int minute = 0; minute < kHours * 60; ++minute) {
    next_round(round, random);
    now += std::chrono::minutes(1);
    training += milliseconds([&] { predictor.train(round, kSettings, now); });
  }
  std::printf("a training round: %.3f ms, %zu allocations in %d hours\n", training / (kHours * 60),
              guard.allocations(), kHours);

  const history::Moment moment{now, 1'767'225'600};
  std::string text;
  const auto writing = milliseconds([&] { text = history::checkpoint_text(predictor, moment); });
  const StateDir state;
  runtime::StateFile file(state.path + "/prediction");
  const auto begin = milliseconds([&] { file.begin(text); });
  const auto finish = milliseconds([&] { static_cast<void>(file.finish()); });
  std::printf("a checkpoint: %zu bytes, %zu each; text %.2f ms, begin %.2f ms, finish %.2f ms\n", text.size(),
              text.size() / models, writing, begin, finish);
  lending::PeakPredictor back;
  history::CheckpointStats read;
  const auto reading = milliseconds([&] { read = history::read_checkpoint(text, moment, kSettings, back); });
  std::printf("coming back: %zu models in %.2f ms\n", read.models, reading);
}

}  // namespace
}  // namespace evenkeel::test

int main() { evenkeel::test::run(); }
