// The whole program on a full node whose kubelet lists, of each pod but one, as much as a tenant can have
// stored, and in every annotation that is parsed what its parser has to refuse: memory stays within the
// DaemonSet's limit, ticks in time, health is answered meanwhile. Each refusal is told with the pod's name,
// and all pods are managed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "agent/http/http_client.h"
#include "tests/support/fakes/http_script.h"
#include "tests/support/fakes/kubelet_texts.h"
#include "tests/support/health_watch.h"
#include "tests/support/hostile_pods.h"
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

bool is_batch(const std::string& cgroup) { return cgroup.find("besteffort") != std::string::npos; }
std::string uid_of(const std::string& cgroup) { return cgroup.substr(cgroup.rfind("/pod") + 4); }
std::string name_of(std::size_t number) { return "hostile-" + std::to_string(number); }

struct Node {
  std::vector<std::string> hostile{};  ///< their cgroups, in the order of their numbers
  std::string honest{};
};
Node node_of(const Population& pods) {
  Node node{.hostile = pods.services, .honest = pods.services.back()};
  node.hostile.pop_back();
  node.hostile.insert(node.hostile.end(), pods.batches.begin(), pods.batches.end());
  return node;
}

/// 256 labels and containers, annotations with hostile texts and one of a mebibyte that is not read.
PodText hostile(std::size_t number, const std::string& cgroup) {
  const bool batch = is_batch(cgroup);
  PodText pod{.uid = uid_of(cgroup),
              .name = name_of(number),
              .labels = hostile_labels(batch),
              .annotations = hostile_annotations(static_cast<int>(number), batch),
              .qos = batch ? "BestEffort" : "Burstable",
              .resources = R"({"limits":{"cpu":"1"}})"};
  for (int i = 0; i < kListed; ++i) pod.container_ids.push_back("c" + std::to_string(i));
  return pod;
}

/// The answer is made while it is sent: this process has no room for all of it either.
void answer(const Node& node, Exchange& exchange) {
  const PodText honest{.uid = uid_of(node.honest),
                       .name = "honest",
                       .container_ids = {"c0", "c1", "c2"},
                       .resources = R"({"limits":{"cpu":"1"}})"};
  exchange.send(chunked_head() + chunk(R"({"kind":"PodList","apiVersion":"v1","metadata":{},"items":[)"));
  for (std::size_t number = 0; number < node.hostile.size(); ++number)
    if (!exchange.send(chunk(pod_json(hostile(number, node.hostile[number])) + ','))) return;
  exchange.send(chunk(pod_json(honest) + "]}") + "0\r\n\r\n");
}

/// The lines of /readyz about each pod, by its name. None is long, or steers a terminal.
std::map<std::string, std::vector<std::string>> told_of_pods(const std::string& page) {
  constexpr std::size_t kLongestLine = 1200;
  const std::string title = "pods: pod default/";
  std::map<std::string, std::vector<std::string>> out;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LT(line.size(), kLongestLine) << line;
    EXPECT_EQ(line.find('\x1b'), std::string::npos) << line;
    const auto end = line.find(": ", title.size());
    if (line.starts_with(title) && end != std::string::npos)
      out[line.substr(title.size(), end - title.size())].push_back(line.substr(end));
  }
  return out;
}

/// What is not told as it should be; empty: nothing.
std::string wrongly_told(const std::string& page, const Node& node) {
  auto told = told_of_pods(page);
  std::string wrong;
  for (std::size_t number = 0; number < node.hostile.size(); ++number)
    for (const auto& text : hostile_texts(static_cast<int>(number), is_batch(node.hostile[number]))) {
      const auto count = std::ranges::count_if(told[name_of(number)], [&](const std::string& line) {
        return line.find(text.key) != std::string::npos;
      });
      if (count != text.notices + text.claims)
        wrong += name_of(number) + ": " + text.key + " is told " + std::to_string(count) + " times\n";
    }
  if (told.contains("honest")) wrong += "something is told of the honest pod\n";
  return wrong;
}

