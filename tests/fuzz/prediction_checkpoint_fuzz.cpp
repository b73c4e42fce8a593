#include "agent/history/prediction_checkpoint.h"
#include "tests/fuzz/fuzz.h"

using namespace evenkeel;
using fuzz::promise;

namespace {

constexpr history::Moment kNow{MonoTime(std::chrono::hours(1000)), 1'767'225'600};

void check_line(std::string_view line) {
  const auto read = history::parse_model_line(line, kNow);
  if (!read) return;
  const auto again = history::parse_model_line(history::model_line(read->key, read->model, kNow), kNow);
  promise(again && again->key == read->key && again->model.since == read->model.since &&
          again->model.cpu.weights() == read->model.cpu.weights() &&
          again->model.memory.weights() == read->model.memory.weights());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  // Random inputs hardly ever have the right checksum: the first line is given one.
  const auto sealed = sealed_line(text.substr(0, text.find('\n')));
  check_line(sealed);
  lending::PeakPredictor predictor;
  const auto read = history::read_checkpoint(sealed + std::string(text), kNow, {}, predictor);
  promise(predictor.models().size() <= read.models);
  for (const auto& [key, model] : predictor.models()) {
    const auto low = predictor.predict(key, {0, 0});
    const auto high = predictor.predict(key, {1, 1});
    promise(low.cpu <= high.cpu && low.memory <= high.memory);
  }
  return 0;
}
