#include "agent/history/workload_checkpoint.h"
#include "qos/interference/roster.h"
#include "tests/fuzz/fuzz.h"

using namespace evenkeel;
using fuzz::promise;

namespace {

constexpr history::Moment kNow{MonoTime(std::chrono::hours(1000)), 1'767'225'600};

void check_line(std::string_view line) {
  const auto read = history::parse_normal_line(line, kNow);
  if (!read) return;
  const auto again = history::parse_normal_line(history::normal_line(*read, kNow), kNow);
  promise(again && again->workload == read->workload && again->image == read->image &&
          again->by == read->by && again->signal == read->signal && again->normal == read->normal);
}

/// Whether the line is of this kind.
bool check_stalled(std::string_view line) {
  const auto read = history::parse_stalled_line(line, kNow);
  if (!read) return false;
  const auto again = history::parse_stalled_line(history::stalled_line(*read, kNow), kNow);
  promise(again && again->workload == read->workload && again->image == read->image &&
          again->at == read->at && again->seconds == read->seconds && read->at <= kNow.mono);
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  // Random inputs hardly ever have the right checksum: the first line is given one.
  const auto sealed = sealed_line(text.substr(0, text.find('\n')));
  check_line(sealed);
  const std::size_t stalled = check_stalled(sealed) ? 1 : 0;
  interference::InterferenceState state;
  const auto read =
      history::read_workloads(sealed + std::string(text), {"CPU", RunQueueSource::bpf}, kNow, state);
  promise(state.workloads.size() <= read.models + stalled);
  for (const interference::Workload& workload : state.workloads) {
    interference::Victim victim{};
    for (std::size_t i = 0; i < kSignals; ++i)
      victim.watch[i] = detector::VictimWatch(static_cast<Signal>(i));
    interference::teach(victim, workload, true, kNow.mono, {});
    for (detector::VictimWatch& watch : victim.watch) {
      watch.model().learn(1.5, kNow.mono + std::chrono::seconds(10), {});
      promise(watch.model().usual() >= 0 && watch.model().threshold({}) >= watch.model().usual());
    }
  }
  return 0;
}
