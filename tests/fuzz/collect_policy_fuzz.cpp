#include "agent/history/usage_history.h"
#include "agent/lender/lending.h"
#include "tests/fuzz/fuzz.h"

using namespace evenkeel;
using fuzz::promise;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto policy = lender::collect_policy_in(fuzz::text_of(data, size));
  if (!policy) return 0;
  ColocationStrategy strategy;
  lender::apply_collect_policy(*policy, strategy);
  promise(strategy.metric_aggregate_duration_seconds >= 60);
  promise(strategy.metric_report_interval_seconds >= 30);
  promise(strategy.metric_aggregate_durations.size() <= 8);
  for (const auto window : strategy.metric_aggregate_durations)
    promise(window > Duration::zero() && window <= history::kLongestWindow);
  // Applying the accepted configuration again is accepted without a message.
  const ColocationStrategy before = strategy;
  lender::apply_collect_policy(*policy, strategy);
  promise(strategy.metric_aggregate_durations == before.metric_aggregate_durations);
  return 0;
}