long claims_of(const Node& node) {
  long claims = 0;
  for (std::size_t number = 0; number < node.hostile.size(); ++number)
    for (const auto& text : hostile_texts(static_cast<int>(number), is_batch(node.hostile[number])))
      claims += text.claims;
  return claims;
}

long times(const std::string& text, const std::string& part) {
  long found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(LiveHostilePods, AFullNodesListLeavesMemoryTicksAndHealthAsTheyAre) {
#ifdef EVENKEEL_WATCHED
  GTEST_SKIP() << "sanitizers need memory and time of their own";
#endif
  LiveCgroups cgroups;
  if (!cgroups.why_not().empty()) GTEST_SKIP() << cgroups.why_not();
  const Node node = node_of(populate(cgroups, kPods));
  const StateDir dir;
  std::ofstream(dir.path + "/nodeslo.yaml") << kCpuFeatures;
  ScriptedServer kubelet{{.tls = true}};
  std::ofstream(dir.path + "/ca.crt") << kubelet.authority().certificate();
  std::ofstream(dir.path + "/token") << "t\n";
  kubelet.answers([&](const Asked&, Exchange& exchange) { answer(node, exchange); });

  LiveAgent agent({"--cgroup-root", cgroups.top(), "--nodeslo", dir.path + "/nodeslo.yaml", "--state-dir",
                   dir.path + "/state", "--listen", "127.0.0.1:0", "--pods", "kubelet", "--kubelet-url",
                   kubelet.url(), "--kubelet-ca", dir.path + "/ca.crt", "--kubelet-token-file",
                   dir.path + "/token", "--pods-interval", "2s"});
  const std::string url = agent.url();
  ASSERT_NE(url, "") << agent.log();
  ASSERT_TRUE(soon([&] { return metric_at(url, "evenkeel_input_good{input=\"pods\"}") == 1; }, 60s))
      << agent.log();
  const std::string burst = cgroups.burst_file(node.honest + "/c0");
  const std::string refused = cgroups.burst_file(node.hostile.front() + "/c0");
  EXPECT_TRUE(soon([&] { return text_of_file(burst) != "0\n"; })) << "the node is managed: " << agent.log();
  EXPECT_TRUE(soon([&] { return text_of_file(refused) != "0\n"; })) << "by the node's settings";

  const auto asked = kubelet.asked().size();
  const Watched seen = watch_health(url, kWatched);
  const auto lists = kubelet.asked().size() - asked;
  const long peak = peak_kib(agent.pid());
  std::printf(
      "%zu lists of %d pods, one of them honest: %ld ticks, %ld missed, /healthz at most %.0f ms, %.1f MiB "
      "at most\n",
      lists, kPods, seen.ticks, seen.missed, seen.slowest_ms(), static_cast<double>(peak) / 1024);
  EXPECT_GE(lists, 3U) << "the list hardly ever came: nothing is shown";
  EXPECT_EQ(seen.failed, 0);
  EXPECT_LT(seen.slowest, kSlowestHealth);
  EXPECT_LE(seen.missed, kMostMissed);
  EXPECT_GE(seen.ticks, kWatched.count() - 2 * kMostMissed);
  ASSERT_GT(limit_mib(), 0) << "the DaemonSet has another form";
  EXPECT_LT(peak / 1024, limit_mib());
  EXPECT_EQ(wrongly_told(http::http_get(url + "/readyz").body, node), "");
  EXPECT_NE(http::http_get(url + "/v1/explain").body.find("pod default/hostile-0: annotation"),
            std::string::npos);
  EXPECT_EQ(times(agent.log(), "event=claim-refused"), claims_of(node)) << "each is logged once";
  agent.stop();
  EXPECT_EQ(agent.exit_status(), 0) << agent.log();
  EXPECT_EQ(text_of_file(burst), "0\n");
  EXPECT_EQ(text_of_file(refused), "0\n");
}

}  // namespace
}  // namespace evenkeel::test
