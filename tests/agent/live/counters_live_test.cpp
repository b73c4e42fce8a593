// Tests the program with real hardware counters: cycles per instruction of a container as a metric.
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <thread>

#include "tests/support/agents/stepped_agent.h"
#include "tests/support/live/agent_args.h"
#include "tests/support/live/live_cgroups.h"
#include "tests/support/live/live_pod.h"
#include "tests/support/live/modelled_cache.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {

using namespace std::chrono_literals;

constexpr const char *kRotating = "rotating", *kPerCpu = "perCPU";

/// With each counter backend.
class LiveCpi : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!cgroups_.why_not().empty()) GTEST_SKIP() << cgroups_.why_not();
    // The reader must not share the service's cache.
    if (cache_is_modelled()) {
      ASSERT_TRUE(pin(0, 0));
    }
    for (const auto& path : {kService, kBatch}) cgroups_.make(path);
    std::ofstream(dir_.path + "/nodeslo.yaml")
        << "extensions: {evenkeel: {interference: {enable: true, counterWindow: 1s, counterPeriod: 1s, "
        << "counterBackend: " << GetParam() << "}}}\n";
    agent_.emplace(stepped_args(cgroups_, dir_, kPodsByCgroup));
    agent_->advance();
    const auto why = said("evenkeel_counter_backend\\{backend=\"none\",why=\"([^\"]+)\"\\}");
    if (!why.empty()) GTEST_SKIP() << why;
    const auto way = said("evenkeel_counter_backend\\{backend=\"([a-z_]+)\"");
    std::printf("counted: %s\n", way.c_str());
    ASSERT_EQ(way, GetParam() == kRotating ? "rotating" : "per_cpu");
  }
  /// The first group of the pattern in the metrics; empty: no match.
  std::string said(const std::string& pattern) {
    const std::string text = agent_->metrics();
    std::smatch found;
    return std::regex_search(text, found, std::regex(pattern)) ? found[1].str() : std::string();
  }
  /// CPI of the newest window that began after this moment; below zero: none.
  double cpi_of(const std::string& path) {
    for (int i = 0; i < 4; ++i) {  // two ticks end a window and start the next
      std::this_thread::sleep_for(1s);
      agent_->advance();
    }
    const auto text = said("evenkeel_container_cpi\\{cgroup=\"" + cgroups_.top() + "/" + path +
                           "\",pod=\"[^\"]*\"\\} ([0-9.e+-]+)");
    return text.empty() ? -1 : std::stod(text);
  }

  const std::string kService = "kubepods/burstable/podaaaaaaaa-0000-0000-0000-000000000001/c1";
  const std::string kBatch = "kubepods/besteffort/podaaaaaaaa-0000-0000-0000-000000000002/c2";
  LiveCgroups cgroups_{};
  StateDir dir_{};
  std::optional<SteppedAgent> agent_{};
};

TEST_P(LiveCpi, IsAMetricOfTheContainer) {
  const LiveProcess service(cgroups_, kService, Manner::spins);
  const double cpi = cpi_of(kService);
  std::printf("cycles per instruction: %.3f\n", cpi);
  EXPECT_GT(cpi, 0.1);
  EXPECT_LT(cpi, 20);
  EXPECT_LT(cpi_of(kBatch), 0);  // no task runs there, so it has no value
}

// The emulated machine of tests/run resctrl slows a CPU whose neighbour shares its cache: 1.0 cycles per
// instruction alone, 3.0 beside a busy CPU.
TEST_P(LiveCpi, ACacheNeighbourRaisesIt) {
  if (!cache_is_modelled()) GTEST_SKIP() << kNoModelledCache;
  const LiveProcess service(cgroups_, kService, Manner::spins);
  const double alone = cpi_of(kService);
  const LiveProcess batch(cgroups_, kBatch, Manner::spins);
  ASSERT_TRUE(pin(batch.pid(), 1));
  const double beside = cpi_of(kService);
  std::printf("cycles per instruction: %.3f alone, %.3f beside a neighbour\n", alone, beside);
  EXPECT_NEAR(alone, 1.1, 0.2);
  EXPECT_NEAR(beside, 3.0, 0.3);
}

INSTANTIATE_TEST_SUITE_P(Live, LiveCpi, testing::Values(kRotating, kPerCpu),
                         [](const auto& way) { return std::string(way.param); });

}  // namespace
}  // namespace evenkeel::test
