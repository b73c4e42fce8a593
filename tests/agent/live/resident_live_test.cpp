// Tests how much memory the agent takes on a full node, with the features on CPU and with all.
// $EVENKEEL_BINARY chooses the program: `./tests/run image` gives the static one, which package and image
// contain.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <thread>

#include "agent/http/http_client.h"
#include "tests/support/live/agent_args.h"
#include "tests/support/live/live_agent.h"
#include "tests/support/live/live_population.h"
#include "tests/support/rounds.h"
#include "tests/support/scenes/loop_settings.h"
#include "tests/support/scenes/nodeslo_texts.h"

namespace evenkeel::test {
namespace {

using namespace std::chrono_literals;

constexpr int kPods = 110;  ///< of three containers each

bool uses_shared_libraries(pid_t pid) {
  std::ifstream maps("/proc/" + std::to_string(pid) + "/maps");
  return std::string(std::istreambuf_iterator<char>(maps), {}).find("/libc.so") != std::string::npos;
}

/// libcurl's own libraries touch some 10 MiB.
struct Bound {
  long static_mib, shared_mib;
};

void stays_within(const Bound& bound, const std::string& nodeslo) {
#ifdef EVENKEEL_WATCHED
  GTEST_SKIP() << "sanitizers need memory of their own";
#endif
  LiveCgroups cgroups;
  if (!cgroups.why_not().empty()) GTEST_SKIP() << cgroups.why_not();
  const Population pods = populate(cgroups, kPods);
  give_cpus(cgroups);
  const StateDir dir;
  std::ofstream(dir.path + "/pods.yaml") << pod_list_of(pods);
  std::ofstream(dir.path + "/nodeslo.yaml") << nodeslo;
  auto args = stepped_args(cgroups, dir);
  args.insert(args.end(), {"--listen", "127.0.0.1:0"});
  LiveAgent agent(args);
  const std::string url = agent.url();
  ASSERT_FALSE(url.empty()) << agent.log();
  long most = 0;
  for (int second = 0; second < 8; ++second) {
    std::this_thread::sleep_for(1s);
    for (const char* page : {"/metrics", "/v1/explain"})
      EXPECT_EQ(http::http_get(url + page).status, 200) << page;
    most = std::max(most, agent.resident_kib());
  }
  const bool shared = uses_shared_libraries(agent.pid());
  agent.stop();
  EXPECT_EQ(agent.exit_status(), 0) << agent.log();
  std::printf("at most %.1f MiB resident, %s\n", static_cast<double>(most) / 1024,
              shared ? "with shared libraries" : "the static program");
  EXPECT_LT(most / 1024, shared ? bound.shared_mib : bound.static_mib);
}

TEST(LiveResident, CpuFeaturesOf330ContainersStayWithinTheBound) {
  stays_within({.static_mib = 14, .shared_mib = 26}, kCpuFeatures);
}

TEST(LiveResident, AllFeaturesOf330ContainersStayWithinTheBound) {
  stays_within({.static_mib = 18, .shared_mib = 31}, nodeslo_of(settings_for_this_machine()));
}

}  // namespace
}  // namespace evenkeel::test
