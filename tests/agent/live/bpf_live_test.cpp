// Tests that the BPF programs load: on this machine if it permits BPF, in the guests always.
#include <gtest/gtest.h>

#include "collectors/counters/cpu_counters.h"
#include "tests/support/live/counting_node.h"
#include "tests/support/live/guest_kernel.h"
#include "tests/support/live/run_queue_node.h"

namespace evenkeel::test {
namespace {

TEST(LiveBpf, RunQueueWaitsAreMeasured) {
  RunQueueNode node({"aa"});
  if (!node.cgroups().why_not().empty()) GTEST_SKIP() << node.cgroups().why_not();
  if (const auto why = node.why_not(); !why.empty()) GTEST_SKIP() << why;
  EXPECT_EQ(node.node().run_queue.source, RunQueueSource::bpf);
}

TEST(LiveBpf, CountersOfCpusAreAccountedToCgroups) {
  CountingNode node({"aa"});
  if (!node.why_not().empty()) GTEST_SKIP() << node.why_not();
  if (stand_in().empty()) GTEST_SKIP() << "no msr events on this machine";
  auto groups = counters::open_cpu_groups(node.node().topology, stand_in());
  if (!groups) GTEST_SKIP() << "perf events: " << errno_name(groups.error().code);
  const auto counters = counters::CpuCounters::start(
      {.unified = node.cgroups().layout().v2(Controller::cpu), .cgroups = 8}, std::move(*groups));
  if (!counters) GTEST_SKIP() << no_programs(std::string("BPF: ") + errno_name(counters.error().code));
  EXPECT_EQ(node.begin(CounterBackend::per_cpu, stand_in()), "");
}

}  // namespace
}  // namespace evenkeel::test
