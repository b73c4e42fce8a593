// The whole program on a full node whose kubelet lists, of each pod, as much as a tenant can have stored: its
// memory stays within the DaemonSet's limit, its ticks in time, and its health is answered meanwhile.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "tests/support/fakes/http_script.h"
#include "tests/support/fakes/kubelet_texts.h"
#include "tests/support/health_watch.h"
#include "tests/support/live/live_agent.h"
#include "tests/support/live/live_population.h"
#include "tests/support/process.h"
#include "tests/support/rounds.h"
#include "tests/support/scenes/nodeslo_texts.h"
#include "tests/support/soon.h"
#include "tests/support/state_dir.h"

namespace evenkeel::test {
namespace {

using namespace std::chrono_literals;

constexpr int kPods = 110;           ///< of three containers each that run
constexpr int kListed = 256;         ///< containers of each in the list
constexpr auto kWatched = 20s;       ///< while the list arrives again and again
constexpr auto kSlowestHealth = 2s;  ///< of a machine whose CPUs the kubelet and other tests use as well
constexpr long kMostMissed = 3;      ///< ticks of one second each

long limit_mib() {
  const std::string text = text_of_file(EVENKEEL_SOURCE_DIR "/deploy/kustomize/base/daemonset.yaml");
  std::smatch found;
  const std::regex limit(R"(limits: \{memory: ([0-9]+)Mi\})");
  return std::regex_search(text, found, limit) ? std::stol(found[1]) : 0;
}

/// The most that the process ever had.
long peak_kib(pid_t pid) {
  const std::string status = text_of_file("/proc/" + std::to_string(pid) + "/status");
  const auto at = status.find("VmHWM:");
  return at == std::string::npos ? 0 : std::strtol(status.c_str() + at + 6, nullptr, 10);
}

std::string object(const char* key, int count, const std::string& value) {
  std::string out;
  for (int i = 0; i < count; ++i)
    out += (i > 0 ? ",\"" : "{\"") + std::string(key) + std::to_string(i) + "\":\"" + value + "\"";
  return out + "}";
}

/// 256 labels and containers, 16 annotations that are read and one of a mebibyte that is not.
PodText hostile(int number, const std::string& cgroup) {
  static const std::string labels = object("koordinator.sh/x", 256, std::string(63, 'x'));
  static const std::string annotations = R"({"example.com/x":")" + std::string(1 << 20, 'x') + R"(",)" +
                                         object("koordinator.sh/x", 16, std::string(16000, 'x')).substr(1);
  PodText pod{.uid = cgroup.substr(cgroup.rfind("/pod") + 4),
              .name = "hostile-" + std::to_string(number),
              .labels = labels,
              .annotations = annotations,
              .qos = cgroup.find("besteffort") == std::string::npos ? "Burstable" : "BestEffort",
              .resources = R"({"limits":{"cpu":"1"}})"};
  for (int i = 0; i < kListed; ++i) pod.container_ids.push_back("c" + std::to_string(i));
  return pod;
}

/// The answer is made while it is sent: this process has no room for all of it either.
void answer(const std::vector<std::string>& cgroups, Exchange& exchange) {
  exchange.send(chunked_head() + chunk(R"({"kind":"PodList","apiVersion":"v1","metadata":{},"items":[)"));
  int number = 0;
  for (const auto& cgroup : cgroups) {
    const std::string comma = number > 0 ? "," : "";
    if (!exchange.send(chunk(comma + pod_json(hostile(number++, cgroup))))) return;
  }
  exchange.send(chunk("]}") + "0\r\n\r\n");
}

TEST(LiveHostilePods, AFullNodesListLeavesMemoryTicksAndHealthAsTheyAre) {
#ifdef EVENKEEL_WATCHED
  GTEST_SKIP() << "sanitizers need memory and time of their own";
#endif
  LiveCgroups cgroups;
  if (!cgroups.why_not().empty()) GTEST_SKIP() << cgroups.why_not();
  const Population pods = populate(cgroups, kPods);
  std::vector<std::string> all = pods.services;
  all.insert(all.end(), pods.batches.begin(), pods.batches.end());
  const StateDir dir;
  std::ofstream(dir.path + "/nodeslo.yaml") << kCpuFeatures;
  ScriptedServer kubelet{{.tls = true}};
  std::ofstream(dir.path + "/ca.crt") << kubelet.authority().certificate();
  std::ofstream(dir.path + "/token") << "t\n";
  kubelet.answers([&](const Asked&, Exchange& exchange) { answer(all, exchange); });

  LiveAgent agent({"--cgroup-root", cgroups.top(), "--nodeslo", dir.path + "/nodeslo.yaml", "--state-dir",
                   dir.path + "/state", "--listen", "127.0.0.1:0", "--pods", "kubelet", "--kubelet-url",
                   kubelet.url(), "--kubelet-ca", dir.path + "/ca.crt", "--kubelet-token-file",
                   dir.path + "/token", "--pods-interval", "2s"});
  const std::string url = agent.url();
  ASSERT_NE(url, "") << agent.log();
  ASSERT_TRUE(soon([&] { return metric_at(url, "evenkeel_input_good{input=\"pods\"}") == 1; }, 60s))
      << agent.log();
  const std::string burst = cgroups.burst_file(pods.services.back() + "/c0");
  EXPECT_TRUE(soon([&] { return text_of_file(burst) != "0\n"; })) << "the node is managed: " << agent.log();

  const auto asked = kubelet.asked().size();
  const Watched seen = watch_health(url, kWatched);
  const auto lists = kubelet.asked().size() - asked;
  const long peak = peak_kib(agent.pid());
  std::printf(
      "%zu lists of %d hostile pods: %ld ticks, %ld missed, /healthz at most %.0f ms, %.1f MiB at most\n",
      lists, kPods, seen.ticks, seen.missed, seen.slowest_ms(), static_cast<double>(peak) / 1024);
  EXPECT_GE(lists, 3U) << "the list hardly ever came: nothing is shown";
  EXPECT_EQ(seen.failed, 0);
  EXPECT_LT(seen.slowest, kSlowestHealth);
  EXPECT_LE(seen.missed, kMostMissed);
  EXPECT_GE(seen.ticks, kWatched.count() - 2 * kMostMissed);
  ASSERT_GT(limit_mib(), 0) << "the DaemonSet has another form";
  EXPECT_LT(peak / 1024, limit_mib());
  agent.stop();
  EXPECT_EQ(agent.exit_status(), 0) << agent.log();
  EXPECT_EQ(text_of_file(burst), "0\n");
}

}  // namespace
}  // namespace evenkeel::test
